package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// A provider whose key is not known yet cannot read the objects that it imports, and must
// not lose anything that it does not know.

// unknownKey configures the provider with a key that another resource creates.
func unknownKey(fake *fakeservicetest.Server) string {
	return fmt.Sprintf("resource \"terraform_data\" \"key\" {\n input = %q\n}\nprovider \"hosting\" {\n base_url = %q\n api_key = terraform_data.key.output\n}\n",
		fakeservicetest.APIKey, fake.BaseURL)
}

func TestImportUnderAKeyThatIsNotKnownYet(t *testing.T) {
	fake := seededApps(t)
	fake.AddApp("i-one", fakeservice.App{Name: "guestbook", Repo: "octo/guestbook", Branch: "main", Port: 3000, HealthPath: "/healthz"})
	w := newWorkspace(t, fake, unknownKey(fake)+`
resource "hosting_instance" "test" {
  name    = "one"
  plan    = "medium"
  region  = "eu-central"
  engines = { postgres = {}, apps = {}, auth = {} }
}
import {
  to = hosting_instance.test
  id = "i-one"
}
`+oneApp("")+`
import {
  to = hosting_app.test
  id = "i-one/guestbook"
}
`)
	w.fails("The provider is not configured yet", "-target")
	must(t, len(fake.Requests()) == 0, "requests: got %d, want none", len(fake.Requests()))
	must(t, w.saved("hosting_instance", "test") == nil && w.saved("hosting_app", "test") == nil, "something was imported")

	// Follow the advice in the error.
	r := w.run("apply", "-auto-approve", "-no-color", "-target=terraform_data.key")
	must(t, r.exit == 0, "the targeted apply: got exit %d, want 0:\n%s", r.exit, r.output)
	r = w.apply()
	must(t, strings.Contains(r.output, "2 imported, 0 added, 0 changed, 0 destroyed"), "the apply: got\n%s\nwant two imports and nothing else", r.output)
	w.mustBeSettled()
	must(t, len(fake.Jobs()) == 0, "jobs: got %+v, want none", fake.Jobs())
}
