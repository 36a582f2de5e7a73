package fakeservicetest

import (
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/webhooks"
	"github.com/instance-hosting/terraform-provider-hosting/internal/signed"
)

// Delivering makes a fake deliver everything to one receiver, whatever the endpoint's URL.
func Delivering(to http.Handler) func(*fakeservice.Options) {
	return func(o *fakeservice.Options) {
		o.Courier = webhooks.New(webhooks.Options{Transport: gateway.Transport{Handler: to}})
	}
}

// Inbox is a receiver that keeps the first delivery of each event. A delivery that is not
// signed with its secret fails the test.
type Inbox struct {
	t      testing.TB
	secret string
	mu     sync.Mutex
	came   []signed.Delivery
}

// NewInbox returns the inbox of an endpoint with this secret.
func NewInbox(t testing.TB, secret string) *Inbox { return &Inbox{t: t, secret: secret} }

// ServeHTTP stores a delivery.
func (b *Inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest) // the delivery comes again
		return
	}
	d, err := signed.Verify(body, r.Header, b.secret)
	if err != nil {
		b.t.Errorf("verify a delivery: %s", err)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.ContainsFunc(b.came, func(known signed.Delivery) bool { return known.ID == d.ID || known.Event.ID == d.Event.ID }) {
		b.came = append(b.came, d)
	}
	w.WriteHeader(http.StatusNoContent)
}

// Deliveries returns the stored deliveries, in the order of arrival.
func (b *Inbox) Deliveries() []signed.Delivery {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.came)
}
