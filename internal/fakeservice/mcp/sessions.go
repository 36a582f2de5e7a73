package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	sessionHeader = "Mcp-Session-Id"
	// sessionIdle is the real time after which an idle session ends.
	sessionIdle = time.Hour
)

// sessions serves clients that can ask a person, if they use a version of the protocol
// before 2026-07-28. There a question is a request to the client, so it needs a session.
// All other clients are served without one.
type sessions struct {
	server   func() *sdk.Server
	stateful http.Handler
	// single answers with one JSON object, and streaming with events that may include
	// progress before the answer.
	single, streaming http.Handler
	used              atomic.Bool
	// life is the context of the requests in sessions.
	life context.Context
	stop context.CancelFunc
}

func newSessions(server func() *sdk.Server) *sessions {
	s := &sessions{server: server}
	s.life, s.stop = context.WithCancel(context.Background())
	handler := func(o sdk.StreamableHTTPOptions) http.Handler {
		o.MaxRequestBodyBytes = maxBody
		o.DisableLocalhostProtection = true // the caller of Mount checks the host name
		return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server() }, &o)
	}
	s.stateful = handler(sdk.StreamableHTTPOptions{SessionTimeout: sessionIdle})
	s.single = handler(sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, PropagateRequestCancellation: true})
	s.streaming = handler(sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	return s
}

// ServeHTTP serves a request in its session, or without one.
func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	single, streaming := takes(r)
	if r.Method == http.MethodPost && (single || streaming) {
		r = r.Clone(r.Context())
		r.Header.Set("Accept", singleType+", "+streamingType) // which the library asks for
	}
	if r.Header.Get(sessionHeader) == "" {
		switch m := peek(r); {
		case m.opensSession() && streaming:
		case m.wantsProgress() && streaming, streaming && !single:
			s.streaming.ServeHTTP(w, r)
			return
		default:
			s.single.ServeHTTP(w, r)
			return
		}
	}
	s.used.Store(true)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	// A person may take longer to answer than a request may take to arrive. A writer that
	// has no deadline needs none.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	s.stateful.ServeHTTP(w, r.WithContext(ctx))
}

// close ends the sessions and their requests.
func (s *sessions) close() {
	s.stop()
	if !s.used.Load() {
		return // the server may not be made yet
	}
	for session := range s.server().Sessions() {
		_ = session.Close() // its client is gone in any case
	}
}

// message is the part of a request's body that decides how it is served.
type message struct {
	Method string
	Params struct {
		Capabilities struct{ Elicitation *struct{} }
		Meta         struct {
			ProgressToken any `json:"progressToken"`
		} `json:"_meta"`
	}
}

// peek reads the message of a POST. The body can still be read.
func peek(r *http.Request) (m message) {
	if r.Method != http.MethodPost {
		return m
	}
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxBody+1)) // the next reader meets the same error
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	_ = json.Unmarshal(body, &m) // the next reader refuses what is not a message
	return m
}

// opensSession reports whether a message begins the work of a client that can ask a person.
func (m message) opensSession() bool {
	return m.Method == "initialize" && m.Params.Capabilities.Elicitation != nil
}

// wantsProgress reports whether a message asks for notifications about its progress.
func (m message) wantsProgress() bool { return m.Params.Meta.ProgressToken != nil }
