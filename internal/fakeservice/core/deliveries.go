package core

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// After which pauses a failed delivery is repeated, and after how many failures in a row,
// over all deliveries of an endpoint, the endpoint is disabled (SERVICE.md#webhooks).
var retryPauses = [...]time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 12 * time.Hour}

const failuresAllowed = 20

const (
	// deliveriesKept is how many deliveries of an endpoint are kept that have ended.
	deliveriesKept = 50
	// deliveriesAtOnce is how many attempts at one endpoint are under way at most, so
	// that one that hangs is not flooded.
	deliveriesAtOnce = 4
)

// States of a delivery.
const (
	DeliveryPending   = "pending"
	DeliveryDelivered = "delivered"
	DeliveryGivenUp   = "given_up"
)

// Courier takes deliveries to their endpoints.
type Courier interface {
	// Deliver tries once, and tells what came of it. ctx ends with the service.
	Deliver(ctx context.Context, d Delivery) Outcome
}

// Delivery is an event on its way to an endpoint: what is sent, and where to. ID is the
// same in each attempt, and Body the same to the byte.
type Delivery struct {
	ID, Type, URL, Secret string
	Body                  []byte
}

// Outcome is what came of an attempt: the receiver's status and the end of its answer, or
// why there was none.
type Outcome struct {
	Status          int
	Answer, Problem string
}

func (o Outcome) delivered() bool { return o.Status >= 200 && o.Status < 300 }

// Attempt is one attempt at a delivery. Status is 0 where there was no answer, and Problem
// then says why.
type Attempt struct {
	At      time.Time `json:"at"`
	Status  int       `json:"status"`
	Answer  string    `json:"answer"`
	Problem string    `json:"problem"`
}

// delivery is an event for one endpoint. It is written down with the event, so that it is
// sent by whoever starts with the records, under the same id.
type delivery struct {
	ID        string
	Sequence  int
	WebhookID string
	EventID   string
	Type      string
	// Body is what is signed and sent.
	Body      string
	State     string
	CreatedAt time.Time
	// Due is when it is tried next; zero once it has ended.
	Due      time.Time
	Attempts []Attempt

	// errand is the attempt under way. Nothing else is due of a delivery that has one.
	errand *errand
}

// post puts an event into the outbox of each endpoint that is enabled.
func (st *state) post(e Event) {
	if st.store.courier == nil {
		return
	}
	for _, w := range st.Webhooks {
		if w.Enabled {
			st.postTo(w, e)
		}
	}
}

func (st *state) postTo(w *Webhook, e Event) *delivery {
	body, err := json.Marshal(e.Record())
	if err != nil {
		st.log.Error("an event cannot be delivered", "event", e.ID, "error", err)
		return nil
	}
	d := &delivery{
		ID: newID("dlv"), Sequence: st.next(), WebhookID: w.ID, EventID: e.ID, Type: e.Type,
		Body: string(body), State: DeliveryPending, CreatedAt: st.Now, Due: st.Now,
	}
	st.Deliveries = add(st, st.Deliveries, d)
	st.outbox = append(st.outbox, d)
	return d
}

// nextDelivery is the delivery that is to be tried first, or nil.
func (st *state) nextDelivery() *delivery {
	underWay := map[string]int{}
	for _, d := range st.outbox {
		if d.errand != nil {
			underWay[d.WebhookID]++
		}
	}
	var first *delivery
	for _, d := range st.outbox {
		if d.errand == nil && underWay[d.WebhookID] < deliveriesAtOnce && (first == nil || d.Due.Before(first.Due)) {
			first = d
		}
	}
	return first
}

// attempt sends a delivery, while the store is unlocked. What is due of an endpoint that
// was disabled meanwhile is given up.
func (st *state) attempt(d *delivery) {
	w, err := st.webhook(d.WebhookID)
	if err != nil || !w.Enabled {
		st.endDelivery(d, DeliveryGivenUp)
		return
	}
	began, sent := st.Now, Delivery{ID: d.ID, Type: d.Type, URL: w.URL, Secret: w.Secret, Body: []byte(d.Body)}
	var came Outcome
	d.errand = st.store.launch(func(ctx context.Context) error {
		came = st.store.courier.Deliver(ctx, sent)
		return nil
	}, func(err error) {
		if d.errand = nil; err != nil {
			// It was never sent, by a failure of the fake's own.
			d.Due = st.Now.Add(retryPauses[0])
			st.touch(d)
			return
		}
		st.attempted(d, Attempt{began, came.Status, came.Answer, came.Problem}, came.delivered())
	})
}

