package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// An Account is the customer that the API key acts for.
type Account struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Profile
}

// A Profile is printed on receipts. It is in the account's record and in the request that
// changes it. In a change, a field that is not set does not change.
type Profile struct {
	Name    ProfileField `json:"name,omitzero"`
	Company ProfileField `json:"company,omitzero"`
	Address ProfileField `json:"address,omitzero"`
	VATID   ProfileField `json:"vat_id,omitzero"`
}

// A ProfileField is a text of the profile, or "". A null in a record is "".
type ProfileField Maybe[string]

// UnmarshalJSON is called only if the record has the field.
func (f *ProfileField) UnmarshalJSON(raw []byte) error {
	f.Set = true
	return json.Unmarshal(raw, &f.Value)
}

// MarshalJSON writes the text.
func (f ProfileField) MarshalJSON() ([]byte, error) { return json.Marshal(f.Value) }

// Account reads the account.
func (c *Client) Account(ctx context.Context) (Account, error) {
	return c.readAccount(ctx, transport.Request{})
}

func (c *Client) readAccount(ctx context.Context, r transport.Request) (Account, error) {
	r.Method, r.Path = http.MethodGet, []string{"me"}
	account, err := transport.Do[Account](ctx, c.sender, r)
	if err == nil && account == (Account{}) {
		err = c.sender.Foreign(r, "the answer is not an account")
	}
	return account, err
}

// A keyAccount caches the id of the account that the API key acts for.
type keyAccount struct {
	start sync.Once
	first chan struct{} // closed when the first reading has ended, successfully or not
	mu    sync.Mutex
	id    string
	known bool
	// later shares the readings after the first one, even failed ones, so that not every
	// change waits for the retries.
	later *shared[accountID]
}

// An accountID is the result of a reading of the account's id.
type accountID struct {
	id  string
	err error
}

// StartReadingAccountID starts to read the account's id and does not wait for the result.
// The client does this once in its life.
func (c *Client) StartReadingAccountID(ctx context.Context) {
	c.account.start.Do(func() {
		go func() {
			defer close(c.account.first)
			// One attempt is enough: callers that need the id ask again.
			_, _ = c.readAccountID(context.WithoutCancel(ctx), true)
		}()
	})
}

// WaitForAccountID returns the account's id as read by StartReadingAccountID. It waits
// for that reading or for the end of ctx. known is false if the id is not known by then.
// The id is "" if the service returns none.
func (c *Client) WaitForAccountID(ctx context.Context) (id string, known bool) {
	c.StartReadingAccountID(ctx)
	select {
	case <-c.account.first:
	case <-ctx.Done():
	}
	return c.KnownAccountID()
}

// RetryAccountID is like WaitForAccountID, but makes another attempt if the first one
// failed.
func (c *Client) RetryAccountID(ctx context.Context) (id string, known bool) {
	if id, known = c.WaitForAccountID(ctx); known || lifetime.Ended(ctx) {
		return id, known
	}
	id, err := c.rereadAccountID(ctx, true)
	return id, err == nil
}

// KnownAccountID returns the account's id if it has been read. It does not wait.
func (c *Client) KnownAccountID() (id string, known bool) {
	c.account.mu.Lock()
	defer c.account.mu.Unlock()
	return c.account.id, c.account.known
}

// AccountID returns the id of the account that the API key acts for, or "" if the service
// returns none (SERVICE.md#account). The client reads it once in its life. A reading that
// failed is repeated after 30 s.
func (c *Client) AccountID(ctx context.Context) (string, error) {
	if id, known := c.WaitForAccountID(ctx); known {
		return id, nil
	}
	return c.rereadAccountID(ctx, false)
}

// rereadAccountID reads the id again. Concurrent callers share one reading. A failed
// reading is shared, too, until it is 30 s old.
func (c *Client) rereadAccountID(ctx context.Context, poll bool) (string, error) {
	ended, err := c.account.later.get(ctx, strconv.FormatBool(poll), recent(), func(ctx context.Context) (accountID, error) {
		id, err := c.readAccountID(ctx, poll)
		return accountID{id, err}, nil
	})
	if err == nil {
		err = ended.err
	}
	return ended.id, err
}

