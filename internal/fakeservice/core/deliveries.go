package core

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// retryPauses has the pauses after which a failed delivery is repeated. failuresAllowed
// is the number of failures in a row, over all deliveries of an endpoint, after which the
// endpoint is disabled (SERVICE.md#webhooks).
var retryPauses = [...]time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 12 * time.Hour}

const failuresAllowed = 20

const (
	// deliveriesKept is the number of ended deliveries that are kept for each endpoint.
	deliveriesKept = 50
	// deliveriesAtOnce is the maximum number of concurrent attempts at one endpoint. It
	// keeps an endpoint that hangs from being flooded.
	deliveriesAtOnce = 4
)

// States of a delivery.
const (
	DeliveryPending   = "pending"
	DeliveryDelivered = "delivered"
	DeliveryGivenUp   = "given_up"
)

// Courier sends deliveries to their endpoints.
type Courier interface {
	// Deliver makes one attempt and returns its outcome. ctx ends with the service.
	Deliver(ctx context.Context, d Delivery) Outcome
}

// Delivery is an event to be sent to an endpoint. ID and Body are exactly the same in
// each attempt.
type Delivery struct {
	ID, Type, URL, Secret string
	Body                  []byte
}

// Outcome is the result of an attempt: the receiver's status and the end of its answer,
// or the reason that no answer came.
type Outcome struct {
	Status          int
	Answer, Problem string
}

func (o Outcome) delivered() bool { return o.Status >= 200 && o.Status < 300 }

// delivery is an event for one endpoint. It is stored together with the event, so that
// the next program that opens the records sends it under the same id.
type delivery struct {
	ID        string
	Sequence  int
	WebhookID string
	EventID   string
	Type      string
	// Body is signed and sent.
	Body      string
	State     string
	CreatedAt time.Time
	// Due is the time of the next attempt. It is zero once the delivery has ended.
	Due      time.Time
	Attempts []Attempt

	// work is the attempt in progress. While there is one, the delivery is not due.
	work *workInProgress
}

// post adds an event to the outbox of each enabled endpoint.
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
	body, err := json.Marshal(EventRecordOf(e))
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

// nextDelivery returns the delivery with the earliest next attempt, or nil.
func (st *state) nextDelivery() *delivery {
	underWay := map[string]int{}
	for _, d := range st.outbox {
		if d.work != nil {
			underWay[d.WebhookID]++
		}
	}
	var first *delivery
	for _, d := range st.outbox {
		if d.work == nil && underWay[d.WebhookID] < deliveriesAtOnce && (first == nil || d.Due.Before(first.Due)) {
			first = d
		}
	}
	return first
}

// attempt sends a delivery while the store is unlocked. If the endpoint has been disabled
// since, the delivery is given up.
func (st *state) attempt(d *delivery) {
	w, err := st.webhook(d.WebhookID)
	if err != nil || !w.Enabled {
		st.endDelivery(d, DeliveryGivenUp)
		return
	}
	began, sent := st.Now, Delivery{ID: d.ID, Type: d.Type, URL: w.URL, Secret: w.Secret, Body: []byte(d.Body)}
	var came Outcome
	d.work = st.store.launch(func(ctx context.Context) error {
		came = st.store.courier.Deliver(ctx, sent)
		return nil
	}, func(err error) {
		if d.work = nil; err != nil {
			// An internal error in the fake: the delivery was not sent.
			d.Due = st.Now.Add(retryPauses[0])
			st.touch(d)
			return
		}
		st.attempted(d, Attempt{At: began, Status: came.Status, Answer: came.Answer, Problem: came.Problem}, came.delivered())
	})
}

// attempted records the outcome of an attempt.
func (st *state) attempted(d *delivery, a Attempt, delivered bool) {
	w, err := st.webhook(d.WebhookID)
	if err != nil {
		return // the endpoint was deleted with its deliveries
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

// endDelivery ends a delivery. It removes the oldest ended deliveries of the endpoint if
// there are too many.
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

// abandonDeliveries removes the deliveries of an endpoint that is being deleted.
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

// abandon cancels the attempt in progress.
func (d *delivery) abandon() {
	if d.work != nil {
		d.work.cancel()
	}
}

// attemptsUnderWay returns the attempts that have not returned.
func (st *state) attemptsUnderWay() []*workInProgress {
	var all []*workInProgress
	for _, d := range st.outbox {
		if d.work != nil && !d.work.returned {
			all = append(all, d.work)
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

// Deliveries lists the deliveries of an endpoint, the newest first. It includes those
// that are pending and the last ones that have ended.
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

// SendTestEvent sends an event of the type test to one endpoint, so that its owner can
// try it. The event is not in the list of events.
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
