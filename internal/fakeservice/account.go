package fakeservice

import (
	"encoding/json"
	"net/http"
)

// account is the customer and what goes on receipts.
type account struct {
	ID      string  `json:"id"`
	Email   string  `json:"email"`
	Name    *string `json:"name"`
	Company *string `json:"company"`
	Address *string `json:"address"`
	VATID   *string `json:"vat_id"`
}

func seedAccount() account {
	name := "Fake Customer"
	return account{ID: "acc-1", Email: "customer@example.com", Name: &name}
}

func (st *state) getAccount(*call) response { return answer(http.StatusOK, st.account) }

// updateAccount changes the fields that are sent; null empties one.
func (st *state) updateAccount(c *call) response {
	var change map[string]json.RawMessage
	if err := c.decode(&change); err != nil {
		return fail(err)
	}
	next := st.account
	for field, target := range map[string]**string{
		"name": &next.Name, "company": &next.Company, "address": &next.Address, "vat_id": &next.VATID,
	} {
		text, sent := change[field]
		if !sent {
			continue
		}
		// A fresh variable, as decoding into the old one would change a string
		// that an answer given before still points to.
		var value *string
		if err := json.Unmarshal(text, &value); err != nil {
			return fail(badRequest("%s: %s", field, err))
		}
		*target = value
	}
	st.account = next
	return answer(http.StatusOK, st.account)
}
