package core

import "testing"

// A stored account id survives, even the one that an earlier edition used for every fake,
// because Terraform states refer to it.
func TestKeptAccountIDStays(t *testing.T) {
	t.Parallel()
	m := newMemory()
	m.entries["Account"] = []byte(`{"id":"acc-1","email":"customer@example.com","name":"Fake Customer","company":null,"address":null,"vat_id":null}`)
	if id := open(t, Options{Storage: m}).AccountID(); id != "acc-1" {
		t.Errorf("the account's id: got %q, want acc-1", id)
	}
}
