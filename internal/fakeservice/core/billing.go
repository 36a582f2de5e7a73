package core

import (
	"context"
	"slices"
	"time"
)

// subscription is the account's subscription for an instance.
type subscription struct {
	InstanceID string
	// Sequence orders subscriptions.
	Sequence int
	Plan     Plan
	Status   string // pending, active or cancelled
	RenewsAt time.Time
}

// charge is a single payment. It never changes.
type charge struct {
	ID, InstanceID string
	// Sequence orders charges.
	Sequence    int
	AmountCents int
	Currency    string
	At          time.Time
	Description string
}

// subscribe adds the subscription of an instance. A paid plan is pending until its
// checkout.
func (st *state) subscribe(instanceID string, plan Plan, pending bool) {
	status := "active"
	if pending {
		status = "pending"
	}
	st.Subscriptions = add(st, st.Subscriptions, &subscription{InstanceID: instanceID, Sequence: st.next(), Plan: plan, Status: status})
}

// subscription returns the subscription of an instance, or nil. The caller may change it.
func (st *state) subscription(instanceID string) *subscription {
	at := slices.IndexFunc(st.Subscriptions, func(s *subscription) bool { return s.InstanceID == instanceID })
	if at < 0 {
		return nil
	}
	st.touch(st.Subscriptions[at])
	return st.Subscriptions[at]
}

// payFor makes a pending subscription active and charges for the first month.
func (st *state) payFor(instanceID string) {
	s := st.subscription(instanceID)
	if s == nil || s.Status != "pending" {
		return
	}
	s.Status = "active"
	s.RenewsAt = st.Now.AddDate(0, 1, 0)
	st.charge(s, s.Plan.PriceCents, st.Now, s.Plan.Name+", first month")
}

// movePlan changes the plan and charges the difference if the new one costs more.
func (st *state) movePlan(instanceID string, plan Plan) {
	s := st.subscription(instanceID)
	if s == nil {
		return
	}
	if more := plan.PriceCents - s.Plan.PriceCents; more > 0 {
		st.charge(s, more, st.Now, "Change from "+s.Plan.Name+" to "+plan.Name)
	}
	s.Plan = plan
	switch {
	case plan.PriceCents == 0:
		s.RenewsAt = time.Time{}
	case s.RenewsAt.IsZero():
		s.RenewsAt = st.Now.AddDate(0, 1, 0)
	}
}

func (st *state) cancelSubscription(instanceID string) {
	if s := st.subscription(instanceID); s != nil {
		s.Status = "cancelled"
		s.RenewsAt = time.Time{}
	}
	st.forgetCancelled()
}

// forgetCancelled removes the oldest cancelled subscriptions if there are too many.
func (st *state) forgetCancelled() {
	left := surplus(len(st.Subscriptions))
	if left == 0 {
		return
	}
	st.Subscriptions = remove(st, st.Subscriptions, func(s *subscription) bool {
		gone := left > 0 && s.Status == "cancelled"
		if gone {
			left--
		}
		return gone
	})
}

// renew charges for the months that have begun.
func (st *state) renew() {
	for _, s := range st.Subscriptions {
		if !s.RenewsAt.IsZero() && !s.RenewsAt.After(st.Now) {
			st.touch(s)
			st.charge(s, s.Plan.PriceCents, s.RenewsAt, s.Plan.Name+", next month")
			s.RenewsAt = s.RenewsAt.AddDate(0, 1, 0)
		}
	}
}

// nextRenewal returns the time at which the next month of a subscription begins, or zero.
func (st *state) nextRenewal() time.Time {
	var next time.Time
	for _, s := range st.Subscriptions {
		if !s.RenewsAt.IsZero() && (next.IsZero() || s.RenewsAt.Before(next)) {
			next = s.RenewsAt
		}
	}
	return next
}

func (st *state) charge(s *subscription, cents int, at time.Time, description string) {
	if cents > 0 {
		st.Charges = keep(st, st.Charges, &charge{newID("chg"), s.InstanceID, st.next(), cents, s.Plan.Currency, at, description})
	}
}

// BillingRecord has the account's subscriptions and charges, as the API shows them.
type BillingRecord struct {
	Subscriptions []SubscriptionRecord `json:"subscriptions"`
	// Charges has the newest charge first.
	Charges    []ChargeRecord `json:"charges"`
	NextCursor string         `json:"next_cursor,omitempty"`
}

// SubscriptionRecord is the subscription of one instance, as the API shows it.
type SubscriptionRecord struct {
	InstanceID string     `json:"instance_id"`
	Plan       string     `json:"plan"`
	Status     string     `json:"status"`
	PriceCents int        `json:"price_cents"`
	Currency   string     `json:"currency"`
	RenewsAt   *time.Time `json:"renews_at"`
}

// ChargeRecord is a single payment, as the API shows it.
type ChargeRecord struct {
	ID          string    `json:"id"`
	InstanceID  string    `json:"instance_id"`
	AmountCents int       `json:"amount_cents"`
	Currency    string    `json:"currency"`
	At          time.Time `json:"at"`
	Description string    `json:"description"`
}

// Billing returns the account's subscriptions and charges.
func (s *Service) Billing(ctx context.Context) (BillingRecord, error) {
	return look(ctx, s, func(st *state) (BillingRecord, error) {
		record := BillingRecord{Subscriptions: []SubscriptionRecord{}, Charges: []ChargeRecord{}}
		for _, sub := range st.Subscriptions {
			record.Subscriptions = append(record.Subscriptions, SubscriptionRecord{
				sub.InstanceID, sub.Plan.ID, sub.Status, sub.Plan.PriceCents, sub.Plan.Currency, timeOrNil(sub.RenewsAt),
			})
		}
		for _, c := range st.Charges {
			record.Charges = append(record.Charges, ChargeRecord{c.ID, c.InstanceID, c.AmountCents, c.Currency, c.At, c.Description})
		}
		slices.Reverse(record.Charges)
		return record, nil
	})
}

// BillingPage returns a page of at most limit charges, up to PageLimit, after a cursor.
// Only the first page has the subscriptions. The cursor is the number of older charges.
func (s *Service) BillingPage(ctx context.Context, cursor string, limit int) (BillingRecord, error) {
	record, err := s.Billing(ctx)
	if err != nil {
		return BillingRecord{}, err
	}
	record.Charges, record.NextCursor, err = pageOf(record.Charges, cursor, limit)
	if cursor != "" {
		record.Subscriptions = []SubscriptionRecord{}
	}
	return record, err
}
