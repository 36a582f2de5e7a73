package hostingtest

import (
	"net/http"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/webhooks"
)

type (
	// Delivery is an event on its way to an endpoint, with what its receiver answered.
	Delivery = fakeservice.Delivery
	// Attempt is one attempt at a delivery.
	Attempt = fakeservice.Attempt
)

// WithReceiver delivers webhooks to a handler, in this process and without a network,
// whatever the URLs of the endpoints; the request has the URL. Without it events go
// nowhere. Package webhook verifies what comes.
func WithReceiver(receiver http.Handler) Option {
	return func(o *fakeservice.Options) {
		o.Courier = webhooks.New(webhooks.Options{Transport: gateway.Transport{Handler: receiver}})
	}
}

// Deliveries are those of an endpoint, the newest first: those that are pending, and the
// last ones that have ended. Those that are due by the service's clock have been attempted
// once Advance returns, by 0 too. It is an error where there is no such endpoint.
func (s *Service) Deliveries(webhookID string) ([]Delivery, error) {
	return s.fake.Deliveries(webhookID)
}

// Emit lets an event out by itself, such as health_alert. data may be nil.
func (s *Service) Emit(kind, instanceID string, data map[string]any) {
	s.fake.Emit(kind, instanceID, data)
}
