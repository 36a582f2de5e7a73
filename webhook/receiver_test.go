package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/webhook"
)

// delivery returns a signed request that delivers an event.
func delivery(deliveryID, eventID, secret string) *http.Request {
	body := `{"id":"` + eventID + `","type":"label","data":{}}`
	request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	request.Header = headers("X-Service-Delivery", deliveryID, "X-Service-Signature", webhook.Sign([]byte(body), secret))
	return request
}

// post sends a delivery to a receiver and returns the status of its answer.
func post(r *webhook.Receiver, deliveryID, eventID, secret string) int {
	answer := httptest.NewRecorder()
	r.ServeHTTP(answer, delivery(deliveryID, eventID, secret))
	return answer.Code
}

// A delivery is handled once, even if it arrives again under its id or its event under
// another one. A delivery whose handling failed is handled when it arrives again.
func TestReceiverHandlesOnce(t *testing.T) {
	t.Parallel()
	var handled []string
	failing := true
	r := &webhook.Receiver{Secrets: []string{"s"}, Handle: func(_ context.Context, d webhook.Delivery) error {
		if failing {
			return errors.New("the database is away")
		}
		handled = append(handled, d.ID)
		return nil
	}}
	if status := post(r, "dlv-1", "evt-1", "s"); status != 500 {
		t.Errorf("a delivery whose handling failed: got status %d, want 500", status)
	}
	failing = false
	for _, c := range []struct {
		delivery, event, secret string
		want                    int
	}{
		{"dlv-1", "evt-1", "s", 204}, {"dlv-1", "evt-1", "s", 204}, {"dlv-9", "evt-1", "s", 204}, {"dlv-1", "evt-9", "s", 204},
		{"dlv-2", "evt-2", "another", 401}, {"dlv-2", "evt-2", "s", 204}, {"", "evt-3", "s", 400},
	} {
		if status := post(r, c.delivery, c.event, c.secret); status != c.want {
			t.Errorf("%+v: got status %d, want %d", c, status, c.want)
		}
	}
	if got := fmt.Sprint(handled); got != "[dlv-1 dlv-2]" {
		t.Errorf("handled deliveries: got %s, want dlv-1 and dlv-2", got)
	}
}

// A delivery that arrives again while it is being handled is not handled twice, and not
// reported as done.
func TestReceiverAtWork(t *testing.T) {
	t.Parallel()
	began, end := make(chan struct{}), make(chan struct{})
	r := &webhook.Receiver{Secrets: []string{"s"}, Handle: func(context.Context, webhook.Delivery) error {
		close(began)
		<-end
		return nil
	}}
	first := make(chan int)
	go func() { first <- post(r, "dlv-1", "evt-1", "s") }()
	<-began
	if status := post(r, "dlv-1", "evt-1", "s"); status != 503 {
		t.Errorf("a delivery that is still being handled: got status %d, want 503", status)
	}
	close(end)
	if status := <-first; status != 204 {
		t.Errorf("the first delivery: got status %d, want 204", status)
	}
	if status := post(r, "dlv-1", "evt-1", "s"); status != 204 {
		t.Errorf("the next delivery: got status %d, want 204", status)
	}
}

func TestReceiverRefuses(t *testing.T) {
	t.Parallel()
	var why error
	r := &webhook.Receiver{Secrets: []string{"s"}, Refused: func(err error) { why = err }}
	for want, request := range map[int]*http.Request{
		http.StatusMethodNotAllowed:      httptest.NewRequest(http.MethodGet, "/", nil),
		http.StatusRequestEntityTooLarge: httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", webhook.MaxBody+1))),
		http.StatusUnauthorized:          httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}")),
	} {
		answer := httptest.NewRecorder()
		why = nil
		if r.ServeHTTP(answer, request); answer.Code != want || why == nil {
			t.Errorf("a refused request: got status %d and reason %v, want status %d and a reason", answer.Code, why, want)
		}
	}
	unsafe := &webhook.Receiver{Secrets: []string{""}}
	if status := post(unsafe, "dlv-1", "evt-1", ""); status != 500 {
		t.Errorf("a delivery with an empty secret: got status %d, want 500", status)
	}
}

// If the memory fails, an event is neither handled twice nor lost.
func TestReceiverWhoseMemoryFails(t *testing.T) {
	t.Parallel()
	r := &webhook.Receiver{Secrets: []string{"s"}, Memory: broken{}, Handle: func(context.Context, webhook.Delivery) error {
		t.Error("Handle was called although the memory failed")
		return nil
	}}
	if status := post(r, "dlv-1", "evt-1", "s"); status != 500 {
		t.Errorf("a delivery with a broken memory: got status %d, want 500", status)
	}
}

// A handled delivery is recorded even if the service has stopped waiting, so it is not
// handled again.
func TestReceiverThatIsLate(t *testing.T) {
	t.Parallel()
	ctx, giveUp := context.WithCancel(context.Background())
	handled := 0
	r := &webhook.Receiver{Secrets: []string{"s"}, Memory: patient{webhook.NewRecent(2)}, Handle: func(context.Context, webhook.Delivery) error {
		handled++
		giveUp()
		return nil
	}}
	r.ServeHTTP(httptest.NewRecorder(), delivery("dlv-1", "evt-1", "s").WithContext(ctx))
	if status := post(r, "dlv-1", "evt-1", "s"); status != 204 || handled != 1 {
		t.Errorf("a repeated delivery: got status %d after %d calls of Handle, want 204 after 1", status, handled)
	}
}

// patient is a memory that does nothing after the context has ended, like a database.
type patient struct{ *webhook.Recent }

func (p patient) Note(ctx context.Context, ids ...string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return p.Recent.Note(ctx, ids...)
}

type broken struct{}

func (broken) Knows(context.Context, string) (bool, error) { return false, errors.New("no connection") }
func (broken) Note(context.Context, ...string) error       { return errors.New("no connection") }

func TestRecent(t *testing.T) {
	t.Parallel()
	r := webhook.NewRecent(3)
	ctx := context.Background()
	_ = r.Note(ctx, "a", "b", "a", "c", "d")
	for id, want := range map[string]bool{"a": false, "b": true, "c": true, "d": true, "e": false} {
		if known, err := r.Knows(ctx, id); known != want || err != nil {
			t.Errorf("Knows(%s): got %t (%v), want %t", id, known, err, want)
		}
	}
	none := webhook.NewRecent(0)
	_ = none.Note(ctx, "a", "b")
	if known, _ := none.Knows(ctx, "b"); !known {
		t.Error("Knows of the last id: got false, want true")
	}
}
