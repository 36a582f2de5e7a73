package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliversion"
)

// What the CLI gives up without destroying it stays at the service as it is, and the
// provider is not asked: no protection refuses it, and no plan warns of a loss.

// keptInstance is a protected instance with a database, both with a lifecycle.
func keptInstance(lifecycle string) string {
	return fmt.Sprintf(`
resource "hosting_instance" "test" {
  name    = "test"
  plan    = "free"
  region  = "eu-central"
  engines = { postgres = {} }
  lifecycle {
    %[1]s
  }
}
resource "hosting_postgres_database" "test" {
  instance_id = hosting_instance.test.id
  name        = "orders"
  lifecycle {
    %[1]s
  }
}
`, lifecycle)
}

func TestDestroyThatForgets(t *testing.T) {
	needs(t, lifecycleDestroy)
	fake := startFake(t)
	w := newWorkspace(t, fake, keptInstance("destroy = false"))
	w.apply()
	id := onlyInstance(t, fake)
	r := w.run("destroy", "-auto-approve", "-no-color")
	// OpenTofu ends with an error all the same, to say that what is left may cost money.
	must(t, r.exit == 0 || strings.Contains(r.output, "Destroy was successful but left behind forgotten instances"), "exit %d:\n%s", r.exit, r.output)
	must(t, len(w.managed()) == 0, "the state holds %q", w.managed())
	must(t, onlyInstance(t, fake) == id && fake.Count("DELETE", "**") == 0, "something was deleted")
	must(t, !strings.Contains(r.output, "will be lost") && !strings.Contains(r.output, "protected"), "%s", r.output)

	// It is there to be taken back.
	w.configure(keptInstance("destroy = false") + fmt.Sprintf("import {\n to = hosting_instance.test\n id = %q\n}\nimport {\n to = hosting_postgres_database.test\n id = \"%s/orders\"\n}\n", id, id))
	w.apply()
	w.mustBeSettled()
	must(t, fake.Count("POST", "/instances") == 1, "another instance was created")
}

// A replacement forgets the old one too, which is paid for and holds its data still.
// A provider does not learn of destroy = false, so protection refuses it as any other.
func TestReplacementThatForgets(t *testing.T) {
	needs(t, lifecycleDestroy)
	fake := startFake(t)
	forgotten := func(region string, protected bool) string {
		return fmt.Sprintf(`
resource "hosting_instance" "test" {
  name                = "test"
  plan                = "free"
  region              = %q
  engines             = { postgres = {} }
  deletion_protection = %t
  lifecycle {
    destroy = false
  }
}
`, region, protected)
	}
	w := newWorkspace(t, fake, forgotten("eu-central", true))
	w.apply()
	id := onlyInstance(t, fake)
	w.configure(forgotten("us-east", true))
	w.says(1, []string{"Instance test is protected from deletion"}, "plan")
	w.configure(forgotten("eu-central", false))
	w.apply()
	w.configure(forgotten("us-east", false))
	w.apply()
	must(t, len(fake.Instances()) == 2 && fake.Count("DELETE", "**") == 0, "instances %+v", fake.Instances())
	must(t, w.mustBeKept("hosting_instance", "test").Attributes["id"] != id, "the old one is in the state")
	w.mustBeSettled()

	// Out of the configuration, Terraform forgets that too, and OpenTofu does not.
	w.configure("")
	version, err := versionUnderTest()
	must(t, err == nil, "%v", err)
	if version.Product == cliversion.OpenTofu {
		w.says(0, []string{"0 to destroy, 1 to forget"}, "plan")
	} else {
		w.says(0, []string{"1 to destroy", "All data of an instance will be lost", "instance test ("}, "plan")
	}
}

// The removed block is what every CLI has.
func TestRemovedBlockThatForgets(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, keptInstance(""))
	w.apply()
	id := onlyInstance(t, fake)
	w.configure("removed {\n from = hosting_instance.test\n lifecycle {\n destroy = false\n }\n}\nremoved {\n from = hosting_postgres_database.test\n lifecycle {\n destroy = false\n }\n}\n")
	r := w.apply()
	must(t, len(w.managed()) == 0 && onlyInstance(t, fake) == id && fake.Count("DELETE", "**") == 0, "something was deleted:\n%s", r.output)
}

// enabled = false destroys, as taking the resource out of the configuration does: what
// is protected is refused in the plan.
func TestDisabledResource(t *testing.T) {
	needs(t, lifecycleEnabled)
	fake := startFake(t)
	instance := func(enabled, protected bool) string {
		return fmt.Sprintf(`
resource "hosting_instance" "test" {
  name                = "test"
  plan                = "free"
  region              = "eu-central"
  engines             = { postgres = {} }
  deletion_protection = %t
  lifecycle {
    enabled = %t
  }
}
`, protected, enabled)
	}
	w := newWorkspace(t, fake, instance(false, true))
	w.apply()
	must(t, len(fake.Instances()) == 0 && len(w.managed()) == 0, "what is not enabled was created")
	w.configure(instance(true, true))
	w.apply()
	w.mustBeSettled()
	id := onlyInstance(t, fake)
	w.configure(instance(false, true))
	w.says(1, []string{"is protected from deletion"}, "plan")
	w.configure(instance(true, false))
	w.apply()
	w.configure(instance(false, false))
	w.says(0, []string{"All data of an instance will be lost", "instance test ("}, "plan")
	must(t, onlyInstance(t, fake) == id, "it was replaced")
	w.apply()
	must(t, len(fake.Instances()) == 0, "it was not destroyed")
}
