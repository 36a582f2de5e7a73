package provider

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// otherNote returns the private state of an object of another account.
func otherNote(t *testing.T) providertest.PrivateState {
	t.Helper()
	private, diags := providertest.PrivateState{}, diag.Diagnostics{}
	savePrivate(t.Context(), private, accountNoteKey, accountNote{ID: "acc-another", Origin: "https://hosting.test"}, &diags)
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
		b := resourceBase{resourceData{client: c, account: newAccountCheck(c), planned: newPlanned()}}
		updated, created := make(chan bool), make(chan bool)
		go func() { updated <- b.mayChange(t.Context(), otherNote(t), &diag.Diagnostics{}) }()
		synctest.Wait()
		go func() { created <- b.mayCreate(t.Context(), &diag.Diagnostics{}) }()
		synctest.Wait()
		close(answer)
		if <-updated {
			t.Error("an object of another account may be changed")
		}
		if <-created {
			t.Error("an object may be created in another account than the state's")
		}
	})
}

func TestCreateWithoutANote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := providertest.Replicas(t, func(_ http.ResponseWriter, r *http.Request, _ *httptest.ResponseRecorder) bool {
			t.Errorf("%s %s was requested", r.Method, r.URL)
			return false
		})
		b := resourceBase{resourceData{client: c, account: newAccountCheck(c), planned: newPlanned()}}
		if !b.mayCreate(t.Context(), &diag.Diagnostics{}) {
			t.Error("nothing may be created")
		}
	})
}

// A note loses its account id only if the object is found at another origin.
func TestNoteOfARunWithoutAnAccountID(t *testing.T) {
	const origin = "https://hosting.test"
	for name, row := range map[string]struct {
		before accountNote
		id     string // of GET /me
		want   accountNote
	}{
		"no note":                          {accountNote{}, "", accountNote{Origin: origin}},
		"no note, an id":                   {accountNote{}, "acc-b", accountNote{ID: "acc-b", Origin: origin}},
		"a note without an id":             {accountNote{Origin: origin}, "", accountNote{Origin: origin}},
		"a note without an id, an id":      {accountNote{Origin: origin}, "acc-b", accountNote{ID: "acc-b", Origin: origin}},
		"a note with an id":                {accountNote{ID: "acc-a", Origin: origin}, "", accountNote{ID: "acc-a", Origin: origin}},
		"a note with an id, another id":    {accountNote{ID: "acc-a", Origin: origin}, "acc-b", accountNote{ID: "acc-b", Origin: origin}},
		"a note with an id, another place": {accountNote{ID: "acc-a", Origin: "https://other.test"}, "", accountNote{Origin: origin}},
	} {
		t.Run(name, func(t *testing.T) {
			_, c := providertest.Replicas(t, func(w http.ResponseWriter, r *http.Request, newest *httptest.ResponseRecorder) bool {
				providertest.AnswerOlder(w, newest, "id", row.id)
				return true
			})
			private, diags := providertest.PrivateState{}, diag.Diagnostics{}
			if row.before != (accountNote{}) {
				savePrivate(t.Context(), private, accountNoteKey, row.before, &diags)
			}
			b := resourceBase{resourceData{client: c, account: newAccountCheck(c)}}
			b.noteCreated(t.Context(), private, &diags)
			got, _ := loadPrivate[accountNote](t.Context(), private, accountNoteKey, &diags)
			if got != row.want || diags.HasError() {
				t.Errorf("the note is %+v, want %+v; %v", got, row.want, diags)
			}
		})
	}
}