func (c *Client) readAccountID(ctx context.Context, poll bool) (string, error) {
	account, err := c.readAccount(ctx, transport.Request{Poll: poll, Informs: true})
	if err != nil {
		return "", err
	}
	c.account.mu.Lock()
	defer c.account.mu.Unlock()
	c.account.id, c.account.known = account.ID, true
	return account.ID, nil
}

// Origin returns the scheme, host and port of the base URL in canonical form. The port is
// omitted if it is the default port of the scheme.
func (c *Client) Origin() string {
	host, port := c.base.Host, map[string]string{"https": ":443", "http": ":80"}[c.base.Scheme]
	return c.base.Scheme + "://" + strings.TrimSuffix(host, port)
}

// IsLoopback reports whether the service is on this machine.
func (c *Client) IsLoopback() bool { return transport.IsLoopback(c.base.Hostname()) }

// shownBy reports whether an account shows the change. A field that it lacks decides nothing.
func (change Profile) shownBy(a Account) bool { return IsEmpty(Contradicted(change, a.Profile)) }

// UpdateProfile changes the account's profile, and reads it back unless the answer shows the
// change. An empty change only reads the account, because a service may refuse an empty
// change.
func (c *Client) UpdateProfile(ctx context.Context, change Profile) (Account, error) {
	if IsEmpty(change) {
		return c.Account(ctx)
	}
	account, err := transport.Do[Account](ctx, c.sender, transport.Request{Method: http.MethodPatch, Path: []string{"me"}, Body: change})
	if err != nil || account != (Account{}) && change.shownBy(account) {
		return account, err
	}
	record, err := ReadBack(ctx, c, c.Account, change.shownBy)
	if err != nil && account != (Account{}) {
		return account, nil // the answer is the record
	}
	return record, err
}

// Billing is a list of the account's subscriptions and charges.
type Billing struct {
	Subscriptions []Subscription `json:"subscriptions"`
	Charges       []Charge       `json:"charges"`
}

// A Subscription pays for one instance.
type Subscription struct {
	InstanceID string                  `json:"instance_id"`
	Plan       string                  `json:"plan"`
	Status     Word                    `json:"status"` // pending, active, cancelled
	PriceCents Informal[Maybe[Amount]] `json:"price_cents"`
	Currency   string                  `json:"currency"`
	RenewsAt   Time                    `json:"renews_at"`
}

// A Charge is one payment.
type Charge struct {
	ID          string                  `json:"id"`
	InstanceID  string                  `json:"instance_id"`
	AmountCents Informal[Maybe[Amount]] `json:"amount_cents"`
	Currency    string                  `json:"currency"`
	At          Time                    `json:"at"`
	Description string                  `json:"description"`
}

// Identifier returns the charge's id.
func (c Charge) Identifier() string { return c.ID }

// Billing reads subscriptions and charges. The charges are paged, and all subscriptions
// are on the first page.
func (c *Client) Billing(ctx context.Context) (Billing, error) {
	r := listing{Request: transport.Request{Path: []string{"billing"}}}
	var subscriptions page[Subscription]
	r.first = func(members map[string]json.RawMessage) error {
		raw, ok := members["subscriptions"]
		if !ok {
			return nil
		}
		var err error
		subscriptions, err = decodePage[Subscription](raw, "subscriptions")
		if shifted := (*ShiftedListError)(nil); err == nil || errors.As(err, &shifted) {
			return err
		}
		return c.sender.Unreadable(r.Request, err)
	}
	charges, err := listAll[Charge](ctx, c, "charges", r)
	if partial := (*PartialListError)(nil); len(subscriptions.unreadable) > 0 && (err == nil || errors.As(err, &partial)) {
		unreadable := subscriptions.unreadable
		if partial != nil {
			unreadable = append(unreadable, partial.Unreadable...)
		}
		err = &PartialListError{Path: r.Path, Unreadable: unreadable}
	}
	return Billing{Subscriptions: subscriptions.items, Charges: charges}, err
}

// AppsGuide reads the apps hosting contract as markdown.
func (c *Client) AppsGuide(ctx context.Context) (string, error) {
	call, err := c.sender.Send(ctx, transport.Request{Method: http.MethodGet, Path: []string{"guides", "apps"}, Accept: "text/markdown"})
	if err != nil {
		return "", err
	}
	return string(call.ResponseBody()), nil
}
