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
	server           func() *sdk.Server
	stateful, others http.Handler
	used             atomic.Bool
	// life is the context of the requests in sessions.
	life context.Context
	stop context.CancelFunc
}

func newSessions(server func() *sdk.Server, others http.Handler) *sessions {
	s := &sessions{server: server, others: others}
	s.life, s.stop = context.WithCancel(context.Background())
	s.stateful = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server() }, &sdk.StreamableHTTPOptions{
		SessionTimeout: sessionIdle, MaxRequestBodyBytes: maxBody, DisableLocalhostProtection: true,
	})
	return s
}

// ServeHTTP serves a request in its session, or without one.
func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get(sessionHeader) == "" && !opensSession(r) {
		s.others.ServeHTTP(w, r)
		return
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

// opensSession reports whether a request begins the work of a client that can ask a
// person. The body can still be read.
func opensSession(r *http.Request) bool {
	if r.Method != http.MethodPost {
		return false
	}
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxBody+1)) // the next reader meets the same error
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	var sent struct {
		Method string
		Params struct {
			Capabilities struct{ Elicitation *struct{} }
		}
	}
	return json.Unmarshal(body, &sent) == nil && sent.Method == "initialize" && sent.Params.Capabilities.Elicitation != nil
}
