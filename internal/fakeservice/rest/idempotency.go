package rest

import (
	"bytes"
	"maps"
	"net/http"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// repetitions serializes requests with the same Idempotency-Key, so that a repetition
// waits for the answer to the first request.
type repetitions struct {
	mu      sync.Mutex
	present map[string]*turn
}

// turn is locked while a request is carried out. callers is the number of requests that
// use it.
type turn struct {
	sync.Mutex
	callers int
}

// idempotencyKey returns the key under which an answer is stored, or "".
func (c *call) idempotencyKey() string {
	key := c.request.Header.Get("Idempotency-Key")
	if key == "" || c.request.Method != http.MethodPost {
		return ""
	}
	return c.request.URL.EscapedPath() + " " + key
}

// once carries out a call, or returns the stored answer to an earlier one with the same
// key. If the body differs from the earlier one, that is an error of the client. A
// refusal is not stored, because its reason may no longer apply at the next try. An unknown
// outcome is, because the next try may do it a second time.
func (r *repetitions) atMostOnce(c *call, carryOut func() reply) reply {
	key := c.idempotencyKey()
	if key == "" {
		return carryOut()
	}
	defer r.enter(key)()
	if first, known := c.service.Recall(key); known {
		if !bytes.Equal(canonical(first.Request), canonical(c.body)) {
			return encode(fail(core.Refuse(core.ValidationError, "Idempotency-Key: it was sent before with another body")))
		}
		// The header is copied, because headers are added to the reply.
		// Of failures, only unknown outcomes are stored.
		return reply{first.Status, maps.Clone(http.Header(first.Header)), first.Body, first.Status >= http.StatusMultipleChoices}
	}
	out := carryOut()
	if out.status < http.StatusMultipleChoices || out.unknown {
		answer := core.Answer{Key: key, Request: c.body, Status: out.status, Header: out.header.Clone(), Body: out.body}
		if err := c.service.Remember(answer); err != nil {
			return encode(fail(err))
		}
	}
	return out
}

// canonical returns a body in the form in which equal JSON values are equal texts.
func canonical(body []byte) []byte {
	value := jsontext.Value(bytes.Clone(body))
	if value.Canonicalize() != nil {
		return body // it is empty, or of a client that sends no JSON
	}
	return value
}

// enter waits for the turn of a key.
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
