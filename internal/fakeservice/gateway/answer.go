package gateway

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// answer is a response that goes back to the client.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// envelope returns an error answer in the service's format.
func envelope(status int, code, detail string) *answer {
	// Encoding two strings never fails.
	text, _ := json.Marshal(struct {
		Detail string `json:"detail"`
		Code   string `json:"code"`
	}{detail, code})
	return &answer{status, http.Header{"Content-Type": {"application/json"}}, append(text, '\n')}
}

func (a *answer) writeHeader(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
}

func (a *answer) write(w http.ResponseWriter) {
	a.writeHeader(w)
	_, _ = w.Write(a.body) // nothing is left to do for a client that has gone
}

// breakOff announces the whole body, sends the first half and closes the connection.
func (a *answer) breakOff(w http.ResponseWriter) {
	a.header.Set("Content-Length", strconv.Itoa(len(a.body)))
	a.writeHeader(w)
	_, _ = w.Write(a.body[:len(a.body)/2])
	flush(w) // unflushed data would be lost with the connection
	panic(http.ErrAbortHandler)
}

// stream sends a body of the fault's size without storing it: a JSON string that does not
// end.
func (p *passage) stream(w http.ResponseWriter, out *answer) {
	f := p.fault
	out.writeHeader(w)
	piece := []byte(`{"padding":"` + strings.Repeat("x", 1<<10-12))
	for left := f.BodySize; left > 0; left -= int64(len(piece)) {
		piece = piece[:min(int64(len(piece)), left)]
		if _, err := w.Write(piece); err != nil {
			return
		}
		if f.Pace > 0 {
			flush(w)
			if !p.pause(f.Pace) {
				return
			}
		}
		for i := range piece {
			piece[i] = 'x'
		}
	}
}

func flush(w http.ResponseWriter) {
	// A writer that cannot flush does not buffer.
	_ = http.NewResponseController(w).Flush()
}

// record lets a handler answer a request, and returns nil if the handler aborts the
// connection. early is called with the part of the answer that the handler has flushed. It
// may send that part, and returns the writer for the rest then. client is the client's
// writer, or nil.
func record(handler http.Handler, r *http.Request, client http.ResponseWriter, early func(*answer) http.ResponseWriter) (out *answer) {
	made := &recorder{answer: answer{status: http.StatusOK, header: http.Header{}}, client: client, early: early}
	defer func() {
		//nolint:errorlint // the handler panics with this very value
		if reason := recover(); reason == http.ErrAbortHandler {
			out = nil
		} else if reason != nil {
			panic(reason)
		}
	}()
	handler.ServeHTTP(made, r)
	return &made.answer
}

// recorder stores the output of a handler, until early has sent a part of it.
type recorder struct {
	answer
	client http.ResponseWriter
	early  func(*answer) http.ResponseWriter
	rest   http.ResponseWriter // nil until early has sent a part
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) { r.status = status }

func (r *recorder) Write(piece []byte) (int, error) {
	if r.rest != nil {
		return r.rest.Write(piece)
	}
	r.body = append(r.body, piece...)
	return len(piece), nil
}

// Flush implements http.Flusher.
func (r *recorder) Flush() {
	if r.rest == nil {
		r.rest = r.early(&r.answer)
	}
	if r.rest != nil {
		flush(r.rest)
	}
}

// SetReadDeadline sets the deadline of the client's connection, as http.ResponseController
// does.
func (r *recorder) SetReadDeadline(at time.Time) error {
	if r.client == nil {
		return http.ErrNotSupported
	}
	return http.NewResponseController(r.client).SetReadDeadline(at)
}

// bodyHeld is the number of bytes of a request's body that are read before the request is
// passed on. It is more than the service accepts.
const bodyHeld = 2 << 20

// requestBody is the body of a request, whose head can be read more than once. Only the
// service reads the rest, or the error that ended the body.
type requestBody struct {
	head []byte
	rest io.Reader
}

func readBody(r *http.Request) requestBody {
	if r.Body == nil {
		return requestBody{nil, http.NoBody}
	}
	head, err := io.ReadAll(io.LimitReader(r.Body, bodyHeld))
	switch {
	case err != nil:
		return requestBody{head, failing{err}}
	case len(head) == bodyHeld:
		return requestBody{head, r.Body}
	}
	return requestBody{head, http.NoBody}
}

func (b requestBody) reader() io.ReadCloser {
	return io.NopCloser(io.MultiReader(bytes.NewReader(b.head), b.rest))
}

// failing is a reader that returns an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
