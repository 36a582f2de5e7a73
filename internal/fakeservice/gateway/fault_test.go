package gateway_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
)

const page504 = "<html>\r\n<head><title>504 Gateway Time-out</title></head>\r\n<body>\r\n<center><h1>504 Gateway Time-out</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"

// Each row is one POST with the body "x". It lists what the client and the service get, and
// when.
func TestFaults(t *testing.T) {
	t.Parallel()
	const (
		served = "0s service: POST /api/things x"
		html   = "text/html"
		json   = "application/json"
	)
	for _, row := range []struct {
		name        string
		fault       gateway.Fault
		status      int
		contentType string
		text        string
		at          time.Duration
		err         error
		service     []string
	}{
		{"nothing", gateway.Fault{}, 201, json, whole, 0, nil, []string{served}},

		{"gateway's 404", gateway.Fault{Page: 404}, 404, html, "default backend - 404", 0, nil, nil},
		{"gateway's 502", gateway.Fault{Page: 502}, 502, html, strings.ReplaceAll(page504, "504 Gateway Time-out", "502 Bad Gateway"), 0, nil, nil},
		{"gateway's 503", gateway.Fault{Page: 503}, 503, html, strings.ReplaceAll(page504, "504 Gateway Time-out", "503 Service Temporarily Unavailable"), 0, nil, nil},
		{"gateway's 504 after the commit", gateway.Fault{Page: 504, AfterCommit: true}, 504, html, page504, 0, nil, []string{served}},
		{"gateway's page as JSON", gateway.Fault{Page: 502, Body: []byte("{}")}, 502, json, "{}", 0, nil, nil},

		{"envelope", gateway.Fault{Status: 503}, 503, json, `{"detail":"injected fault: 503 Service Unavailable","code":"unavailable"}` + "\n", 0, nil, nil},
		{"own words", gateway.Fault{Status: 409, Code: "odd", Detail: "because", AfterCommit: true}, 409, json, `{"detail":"because","code":"odd"}` + "\n", 0, nil, []string{served}},

		{"late commit", gateway.Fault{CommitAfter: 40 * time.Second}, 504, html, page504, 0, nil, []string{"40s service: POST /api/things x"}},
		{"late commit behind a slow 502", gateway.Fault{Page: 502, CommitAfter: 40 * time.Second, Delay: 30 * time.Second},
			502, html, strings.ReplaceAll(page504, "504 Gateway Time-out", "502 Bad Gateway"), 30 * time.Second, nil, []string{"1m10s service: POST /api/things x"}},
		{"late commit behind a closed connection", gateway.Fault{Drop: true, CommitAfter: 4 * time.Second}, 0, "", "", 0, gateway.ErrConnectionClosed, []string{"4s service: POST /api/things x"}},

		{"closed before the commit", gateway.Fault{Drop: true}, 0, "", "", 0, gateway.ErrConnectionClosed, nil},
		{"closed after the commit", gateway.Fault{Drop: true, AfterCommit: true, Delay: time.Minute}, 0, "", "", time.Minute, gateway.ErrConnectionClosed, []string{served}},

		{"delay", gateway.Fault{Delay: time.Minute}, 201, json, whole, time.Minute, nil, []string{"1m0s service: POST /api/things x"}},
		{"delay after the commit", gateway.Fault{Delay: time.Minute, AfterCommit: true}, 201, json, whole, time.Minute, nil, []string{served}},

		{"half as if it were all", gateway.Fault{Truncate: true}, 201, json, whole[:len(whole)/2], 0, nil, []string{served}},
		{"half of what was announced", gateway.Fault{BreakOff: true}, 201, json, whole[:len(whole)/2], 0, io.ErrUnexpectedEOF, []string{served}},
		{"another body", gateway.Fault{Body: []byte("<p>"), ContentType: html, AfterCommit: true}, 201, html, "<p>", 0, nil, []string{served}},
		{"another field", gateway.Fault{Rewrite: func(m map[string]any) { delete(m, "name") }}, 201, json, `{"id":"t-1"}`, 0, nil, []string{served}},
		{"slow body", gateway.Fault{BodySize: 3 << 10, Pace: time.Second}, 200, json, `{"padding":"` + strings.Repeat("x", 3<<10-12), 3 * time.Second, nil, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			in(t, func(t *testing.T, w *world) {
				w.Inject(row.fault)
				got := w.send(t.Context(), "POST", "/things", "x")
				time.Sleep(time.Hour)
				equal(t, "status", got.status, row.status)
				equal(t, "content type", got.header.Get("Content-Type"), row.contentType)
				equal(t, "body", got.text, row.text)
				equal(t, "time of the answer", got.at, row.at)
				if !errors.Is(got.err, row.err) {
					t.Errorf("the error: got %v, want %v", got.err, row.err)
				}
				var reached []string
				for _, note := range w.noted() {
					if strings.Contains(note, "service: ") {
						reached = append(reached, note)
					}
				}
				equal(t, "what reached the service", reached, row.service)
			})
		})
	}
}

