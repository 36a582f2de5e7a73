package fakeservicetest

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/webhooks"
	"github.com/instance-hosting/terraform-provider-hosting/webhook"
)

// Delivering makes a fake deliver to a receiver, wherever an endpoint is.
func Delivering(to http.Handler) func(*fakeservice.Options) {
	return func(o *fakeservice.Options) {
		o.Courier = webhooks.New(webhooks.Options{Transport: gateway.Transport{Handler: to}})
	}
}

// Inbox is a receiver that keeps what came, verified and once. A delivery that it refuses
// fails the test.
type Inbox struct {
	webhook.Receiver
	mu   sync.Mutex
	came []webhook.Delivery
}

// NewInbox is an inbox of an endpoint that has a secret.
func NewInbox(t testing.TB, secret string) *Inbox {
	b := &Inbox{}
	b.Secrets = []string{secret}
	b.Handle = func(_ context.Context, d webhook.Delivery) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.came = append(b.came, d)
		return nil
	}
	b.Refused = func(err error) { t.Errorf("a delivery is refused: %s", err) }
	return b
}

// Deliveries are what came, in the order of its coming.
func (b *Inbox) Deliveries() []webhook.Delivery {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.came)
}
