package provider

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// otherNote returns the private state of an object of another account.
func otherNote(t *testing.T) privateState {
	t.Helper()
	private, diags := privateState{}, diag.Diagnostics{}
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
		_, c := replicas(t, func(_ http.ResponseWriter, r *http.Request, _ *httptest.ResponseRecorder) bool {
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
		_, c := replicas(t, func(_ http.ResponseWriter, r *http.Request, _ *httptest.ResponseRecorder) bool {
			t.Errorf("%s %s was requested", r.Method, r.URL)
			return false
		})
		b := resourceBase{resourceData{client: c, account: newAccountCheck(c), planned: newPlanned()}}
		if !b.mayCreate(t.Context(), &diag.Diagnostics{}) {
			t.Error("nothing may be created")
		}
	})
}
