package hostingtest

import (
	"encoding/json"
	"time"
)

// Delivery is an event on its way to an endpoint, with its attempts.
type Delivery struct {
	ID, WebhookID, EventID string
	// Type is the event's type.
	Type string
	// State is pending, delivered or given_up.
	State     string
	CreatedAt time.Time
	// NextAttemptAt is nil unless the delivery is pending.
	NextAttemptAt *time.Time
	Attempts      []Attempt
	// Event is the body that is sent.
	Event json.RawMessage
}

// Deliveries returns the deliveries of an endpoint, newest first: all pending ones, and
// the most recent of the others. After Advance, even Advance(0), every due delivery has
// been attempted. Deliveries returns an error if the endpoint does not exist.
func (s *Service) Deliveries(webhookID string) ([]Delivery, error) {
	deliveries, err := s.fake.Deliveries(webhookID)
	return each(deliveries, deliveryOf), err
}

// Emit emits an event, such as health_alert, without a cause. data may be nil.
func (s *Service) Emit(kind, instanceID string, data map[string]any) {
	s.fake.Emit(kind, instanceID, data)
}
