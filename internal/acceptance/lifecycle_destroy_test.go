package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliversion"
)

// A CLI can remove an object from the state without destroying it. The object stays as it
// is, and the CLI does not call the provider. So no protection refuses this, and no plan
// warns of a loss.

// keptInstance returns a protected instance with a database, both with the same
// lifecycle.
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
	// OpenTofu ends with an error anyway, because the remaining objects may cost money.
	must(t, r.exit == 0 || strings.Contains(r.output, "Destroy was successful but left behind forgotten instances"), "the destroy: got exit %d, want 0, or that forgotten instances were left:\n%s", r.exit, r.output)
	must(t, len(w.managed()) == 0, "the state: got %q, want nothing", w.managed())
	must(t, onlyInstance(t, fake) == id && fake.Count("DELETE", "**") == 0, "something was deleted")
	must(t, !strings.Contains(r.output, "will be lost") && !strings.Contains(r.output, "protected"), "the destroy: got\n%s\nwant no warning of a loss or a protection", r.output)

	// The objects can be imported again.
	w.configure(keptInstance("destroy = false") + fmt.Sprintf("import {\n to = hosting_instance.test\n id = %q\n}\nimport {\n to = hosting_postgres_database.test\n id = \"%s/orders\"\n}\n", id, id))
	w.apply()
	w.mustBeSettled()
	must(t, fake.Count("POST", "/instances") == 1, "another instance was created")
}

// A replacement also forgets the old instance, which keeps its data and is still billed.
// A provider cannot see destroy = false, so the protection refuses the replacement as
// usual.
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
	must(t, len(fake.Instances()) == 2 && fake.Count("DELETE", "**") == 0, "instances: got %+v, want two, and no deletion", fake.Instances())
	must(t, w.mustBeKept("hosting_instance", "test").Attributes["id"] != id, "the old instance is in the state")
	w.mustBeSettled()

	// If the resource is removed from the configuration, so is destroy = false. Terraform
	// then destroys the instance, but OpenTofu still forgets it.
	w.configure("")
	version, err := versionUnderTest()
	must(t, err == nil, "%v", err)
	if version.Product == cliversion.OpenTofu {
		w.says(0, []string{"0 to destroy, 1 to forget"}, "plan")
	} else {
		w.says(0, []string{"1 to destroy", "All data of an instance will be lost", "instance test ("}, "plan")
	}
}

// enabled = false destroys an object, as removing its resource from the configuration
// does. The plan refuses that for a protected object.
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
	must(t, onlyInstance(t, fake) == id, "the instance was replaced")
	w.apply()
	must(t, len(fake.Instances()) == 0, "the instance was not destroyed")
}