// A late commit is reported twice: when the client gets its answer, and when the commit
// happens.
func TestWhatIsWatched(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		w.send(t.Context(), "POST", "/things", "fair")
		w.Inject(gateway.Fault{CommitAfter: 4 * time.Second})
		w.send(t.Context(), "POST", "/things", "late")
		w.Inject(gateway.Fault{Drop: true})
		w.send(t.Context(), "POST", "/things", "lost")
		time.Sleep(time.Minute)
		equal(t, "notes", w.noted(), []string{
			"0s service: POST /api/things fair", "0s served: POST fair Created", "0s answered: POST fair Created",
			"0s answered: POST late Gateway Timeout, faulted",
			"0s answered: POST lost , faulted",
			"4s service: POST /api/things late", "4s served: POST late Created",
		})
	})
}

func TestBeforeAndAfter(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		fault gateway.Fault
		want  []string
	}{
		{"passed on", gateway.Fault{}, []string{"before", "service", "after", "answered"}},
		{"lost before the commit", gateway.Fault{Drop: true}, []string{"before", "service", "after", "answered"}},
		{"late", gateway.Fault{CommitAfter: time.Second}, []string{"before", "answered", "service", "after"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			in(t, func(t *testing.T, w *world) {
				row.fault.Before = func() { w.note("before") }
				row.fault.After = func() { w.note("after") }
				w.Inject(row.fault)
				w.send(t.Context(), "POST", "/things", "x")
				time.Sleep(time.Minute)
				var order []string
				for _, note := range w.noted() {
					if _, what, _ := strings.Cut(note, " "); !strings.HasPrefix(what, "served") {
						order = append(order, strings.SplitN(what, ":", 2)[0])
					}
				}
				equal(t, "order", order, row.want)
			})
		})
	}
	t.Run("killed before the commit", func(t *testing.T) {
		t.Parallel()
		in(t, func(t *testing.T, w *world) {
			ctx, kill := context.WithCancel(t.Context())
			w.Inject(gateway.Fault{Before: kill, Drop: true})
			if got := w.send(ctx, "POST", "/things", "x"); got.err == nil {
				t.Errorf("the killed client: got status %d, want no answer", got.status)
			}
			synctest.Wait()
			equal(t, "what happened", w.noted(), []string{"0s answered: POST x , faulted"})
		})
	})
}

// A client that gives up before its delayed request is passed on changes nothing. With a
// late commit, the request is carried out anyway.
func TestClientThatLeaves(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		fault gateway.Fault
		want  []string
	}{
		{"delayed", gateway.Fault{Delay: time.Minute}, []string{"10s answered: POST x , faulted"}},
		{"late", gateway.Fault{Delay: time.Minute, CommitAfter: 4 * time.Second}, []string{
			"10s answered: POST x Gateway Timeout, faulted", "1m4s service: POST /api/things x", "1m4s served: POST x Created",
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			in(t, func(t *testing.T, w *world) {
				w.Inject(row.fault)
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				got := w.send(ctx, "POST", "/things", "x")
				if !errors.Is(got.err, context.DeadlineExceeded) {
					t.Errorf("the client: got %+v, want the error %v", got, context.DeadlineExceeded)
				}
				time.Sleep(time.Hour)
				equal(t, "what happened", w.noted(), row.want)
			})
		})
	}
}