// attempted notes what came of an attempt.
func (st *state) attempted(d *delivery, a Attempt, delivered bool) {
	w, err := st.webhook(d.WebhookID)
	if err != nil {
		return // it is gone, and its deliveries with it
	}
	st.touch(d)
	d.Attempts = append(d.Attempts, a)
	st.log.Info("webhook delivery attempted", "delivery", d.ID, "webhook", w.ID, "type", d.Type, "attempt", len(d.Attempts), "status", a.Status, "problem", a.Problem)
	if delivered {
		w.ConsecutiveFailures = 0
		st.endDelivery(d, DeliveryDelivered)
		return
	}
	if w.Enabled {
		w.ConsecutiveFailures++
		if w.Enabled = w.ConsecutiveFailures < failuresAllowed; !w.Enabled {
			st.log.Warn("webhook endpoint disabled", "webhook", w.ID, "consecutive_failures", w.ConsecutiveFailures)
		}
	}
	if len(d.Attempts) > len(retryPauses) {
		st.endDelivery(d, DeliveryGivenUp)
		return
	}
	d.Due = st.Now.Add(retryPauses[len(d.Attempts)-1])
}

// endDelivery ends a delivery. The oldest that have ended go, once there are too many of
// its endpoint.
func (st *state) endDelivery(d *delivery, as string) {
	st.touch(d)
	d.State, d.Due = as, time.Time{}
	st.outbox = slices.DeleteFunc(st.outbox, func(other *delivery) bool { return other == d })
	surplus := -deliveriesKept
	for _, other := range st.Deliveries {
		if other.WebhookID == d.WebhookID && other.State != DeliveryPending {
			surplus++
		}
	}
	st.Deliveries = remove(st, st.Deliveries, func(other *delivery) bool {
		gone := surplus > 0 && other.WebhookID == d.WebhookID && other.State != DeliveryPending
		if gone {
			surplus--
		}
		return gone
	})
}

// abandonDeliveries takes the deliveries of an endpoint away that goes.
func (st *state) abandonDeliveries(webhookID string) {
	ofIt := func(d *delivery) bool { return d.WebhookID == webhookID }
	for _, d := range st.outbox {
		if ofIt(d) {
			d.abandon()
		}
	}
	st.outbox = slices.DeleteFunc(st.outbox, ofIt)
	st.Deliveries = remove(st, st.Deliveries, ofIt)
}

// abandon breaks the attempt off that is under way.
func (d *delivery) abandon() {
	if d.errand != nil {
		d.errand.cancel()
	}
}

// attemptsUnderWay are the attempts that have yet to return.
func (st *state) attemptsUnderWay() []*errand {
	var all []*errand
	for _, d := range st.outbox {
		if d.errand != nil && !d.errand.returned {
			all = append(all, d.errand)
		}
	}
	return all
}

// DeliveryRecord is a delivery as its endpoint's page shows it. State is pending,
// delivered or given_up; Event is the body that is sent.
type DeliveryRecord struct {
	ID            string          `json:"id"`
	WebhookID     string          `json:"webhook_id"`
	EventID       string          `json:"event_id"`
	Type          string          `json:"type"`
	State         string          `json:"state"`
	CreatedAt     time.Time       `json:"created_at"`
	NextAttemptAt *time.Time      `json:"next_attempt_at"`
	Attempts      []Attempt       `json:"attempts"`
	Event         json.RawMessage `json:"event"`
}

func (d *delivery) record() DeliveryRecord {
	return DeliveryRecord{
		ID: d.ID, WebhookID: d.WebhookID, EventID: d.EventID, Type: d.Type, State: d.State, CreatedAt: d.CreatedAt,
		NextAttemptAt: timeOrNil(d.Due), Attempts: append([]Attempt{}, d.Attempts...), Event: json.RawMessage(d.Body),
	}
}

// Deliveries lists the deliveries of an endpoint, the newest first: those that are pending,
// and the last ones that have ended.
func (s *Service) Deliveries(webhookID string) ([]DeliveryRecord, error) {
	return look(context.Background(), s, func(st *state) ([]DeliveryRecord, error) {
		if _, err := st.webhook(webhookID); err != nil {
			return nil, err
		}
		list := []DeliveryRecord{}
		for _, d := range slices.Backward(st.Deliveries) {
			if d.WebhookID == webhookID {
				list = append(list, d.record())
			}
		}
		return list, nil
	})
}

// SendTestEvent sends one endpoint an event of the type test, which is for trying a
// receiver out. It is in no list of events.
func (s *Service) SendTestEvent(webhookID string) (DeliveryRecord, error) {
	return change(s, func(st *state) (DeliveryRecord, error) {
		w, err := st.webhook(webhookID)
		switch {
		case err != nil:
			return DeliveryRecord{}, err
		case st.store.courier == nil:
			return DeliveryRecord{}, unavailable("webhooks are not delivered here")
		case !w.Enabled:
			return DeliveryRecord{}, invalid("enabled", "the endpoint is disabled")
		}
		e := Event{ID: newID("evt"), Type: "test", At: st.Now, Data: map[string]any{"webhook_id": w.ID}}
		return st.postTo(w, e).record(), nil
	})
}
