package base

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/planning"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// otherNote returns the private state of an object of another account.
func otherNote(t *testing.T) providertest.PrivateState {
	t.Helper()
	private, diags := providertest.PrivateState{}, diag.Diagnostics{}
	privatestate.Save(t.Context(), private, privatestate.AccountNoteKey, AccountNote{ID: "acc-another", Origin: "https://hosting.test"}, &diags)
	if diags.HasError() {
		t.Fatal(diags)
	}
	return private
}

// Terraform passes no note to a Create. Once the process has seen a note, Create waits
// for the account.
func TestCreateAfterANoteOfAnotherAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		_, c := providertest.Replicas(t, func(_ http.ResponseWriter, r *http.Request, _ *httptest.ResponseRecorder) bool {
			if r.URL.Path == "/api/v1/me" {
				<-answer
			}
			return false
		})
		b := Resource{Data{Client: c, Account: NewAccountCheck(c), Planned: planning.New()}}
		updated, created := make(chan bool), make(chan bool)
		go func() { updated <- b.MayChange(t.Context(), otherNote(t), &diag.Diagnostics{}) }()
		synctest.Wait()
		go func() { created <- b.MayCreate(t.Context(), &diag.Diagnostics{}) }()
		synctest.Wait()
		close(answer)
		if <-updated {
			t.Error("MayChange of an object of another account: got true, want false")
		}
		if <-created {
			t.Error("MayCreate in another account than the state's: got true, want false")
		}
	})
}

func TestCreateWithoutANote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := providertest.Replicas(t, func(_ http.ResponseWriter, r *http.Request, _ *httptest.ResponseRecorder) bool {
			t.Errorf("requests: got %s %s, want none", r.Method, r.URL)
			return false
		})
		b := Resource{Data{Client: c, Account: NewAccountCheck(c), Planned: planning.New()}}
		if !b.MayCreate(t.Context(), &diag.Diagnostics{}) {
			t.Error("MayCreate without a note: got false, want true")
		}
	})
}

// A note loses its account id only if the object is found at another origin.
func TestNoteOfARunWithoutAnAccountID(t *testing.T) {
	const origin = "https://hosting.test"
	for name, row := range map[string]struct {
		before AccountNote
		id     string // of GET /me
		want   AccountNote
	}{
		"no note":                          {AccountNote{}, "", AccountNote{Origin: origin}},
		"no note, an id":                   {AccountNote{}, "acc-b", AccountNote{ID: "acc-b", Origin: origin}},
		"a note without an id":             {AccountNote{Origin: origin}, "", AccountNote{Origin: origin}},
		"a note without an id, an id":      {AccountNote{Origin: origin}, "acc-b", AccountNote{ID: "acc-b", Origin: origin}},
		"a note with an id":                {AccountNote{ID: "acc-a", Origin: origin}, "", AccountNote{ID: "acc-a", Origin: origin}},
		"a note with an id, another id":    {AccountNote{ID: "acc-a", Origin: origin}, "acc-b", AccountNote{ID: "acc-b", Origin: origin}},
		"a note with an id, another place": {AccountNote{ID: "acc-a", Origin: "https://other.test"}, "", AccountNote{Origin: origin}},
	} {
		t.Run(name, func(t *testing.T) {
			_, c := providertest.Replicas(t, func(w http.ResponseWriter, r *http.Request, newest *httptest.ResponseRecorder) bool {
				providertest.AnswerOlder(w, newest, "id", row.id)
				return true
			})
			private, diags := providertest.PrivateState{}, diag.Diagnostics{}
			if row.before != (AccountNote{}) {
				privatestate.Save(t.Context(), private, privatestate.AccountNoteKey, row.before, &diags)
			}
			b := Resource{Data{Client: c, Account: NewAccountCheck(c)}}
			b.NoteCreated(t.Context(), private, &diags)
			got, _ := privatestate.Load[AccountNote](t.Context(), private, privatestate.AccountNoteKey, &diags)
			if got != row.want || diags.HasError() {
				t.Errorf("the note: got %+v (%v), want %+v", got, diags, row.want)
			}
		})
	}
}

// Terraform passes no note to the deletion of a tainted object. One that is not found in
// an unknown account gets an empty note, so that a later Read does not remove it either.
func TestDeletionWithoutANote(t *testing.T) {
	gone := AbsentObject{What: "Webhook endpoint wh-1"}
	for name, row := range map[string]struct {
		seen error // of a look at the object
		want AccountNote
	}{
		"the object is found": {nil, AccountNote{ID: "acc-own", Origin: "https://hosting.test"}},
		"it is not found":     {errors.New("not found"), AccountNote{}},
	} {
		t.Run(name, func(t *testing.T) {
			_, c := providertest.Replicas(t, func(w http.ResponseWriter, r *http.Request, newest *httptest.ResponseRecorder) bool {
				providertest.AnswerOlder(w, newest, "id", "acc-own")
				return true
			})
			b := Resource{Data{Client: c, Account: NewAccountCheck(c), Planned: planning.New()}}
			private, diags := providertest.PrivateState{}, diag.Diagnostics{}
			look := func(context.Context) error { return row.seen }
			if got, want := b.MayDelete(t.Context(), private, gone, look, &diags), row.seen == nil; got != want {
				t.Errorf("MayDelete: got %t (%v), want %t", got, diags, want)
			}
			got, noted := privatestate.Load[AccountNote](t.Context(), private, privatestate.AccountNoteKey, &diags)
			if got != row.want || !noted {
				t.Errorf("note: got %+v, noted %t, want %+v", got, noted, row.want)
			}
			read := diag.Diagnostics{}
			if row.seen != nil && b.ConfirmsGone(t.Context(), private, gone, &read) {
				t.Error("a Read afterwards: got that the object is gone, want an error")
			}
		})
	}
}
