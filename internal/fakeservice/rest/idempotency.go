package rest

import (
	"bytes"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// answersKept is how long the answer to a keyed POST is remembered.
const answersKept = 24 * time.Hour

// answers are the first answers to POSTs with an Idempotency-Key.
type answers struct {
	mu    sync.Mutex
	known map[string]*remembered
}

// remembered is the first answer to a keyed POST, or the room for it.
type remembered struct {
	// carrying is held while the request is carried out, so that a repetition that
	// comes meanwhile waits for the answer.
	carrying sync.Mutex

	// The rest is the answers' lock's. callers counts who uses it.
	callers int
	at      time.Time // zero while there is no answer
	body    []byte
	out     reply
}

// idempotencyKey is what an answer is remembered by, or empty.
func (c *call) idempotencyKey() string {
	key := c.request.Header.Get("Idempotency-Key")
	if key == "" || c.request.Method != http.MethodPost {
		return ""
	}
	return c.request.URL.EscapedPath() + " " + key
}

// once carries a call out, or gives the first answer to the same request again. The
// same key with another body is a mistake of the client, not a repetition. A refusal
// is not kept: the reason for it may be gone at the next try.
func (a *answers) once(c *call, now func() time.Time, carryOut func() reply) reply {
	key := c.idempotencyKey()
	if key == "" {
		return carryOut()
	}
	first := a.enter(key, now())
	defer a.leave(key, first)
	first.carrying.Lock()
	defer first.carrying.Unlock()
	if out, known := a.recall(first, c.body); known {
		return out
	}
	out := carryOut()
	if out.status < http.StatusMultipleChoices {
		a.mu.Lock()
		defer a.mu.Unlock()
		first.at, first.body, first.out = now(), c.body, reply{out.status, out.header.Clone(), out.body}
	}
	return out
}

// recall is the first answer, if there is one.
func (a *answers) recall(first *remembered, body []byte) (reply, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case first.at.IsZero():
		return reply{}, false
	case !bytes.Equal(first.body, body):
		return encode(fail(core.Refuse(core.ValidationError, "Idempotency-Key: it was sent before with another body"))), true
	}
	// The header is copied, as what is sent is added to.
	return reply{first.out.status, first.out.header.Clone(), first.out.body}, true
}

// enter gives the room for an answer, and lets go of answers that are too old.
func (a *answers) enter(key string, now time.Time) *remembered {
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.known, func(_ string, r *remembered) bool { return r.callers == 0 && now.Sub(r.at) >= answersKept })
	if a.known == nil {
		a.known = map[string]*remembered{}
	}
	if a.known[key] == nil {
		a.known[key] = &remembered{}
	}
	a.known[key].callers++
	return a.known[key]
}

// leave lets go of the room where no answer came into it.
func (a *answers) leave(key string, r *remembered) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.callers--; r.callers == 0 && r.at.IsZero() && a.known[key] == r {
		delete(a.known, key)
	}
}

// forget forgets all answers.
func (a *answers) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known = nil
}