func TestWhichRequestsAreHit(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		fault gateway.Fault
		want  []int
	}{
		{"one", gateway.Fault{}, []int{404, 201, 201, 201, 201, 201}},
		{"two after one", gateway.Fault{Skip: 1, Times: 2}, []int{201, 404, 404, 201, 201, 201}},
		{"all", gateway.Fault{Times: -1}, []int{404, 404, 404, 404, 404, 404}},
		{"for a time", gateway.Fault{For: 3 * time.Second}, []int{404, 404, 404, 201, 201, 201}},
		{"for a time after two", gateway.Fault{For: 3 * time.Second, Skip: 2}, []int{201, 201, 404, 404, 404, 201}},
		{"twice within a time", gateway.Fault{For: 3 * time.Second, Times: 2}, []int{404, 404, 201, 201, 201, 201}},
		{"five times within a time", gateway.Fault{For: 3 * time.Second, Times: 5}, []int{404, 404, 404, 201, 201, 201}},
		{"another method", gateway.Fault{Method: "POST"}, []int{201, 201, 201, 201, 201, 201}},
		{"another path", gateway.Fault{Path: "/others"}, []int{201, 201, 201, 201, 201, 201}},
		{"a path", gateway.Fault{Method: "GET", Path: "/*"}, []int{404, 201, 201, 201, 201, 201}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			in(t, func(t *testing.T, w *world) {
				row.fault.Page = 404
				w.Inject(row.fault)
				equal(t, "statuses", w.statuses(6, "/things"), row.want)
			})
		})
	}
	t.Run("removed", func(t *testing.T) {
		t.Parallel()
		in(t, func(t *testing.T, w *world) {
			remove := w.Inject(gateway.Fault{Page: 404, Times: -1})
			equal(t, "before", w.statuses(1, "/things"), []int{404})
			remove()
			equal(t, "after", w.statuses(1, "/things"), []int{201})
		})
	})
}

// A connection that the service breaks off is broken off for the client too.
func TestServiceThatAborts(t *testing.T) {
	t.Parallel()
	in(t, func(t *testing.T, w *world) {
		if got := w.get("/abort"); !errors.Is(got.err, gateway.ErrConnectionClosed) {
			t.Errorf("the client: got %+v, want the error %v", got, gateway.ErrConnectionClosed)
		}
	})
}

// The same over a real connection. An announced body that does not arrive is an error to
// net/http's client too.
func TestOverAConnection(t *testing.T) {
	t.Parallel()
	service := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, whole) })
	g := gateway.New(service, gateway.Options{})
	server := httptest.NewServer(g)
	t.Cleanup(func() { g.Close(); server.Close() })
	read := func() (string, int64, error) {
		response, err := http.Get(server.URL)
		if err != nil {
			return "", 0, err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return string(text), response.ContentLength, err
	}

	g.Inject(gateway.Fault{BreakOff: true})
	text, length, err := read()
	equal(t, "body", text, whole[:len(whole)/2])
	equal(t, "length", length, int64(len(whole)))
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the error: got %v, want %v", err, io.ErrUnexpectedEOF)
	}

	g.Inject(gateway.Fault{Drop: true, Times: 2}) // the client repeats a GET by itself
	if text, _, err := read(); err == nil {
		t.Errorf("a dropped answer: got %s, want an error", text)
	}
	g.Reset()
	if text, _, err := read(); err != nil || text != whole {
		t.Errorf("the answer after the reset: got %q and error %v, want the whole text", text, err)
	}
}
