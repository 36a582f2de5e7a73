package core

import (
	"context"
	"slices"
	"time"
)

// billing is what the account pays for and has paid.
type billing struct {
	subscriptions []*subscription // in order of creation
	charges       []charge
}

type subscription struct {
	instanceID string
	plan       Plan
	status     string // pending, active or cancelled
	renewsAt   time.Time
}

type charge struct {
	id, instanceID string
	amountCents    int
	currency       string
	at             time.Time
	description    string
}

// subscribe adds an instance. A paid plan is pending until its checkout.
func (b *billing) subscribe(instanceID string, plan Plan, pending bool) {
	status := "active"
	if pending {
		status = "pending"
	}
	b.subscriptions = append(b.subscriptions, &subscription{instanceID: instanceID, plan: plan, status: status})
}

func (b *billing) find(instanceID string) *subscription {
	at := slices.IndexFunc(b.subscriptions, func(s *subscription) bool { return s.instanceID == instanceID })
	if at < 0 {
		return nil
	}
	return b.subscriptions[at]
}

// pay makes a pending subscription active and charges for the first month.
func (b *billing) pay(instanceID string, now time.Time) {
	s := b.find(instanceID)
	if s == nil || s.status != "pending" {
		return
	}
	s.status = "active"
	s.renewsAt = now.AddDate(0, 1, 0)
	b.charge(s, s.plan.PriceCents, now, s.plan.Name+", first month")
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
	if more := plan.PriceCents - s.plan.PriceCents; more > 0 {
		b.charge(s, more, now, "Change from "+s.plan.Name+" to "+plan.Name)
	}
	s.plan = plan
	switch {
	case plan.PriceCents == 0:
		s.renewsAt = time.Time{}
	case s.renewsAt.IsZero():
		s.renewsAt = now.AddDate(0, 1, 0)
	}
}

func (b *billing) cancel(instanceID string) {
	if s := b.find(instanceID); s != nil {
		s.status = "cancelled"
		s.renewsAt = time.Time{}
	}
}

// renew charges for the months that have begun.
func (b *billing) renew(now time.Time) {
	for _, s := range b.subscriptions {
		if !s.renewsAt.IsZero() && !s.renewsAt.After(now) {
			b.charge(s, s.plan.PriceCents, s.renewsAt, s.plan.Name+", next month")
			s.renewsAt = s.renewsAt.AddDate(0, 1, 0)
		}
	}
}

// nextRenewal is when a month begins next, or zero.
func (b *billing) nextRenewal() time.Time {
	var next time.Time
	for _, s := range b.subscriptions {
		if !s.renewsAt.IsZero() && (next.IsZero() || s.renewsAt.Before(next)) {
			next = s.renewsAt
		}
	}
	return next
}

func (b *billing) charge(s *subscription, cents int, at time.Time, description string) {
	if cents > 0 {
		b.charges = keep(b.charges, charge{newID("chg"), s.instanceID, cents, s.plan.Currency, at, description})
	}
}

// BillingRecord is what the account pays for and has paid, as the API shows it.
type BillingRecord struct {
	Subscriptions []SubscriptionRecord `json:"subscriptions"`
	Charges       []ChargeRecord       `json:"charges"`
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
		for _, sub := range st.billing.subscriptions {
			record.Subscriptions = append(record.Subscriptions, SubscriptionRecord{
				sub.instanceID, sub.plan.ID, sub.status, sub.plan.PriceCents, sub.plan.Currency, timeOrNil(sub.renewsAt),
			})
		}
		for _, c := range st.billing.charges {
			record.Charges = append(record.Charges, ChargeRecord{c.id, c.instanceID, c.amountCents, c.currency, c.at, c.description})
		}
		return record, nil
	})
}
