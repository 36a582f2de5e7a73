package acceptance

import (
	"fmt"
	"strings"
	"testing"
)

// The tests below check what deletion_protection refuses, and in which step.

// guarded is an instance with one object of each type that has data, all of them
// protected.
const guarded = `
resource "hosting_instance" "test" {
  name    = "test"
  plan    = "free"
  region  = "eu-central"
  engines = { postgres = {}, apps = {}, auth = {} }
  lifecycle {
    %s
  }
}
resource "hosting_app" "test" {
  instance_id = hosting_instance.test.id
  name        = "guestbook"
  repo        = "octo/guestbook"
}
resource "hosting_postgres_database" "test" {
  instance_id = hosting_instance.test.id
  name        = "orders"
}
`

// unruled is guarded without a lifecycle block.
var unruled = strings.Replace(guarded, "  lifecycle {\n    %s\n  }\n", "", 1)

// protectedInstance and protectedDatabase have the default protection.
var (
	protectedInstance = strings.Replace(instanceHCL(plainInstance), "deletion_protection = false", "", 1)
	protectedDatabase = "resource \"hosting_postgres_database\" \"test\" {\n instance_id = \"i-one\"\n name = \"orders\"\n}\n"
)

// isRefused checks that a command ends with an error, first without a refresh, then with
// one.
func (w *workspace) isRefused(texts []string, args ...string) {
	w.t.Helper()
	w.says(1, texts, append(args, "-refresh=false")...)
	w.says(1, texts, args...)
}

// A replacement is refused in the plan, before anything that depends on the object is
// destroyed and before a second object is created.
func TestReplacementOfWhatIsProtectedIsRefusedInThePlan(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"destroy first":         fmt.Sprintf(guarded, ""),
		"instance create first": fmt.Sprintf(guarded, "create_before_destroy = true"),
		"all create first":      createsFirst(unruled),
	} {
		t.Run(name, func(t *testing.T) {
			fake := startFake(t)
			w := newWorkspace(t, fake, body)
			w.apply()
			before := len(fake.Requests())
			for address, text := range map[string]string{
				"hosting_instance.test":          "Instance test is protected from deletion",
				"hosting_app.test":               "App guestbook is protected from deletion",
				"hosting_postgres_database.test": "Database orders is protected from deletion",
			} {
				w.isRefused([]string{text}, "plan", "-replace="+address)
				w.isRefused([]string{text}, "apply", "-auto-approve", "-replace="+address)
			}
			for _, request := range fake.Requests()[before:] {
				must(t, request.Method == "GET", "requests: got %s %s, want only GET", request.Method, request.Path)
			}
			w.mustBeSettled()
		})
	}
}

func TestTriggeredReplacementOfWhatIsProtectedIsRefusedInThePlan(t *testing.T) {
	t.Parallel()
	for kind, text := range map[string]string{
		"hosting_instance":          "Instance test is protected from deletion",
		"hosting_app":               "App guestbook is protected from deletion",
		"hosting_postgres_database": "Database orders is protected from deletion",
	} {
		for _, order := range []string{"", "create_before_destroy = true"} {
			t.Run(kind+" "+order, func(t *testing.T) {
				fake := startFake(t)
				body := func(version int) string {
					head := fmt.Sprintf("resource %q \"test\" {\n", kind)
					return fmt.Sprintf("resource \"terraform_data\" \"version\" {\n input = %d\n}\n", version) +
						strings.Replace(unruled, head, head+"  lifecycle {\n    replace_triggered_by = [terraform_data.version]\n    "+order+"\n  }\n", 1)
				}
				w := newWorkspace(t, fake, body(1))
				w.apply()
				before := len(fake.Requests())
				w.configure(body(2))
				w.isRefused([]string{text}, "apply", "-auto-approve")
				for _, request := range fake.Requests()[before:] {
					must(t, request.Method == "GET", "requests: got %s %s, want only GET", request.Method, request.Path)
				}
				w.configure(body(1))
				w.mustBeSettled()
			})
		}
	}
}

func TestAppProtection(t *testing.T) {
	fake := seededApps(t)
	w := newWorkspace(t, fake, oneApp(""))
	w.apply()
	const text = "App guestbook is protected from deletion"
	w.isRefused([]string{text, "Set deletion_protection = false, apply, then destroy."}, "destroy", "-auto-approve")
	for _, change := range []string{"repo = \"octo/other\"", "deletion_protection = false\nrepo = \"octo/other\""} {
		w.configure("resource \"hosting_app\" \"test\" {\n instance_id = \"i-one\"\n name = \"guestbook\"\n" + change + "\n}\n")
		w.isRefused([]string{text}, "apply", "-auto-approve")
	}
	w.configure("")
	w.isRefused([]string{text}, "apply", "-auto-approve")
	w.configure(oneApp(""))
	w.says(0, nil, "taint", "hosting_app.test")
	w.isRefused([]string{text}, "apply", "-auto-approve")
	w.says(0, nil, "untaint", "hosting_app.test")
	w.mustBeSettled()
	must(t, fake.Count("DELETE", "**") == 0, "deletions that were sent: got %d, want none", fake.Count("DELETE", "**"))

	w.configure(oneApp("deletion_protection = false"))
	w.apply()
	must(t, fake.Count("PATCH", "**") == 0, "lifting the protection sent something")
	w.says(0, []string{"The data of an app will be lost", "app guestbook of instance"}, "plan", "-destroy")
	r := w.run("destroy", "-auto-approve", "-no-color")
	must(t, r.exit == 0 && len(fake.Apps("i-one")) == 0, "the destroy: got exit %d, want 0 and no app:\n%s", r.exit, r.output)
}
