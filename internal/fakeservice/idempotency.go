package fakeservice

import (
	"bytes"
	"maps"
	"net/http"
	"time"
)

// answersKept is how long the answer to a keyed POST is remembered.
const answersKept = 24 * time.Hour

// remembered is the first answer to a POST with an Idempotency-Key.
type remembered struct {
	at   time.Time
	body []byte
	out  reply
}

// idempotencyKey is what an answer is remembered by, or empty.
func (c *call) idempotencyKey() string {
	key := c.request.Header.Get("Idempotency-Key")
	if key == "" || c.request.Method != http.MethodPost {
		return ""
	}
	return c.request.URL.EscapedPath() + " " + key
}

// recall finds the first answer to the same request. The same key with another
// body is a mistake of the client, not a repetition.
func (st *state) recall(c *call) (reply, bool) {
	first, known := st.answers[c.idempotencyKey()]
	if !known || st.now.Sub(first.at) >= answersKept {
		return reply{}, false
	}
	if !bytes.Equal(first.body, c.body) {
		return encode(fail(invalid("Idempotency-Key", "it was sent before with another body"))), true
	}
	// The header is copied, as what is sent is added to.
	return reply{first.out.status, first.out.header.Clone(), first.out.body}, true
}

// remember keeps the answer to a POST that did something. A refusal is not
// kept: the reason for it may be gone at the next try.
func (st *state) remember(c *call, out reply) {
	key := c.idempotencyKey()
	if key == "" || out.status >= 300 {
		return
	}
	maps.DeleteFunc(st.answers, func(_ string, r remembered) bool { return st.now.Sub(r.at) >= answersKept })
	if _, known := st.answers[key]; !known {
		st.answers[key] = remembered{st.now, c.body, reply{out.status, out.header.Clone(), out.body}}
	}
}
