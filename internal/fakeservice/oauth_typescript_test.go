package fakeservice_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
)

// The protocol's TypeScript client signs in from nothing with its own OAuth, and a visitor
// of the portal consents. It refreshes its tokens after an hour, and revokes them.
func TestTypeScriptClientSignsIn(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	folder := fakeservicetest.NodeProject(t, "mcp/typescript")
	a := start(t)
	fakeservicetest.SignInByTypeScript(t, a.Server, folder, func(address string) {
		page := fakeservicetest.SignIn(t, a.Server).Open(address).Submit("allow", nil)
		if page.Status != http.StatusOK || page.Text() != "The sign-in is finished." {
			t.Fatalf("the consent: got %d %s, want 200 at the end of the sign-in", page.Status, page.Text())
		}
	})
	equal(t, "the events", strings.Join(eventsOf(a), ", "), "oauth_granted TypeScript, oauth_disconnected TypeScript")
}
