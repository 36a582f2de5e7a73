package reports

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// The service offers what the provider does not know yet.
func TestFixedListOfValues(t *testing.T) {
	postgis := machine("") + `
resource "hosting_postgres_extension" "geo" {
  instance_id = hosting_instance.a.id
  name        = "postgis"
}
`
	report(t, "terraform-providers/terraform-provider-opc#37", "a fixed list of values", situations{
		"a new extension is planned": func(w *world) {
			w.run(postgis, "plan").succeeds().warns("postgis")
		},
		"an existing extension is imported": func(w *world) {
			id := w.running()
			w.fake.AddExtension(id, fakeservice.Extension{Name: "postgis", Database: "main", Version: "3.5"})
			w.adopts(postgis, machineAddress, id)
			w.adopts(postgis, "hosting_postgres_extension.geo", id+"/main/postgis")
		},
		"a site URL of a mobile app": func(w *world) {
			hcl := machine("") + `
resource "hosting_auth_settings" "auth" {
  instance_id   = hosting_instance.a.id
  site_url      = "myapp://login"
  redirect_urls = ["myapp://login/**"]
}
`
			w.apply(hcl)
			w.quiet(hcl)
		},
	})
}
