package fakeservice_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/setup"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// accountOf returns the account's id as the API shows it to a key.
func (a *api) accountOf(key string) string {
	a.t.Helper()
	return a.want(http.StatusOK, "", http.MethodGet, "/me", nil, "Authorization", "Bearer "+key).string("id")
}

// withAccount sets the id of the account.
func withAccount(id string) func(*fakeservice.Options) {
	return func(o *fakeservice.Options) { o.Setup = o.Setup.WithAccountID(id) }
}

// Two fakes can have the same account through their setup.
func TestAccountIDOfASetup(t *testing.T) {
	t.Parallel()
	for range 2 {
		a := start(t, withAccount("acc-shop"))
		equal(t, "the id", a.accountOf(a.APIKey()), "acc-shop")
		a.Reset()
		equal(t, "the id after a reset", a.AccountID(), "acc-shop")
	}
	read := must.Get(setup.Read(strings.NewReader(`{"account": {"id": "acc-shop", "company": "Shop Ltd"}}`)))(t)
	a := start(t, func(o *fakeservice.Options) { o.Setup = read }, withAccount(""))
	got := a.call(http.MethodGet, "/me", nil)
	if got.string("id") == "acc-shop" || got.string("company") != "Shop Ltd" {
		t.Errorf("the account without the setup's id: got %v, want another id than acc-shop and the company Shop Ltd", got.body)
	}
	equal(t, "the setup that was copied", start(t, func(o *fakeservice.Options) { o.Setup = read }).AccountID(), "acc-shop")
}

// A snapshot contains the account's id, and a restore in any fake sets it.
func TestSnapshotHasTheAccountID(t *testing.T) {
	t.Parallel()
	a, other := start(t), start(t)
	id := a.AccountID()
	a.told("POST", "/snapshots", `{"name": "before"}`)
	if status, answer := other.raw("PUT", "/_fake/snapshots/theirs", a.download("before")); status != http.StatusOK {
		t.Fatalf("the upload: got %d %s, want 200", status, answer)
	}
	a.told("POST", "/snapshots/before/restore", "")
	other.told("POST", "/snapshots/theirs/restore", "")
	equal(t, "the id after the restore", a.AccountID(), id)
	equal(t, "the id of the fake that took the snapshot over", other.accountOf(other.APIKey()), id)
}
