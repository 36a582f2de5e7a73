package acceptance

import (
	"net/http"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// redeploy builds and deploys the app's newest commit outside of Terraform.
func redeploy(t *testing.T, fake *fakeservicetest.Server) {
	t.Helper()
	built := len(theApp(t, fake).Builds)
	behind(t, fake, http.MethodPost, "/instances/"+onlyInstance(t, fake)+"/apps/guestbook/actions/redeploy", "{}")
	machine.Until(t, "the app is deployed again", func() bool {
		app := theApp(t, fake)
		return len(app.Builds) == built+1 && app.Builds[0].Status == "successful" && app.Status == "running"
	})
}
