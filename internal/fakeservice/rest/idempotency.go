package rest

import (
	"bytes"
	"maps"
	"net/http"
	"sync"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// repetitions lets requests with the same Idempotency-Key come one after the other, so
// that a repetition that comes while the first is carried out waits for its answer.
type repetitions struct {
	mu      sync.Mutex
	present map[string]*turn
}

// turn is held while a request is carried out. callers counts who uses it.
type turn struct {
	sync.Mutex
	callers int
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
func (r *repetitions) once(c *call, carryOut func() reply) reply {
	key := c.idempotencyKey()
	if key == "" {
		return carryOut()
	}
	defer r.enter(key)()
	if first, known := c.service.Recall(key); known {
		if !bytes.Equal(first.Request, c.body) {
			return encode(fail(core.Refuse(core.ValidationError, "Idempotency-Key: it was sent before with another body")))
		}
		// The header is copied, as what is sent is added to.
		return reply{first.Status, maps.Clone(http.Header(first.Header)), first.Body}
	}
	out := carryOut()
	if out.status < http.StatusMultipleChoices {
		answer := core.Answer{Key: key, Request: c.body, Status: out.status, Header: out.header.Clone(), Body: out.body}
		if err := c.service.Remember(answer); err != nil {
			return encode(fail(err))
		}
	}
	return out
}

// enter takes the turn of a key, when its present holder leaves.
func (r *repetitions) enter(key string) (leave func()) {
	r.mu.Lock()
	if r.present == nil {
		r.present = map[string]*turn{}
	}
	if r.present[key] == nil {
		r.present[key] = &turn{}
	}
	mine := r.present[key]
	mine.callers++
	r.mu.Unlock()
	mine.Lock()
	return func() {
		mine.Unlock()
		r.mu.Lock()
		defer r.mu.Unlock()
		if mine.callers--; mine.callers == 0 {
			delete(r.present, key)
		}
	}
}
