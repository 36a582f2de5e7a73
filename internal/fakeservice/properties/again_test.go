package properties

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// repeatable is a request with an Idempotency-Key that was carried out.
type repeatable struct {
	request *request
	answer  answer
	at      time.Time
}

// sameAnswer is the time for which a repeated request gets the first answer.
const sameAnswer = 24 * time.Hour

// noteKey records the Idempotency-Key of a request. It checks that a request only counts
// as a repetition if the account has sent the key before.
func (a *account) noteKey(t *rapid.T, r *request, got answer) {
	t.Helper()
	key := r.header["Idempotency-Key"]
	if key == "" {
		return
	}
	place := r.target() + " " + key
	first, known := a.repeatables[place]
	known = known && a.service.Now().Sub(first.at) < sameAnswer
	switch {
	case got.status == http.StatusUnprocessableEntity && strings.Contains(string(got.body), `"Idempotency-Key: `):
		if !known {
			t.Fatalf("%s: got %s, want no refusal of the key, which the account has not sent before", r, got.body)
		}
	case known && string(first.request.body) == string(r.body):
		if got.status != first.answer.status || string(got.body) != string(first.answer.body) {
			t.Fatalf("%s: got %d %s, want the answer from before: %d %s", r, got.status, got.body, first.answer.status, first.answer.body)
		}
	case known:
		t.Fatalf("%s: got %d, want a refusal of the key, which was sent before with the body %s", r, got.status, first.request.body)
	case got.status < 300:
		a.last = repeatable{r, got, a.service.Now()}
		a.repeatables[place] = a.last
	}
}

// sendAgain repeats the last request with an Idempotency-Key. Then the other account
// sends the same request with its own names.
func (w *world) sendAgain(t *rapid.T) {
	a := w.actor(t)
	r := a.last.request
	if r == nil {
		return
	}
	got := ask(a.service, r.http())
	a.look()
	a.noteKey(t, r, got)
	if strings.Contains(r.operation.Path, "{") {
		return
	}
	other, same := w.other(a), *r
	same.key = "key-of-" + other.mark
	same.body = bytes.ReplaceAll(r.body, []byte(a.mark), []byte(other.mark))
	got = ask(other.service, same.http())
	w.checkPrivacy(t, other, &same, got)
	other.look()
	other.noteKey(t, &same, got)
}
