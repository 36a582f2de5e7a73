package core

import "context"

// Account is the customer's account with the profile that is printed on receipts.
type Account struct {
	ID      string  `json:"id"`
	Email   string  `json:"email"`
	Name    *string `json:"name"`
	Company *string `json:"company"`
	Address *string `json:"address"`
	VATID   *string `json:"vat_id"`
}

// newAccount makes an account with a new id, so that two fakes are two accounts.
func newAccount() Account {
	name := "Fake Customer"
	return Account{ID: newID("acc"), Email: "customer@example.com", Name: &name}
}

// Account returns the account of the key.
func (s *Service) Account(ctx context.Context) (Account, error) {
	return look(ctx, s, func(st *state) (Account, error) { return st.Account, nil })
}

// AccountID returns the id of the account, which is the same for every key.
func (s *Service) AccountID() string {
	id := ""
	s.store.read(0, func(st *state) { id = st.Account.ID })
	return id
}

// ProfileChange has the new values of profile fields, by field. A nil value empties the
// field.
type ProfileChange map[string]*string

// UpdateProfile changes the fields that wanted contains.
func (s *Service) UpdateProfile(wanted ProfileChange) (Account, error) {
	return change(s, func(st *state) (Account, error) {
		next := st.Account
		for name, field := range Fields(&next) {
			value, sent := wanted[name]
			if field, ofProfile := field.(**string); ofProfile && sent {
				*field = value
			}
		}
		st.Account = next
		return next, nil
	})
}
