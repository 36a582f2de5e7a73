package reports

import (
	"fmt"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// The blocks of most situations. None is protected, so that a wrong plan shows its worst.

// machine is an instance with more arguments.
func machine(more string) string {
	return fmt.Sprintf(`
resource "hosting_instance" "a" {
  name                = "shop"
  plan                = "free"
  region              = "eu-central"
  engines             = { postgres = {}, apps = {}, auth = {} }
  deletion_protection = false
  %s
}
`, more)
}

// onMachine is the argument of everything on the machine.
const onMachine = "instance_id = hosting_instance.a.id"

// web is an app.
func web(instanceID, more string) string {
	return fmt.Sprintf(`
resource "hosting_app" "web" {
  %s
  name                = "web"
  repo                = "acme/web"
  deletion_protection = false
  %s
}
`, instanceID, more)
}

// orders is a database.
func orders(instanceID, more string) string {
	return fmt.Sprintf(`
resource "hosting_postgres_database" "orders" {
  %s
  name                = "orders"
  deletion_protection = false
  %s
}
`, instanceID, more)
}

// crypto is an extension of the instance's own database.
func crypto(instanceID string) string {
	return fmt.Sprintf(`
resource "hosting_postgres_extension" "crypto" {
  %s
  name = "pgcrypto"
}
`, instanceID)
}

// list is an allowlist.
func list(cidrs string) string {
	return fmt.Sprintf(`
resource "hosting_allowlist" "list" {
  instance_id = hosting_instance.a.id
  cidrs       = %s
}
`, cidrs)
}

// endpoint is a webhook endpoint.
func endpoint(url, more string) string {
	return fmt.Sprintf(`
resource "hosting_webhook_endpoint" "hook" {
  url = %q
  %s
}
`, url, more)
}

// unknownly returns a block whose output has a value that is not known in the plan in which
// its case changes.
func unknownly(name, input string) string {
	return "\nresource \"terraform_data\" \"" + name + "\" {\n  input = \"" + input + "\"\n}\n"
}

// The addresses of these blocks.
const (
	machineAddress  = "hosting_instance.a"
	webAddress      = "hosting_app.web"
	ordersAddress   = "hosting_postgres_database.orders"
	cryptoAddress   = "hosting_postgres_extension.crypto"
	listAddress     = "hosting_allowlist.list"
	endpointAddress = "hosting_webhook_endpoint.hook"
)

// running adds an instance with all engines to the service, and returns its id.
func (w *world) running() string {
	return w.fake.AddInstance(fakeservice.Instance{Name: "shop", Plan: "free", Region: "eu-central", Engines: map[string]*fakeservice.Engine{
		"postgres": {MemoryMB: 512}, "apps": {MemoryMB: 512}, "auth": {MemoryMB: 256},
	}}).ID
}

// adopts imports an object.
func (w *world) adopts(hcl, address, id string) {
	w.t.Helper()
	w.run(hcl, "import", address, id).succeeds()
}

// builds returns the number of builds of the app on the only instance.
func (w *world) builds() int {
	w.t.Helper()
	a, _ := w.fake.App(w.id(), "web")
	return len(a.Builds)
}

// free makes a plan free, so that no checkout is needed.
func (w *world) free(plan string) {
	w.fake.EditCatalog(func(c *fakeservice.Catalog) {
		for i := range c.Plans {
			if c.Plans[i].ID == plan {
				c.Plans[i].PriceCents = 0
			}
		}
	})
}

// wait lets time pass, by the service's clock.
func (w *world) wait(d time.Duration) {
	if *realCLI != "" {
		d /= realSpeed
	}
	time.Sleep(d)
}

// ignores is a lifecycle block with ignore_changes.
func ignores(paths string) string {
	return "  lifecycle {\n    ignore_changes = [" + paths + "]\n  }"
}

// resource is the block of a resource, with its arguments. The address has the form kind.name.
func resource(address string, arguments ...string) string {
	return block("resource", address, arguments)
}

// data is resource for a data source.
func data(address string, arguments ...string) string { return block("data", address, arguments) }

// ephemeral is resource for an ephemeral resource.
func ephemeral(address string, arguments ...string) string {
	return block("ephemeral", address, arguments)
}

func block(mode, address string, arguments []string) string {
	kind, name, _ := strings.Cut(address, ".")
	return fmt.Sprintf("\n%s %q %q {\n  %s\n}\n", mode, kind, name, strings.Join(arguments, "\n  "))
}
