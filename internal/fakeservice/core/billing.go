package core

import (
	"context"
	"slices"
	"time"
)

// billing is what the account pays for and has paid.
type billing struct {
	Subscriptions []*subscription // in order of creation
	Charges       []charge
}

type subscription struct {
	InstanceID string
	Plan       Plan
	Status     string // pending, active or cancelled
	RenewsAt   time.Time
}

type charge struct {
	ID, InstanceID string
	AmountCents    int
	Currency       string
	At             time.Time
	Description    string
}

// subscribe adds an instance. A paid plan is pending until its checkout.
func (b *billing) subscribe(instanceID string, plan Plan, pending bool) {
	status := "active"
	if pending {
		status = "pending"
	}
	b.Subscriptions = append(b.Subscriptions, &subscription{InstanceID: instanceID, Plan: plan, Status: status})
}

func (b *billing) find(instanceID string) *subscription {
	at := slices.IndexFunc(b.Subscriptions, func(s *subscription) bool { return s.InstanceID == instanceID })
	if at < 0 {
		return nil
	}
	return b.Subscriptions[at]
}

// pay makes a pending subscription active and charges for the first month.
func (b *billing) pay(instanceID string, now time.Time) {
	s := b.find(instanceID)
	if s == nil || s.Status != "pending" {
		return
	}
	s.Status = "active"
	s.RenewsAt = now.AddDate(0, 1, 0)
	b.charge(s, s.Plan.PriceCents, now, s.Plan.Name+", first month")
}

// start makes sure that a running instance has an active subscription.
func (b *billing) start(instanceID string, now time.Time) {
	b.pay(instanceID, now)
}

// move changes the plan and charges what the new one costs more.
func (b *billing) move(instanceID string, plan Plan, now time.Time) {
	s := b.find(instanceID)
	if s == nil {
		return
	}
	if more := plan.PriceCents - s.Plan.PriceCents; more > 0 {
		b.charge(s, more, now, "Change from "+s.Plan.Name+" to "+plan.Name)
	}
	s.Plan = plan
	switch {
	case plan.PriceCents == 0:
		s.RenewsAt = time.Time{}
	case s.RenewsAt.IsZero():
		s.RenewsAt = now.AddDate(0, 1, 0)
	}
}

func (b *billing) cancel(instanceID string) {
	if s := b.find(instanceID); s != nil {
		s.Status = "cancelled"
		s.RenewsAt = time.Time{}
	}
	b.forgetCancelled()
}

// forgetCancelled lets the oldest subscriptions go that were cancelled, once there are
// too many.
func (b *billing) forgetCancelled() {
	if len(b.Subscriptions) < recordsKept+recordsKept/8 {
		return
	}
	surplus := len(b.Subscriptions) - recordsKept
	b.Subscriptions = slices.DeleteFunc(b.Subscriptions, func(s *subscription) bool {
		gone := surplus > 0 && s.Status == "cancelled"
		if gone {
			surplus--
		}
		return gone
	})
}

// renew charges for the months that have begun.
func (b *billing) renew(now time.Time) {
	for _, s := range b.Subscriptions {
		if !s.RenewsAt.IsZero() && !s.RenewsAt.After(now) {
			b.charge(s, s.Plan.PriceCents, s.RenewsAt, s.Plan.Name+", next month")
			s.RenewsAt = s.RenewsAt.AddDate(0, 1, 0)
		}
	}
}

// nextRenewal is when a month begins next, or zero.
func (b *billing) nextRenewal() time.Time {
	var next time.Time
	for _, s := range b.Subscriptions {
		if !s.RenewsAt.IsZero() && (next.IsZero() || s.RenewsAt.Before(next)) {
			next = s.RenewsAt
		}
	}
	return next
}

func (b *billing) charge(s *subscription, cents int, at time.Time, description string) {
	if cents > 0 {
		b.Charges = keep(b.Charges, charge{newID("chg"), s.InstanceID, cents, s.Plan.Currency, at, description})
	}
}

// BillingRecord is what the account pays for and has paid, as the API shows it.
type BillingRecord struct {
	Subscriptions []SubscriptionRecord `json:"subscriptions"`
	// Charges are the newest first.
	Charges    []ChargeRecord `json:"charges"`
	NextCursor string         `json:"next_cursor,omitempty"`
}

// SubscriptionRecord is what one instance costs.
type SubscriptionRecord struct {
	InstanceID string     `json:"instance_id"`
	Plan       string     `json:"plan"`
	Status     string     `json:"status"`
	PriceCents int        `json:"price_cents"`
	Currency   string     `json:"currency"`
	RenewsAt   *time.Time `json:"renews_at"`
}

// ChargeRecord is what was paid once.
type ChargeRecord struct {
	ID          string    `json:"id"`
	InstanceID  string    `json:"instance_id"`
	AmountCents int       `json:"amount_cents"`
	Currency    string    `json:"currency"`
	At          time.Time `json:"at"`
	Description string    `json:"description"`
}

// Billing is what the account pays for and has paid.
func (s *Service) Billing(ctx context.Context) (BillingRecord, error) {
	return look(ctx, s, func(st *state) (BillingRecord, error) {
		record := BillingRecord{Subscriptions: []SubscriptionRecord{}, Charges: []ChargeRecord{}}
		for _, sub := range st.Billing.Subscriptions {
			record.Subscriptions = append(record.Subscriptions, SubscriptionRecord{
				sub.InstanceID, sub.Plan.ID, sub.Status, sub.Plan.PriceCents, sub.Plan.Currency, timeOrNil(sub.RenewsAt),
			})
		}
		for _, c := range st.Billing.Charges {
			record.Charges = append(record.Charges, ChargeRecord(c))
		}
		slices.Reverse(record.Charges)
		return record, nil
	})
}

// BillingPage is a page of at most limit charges, up to PageLimit, after a cursor. The
// first page has all subscriptions, the others have none. The cursor is how many
// charges are older.
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
