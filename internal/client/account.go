package client

import (
	"context"
	"net/http"
)

// An Account is the customer whom the API key acts as.
type Account struct {
	ID      string `json:"id"`
	Email   string `json:"email"`
	Name    string `json:"name"`
	Company string `json:"company"`
	Address string `json:"address"`
	VATID   string `json:"vat_id"`
}

// A ProfileChange is what changes of the profile, which goes on receipts; what
// is nil stays.
type ProfileChange struct {
	Name    *string `json:"name,omitempty"`
	Company *string `json:"company,omitempty"`
	Address *string `json:"address,omitempty"`
	VATID   *string `json:"vat_id,omitempty"`
}

// Account reads the account.
func (c *Client) Account(ctx context.Context) (Account, error) {
	account, err := get[Account](ctx, c, "me")
	if err == nil && account == (Account{}) {
		err = c.foreign(request{method: http.MethodGet, path: []string{"me"}}, "the answer is not an account")
	}
	return account, err
}

// UpdateProfile changes the account's profile.
func (c *Client) UpdateProfile(ctx context.Context, change ProfileChange) (Account, error) {
	account, err := do[Account](ctx, c, request{method: http.MethodPatch, path: []string{"me"}, body: change})
	if err == nil && account == (Account{}) {
		return c.Account(ctx) // the answer is not the record
	}
	return account, err
}

// Billing is what the account pays for.
type Billing struct {
	Subscriptions []Subscription `json:"subscriptions"`
	Charges       []Charge       `json:"charges"`
}

// A Subscription pays for one instance.
type Subscription struct {
	InstanceID string `json:"instance_id"`
	Plan       string `json:"plan"`
	Status     string `json:"status"` // pending, active, cancelled
	PriceCents int64  `json:"price_cents"`
	Currency   string `json:"currency"`
	RenewsAt   Time   `json:"renews_at"`
}

// A Charge is one payment.
type Charge struct {
	ID          string `json:"id"`
	InstanceID  string `json:"instance_id"`
	AmountCents int64  `json:"amount_cents"`
	Currency    string `json:"currency"`
	At          Time   `json:"at"`
	Description string `json:"description"`
}

// Billing reads subscriptions and charges.
func (c *Client) Billing(ctx context.Context) (Billing, error) {
	answer, err := get[struct {
		Subscriptions Maybe[[]Subscription] `json:"subscriptions"`
		Charges       Maybe[[]Charge]       `json:"charges"`
	}](ctx, c, "billing")
	if err == nil && !answer.Subscriptions.Set && !answer.Charges.Set {
		err = c.foreign(request{method: http.MethodGet, path: []string{"billing"}}, "the answer has neither subscriptions nor charges")
	}
	return Billing{Subscriptions: answer.Subscriptions.Value, Charges: answer.Charges.Value}, err
}

// AppsGuide reads the apps hosting contract as markdown.
func (c *Client) AppsGuide(ctx context.Context) (string, error) {
	call, err := c.send(ctx, request{method: http.MethodGet, path: []string{"guides", "apps"}, accept: "text/markdown"})
	if err != nil {
		return "", err
	}
	return string(call.answer.body), nil
}
