package acceptance

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// These tests check replacements with create_before_destroy. Each ends in a workspace
// that still works.

const createFirst = "lifecycle {\n create_before_destroy = true\n }\n"

// createsFirst adds create_before_destroy to every resource of a configuration.
func createsFirst(configuration string) string {
	return regexp.MustCompile(`(?m)^resource .*\{$`).ReplaceAllString(configuration, "$0\n "+createFirst)
}

// oneDatabase returns a database on i-one.
func oneDatabase(arguments string) string {
	return "resource \"hosting_postgres_database\" \"test\" {\n instance_id = \"i-one\"\n name = \"orders\"\n" + arguments + "\n}\n"
}

// Names are unique on an instance, so with create_before_destroy the service refuses the
// successor. The advice in the error works.
func TestNameThatTheReplacedObjectStillHas(t *testing.T) {
	t.Parallel()
	const unprotected = "deletion_protection = false"
	extension := "resource \"hosting_postgres_extension\" \"test\" {\n instance_id = \"i-one\"\n database = hosting_postgres_database.test.name\n name = \"pgvector\"\n}\n"
	for name, c := range map[string]struct {
		body    string // without create_before_destroy
		first   string // with create_before_destroy; "" adds it to each resource
		address string
		taint   bool
		fails   bool // the first build fails
	}{
		"database is replaced":                 {body: oneDatabase(unprotected), address: "hosting_postgres_database.test"},
		"database is tainted":                  {body: oneDatabase(unprotected), address: "hosting_postgres_database.test", taint: true},
		"database that an extension refers to": {body: oneDatabase(unprotected) + extension, first: oneDatabase(unprotected) + createsFirst(extension), address: "hosting_postgres_database.test"},
		"app is replaced":                      {body: oneApp(unprotected), address: "hosting_app.test"},
		"app whose first build failed":         {body: oneApp(""), address: "hosting_app.test", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			fake := seededApps(t)
			first := c.first
			if first == "" {
				first = createsFirst(c.body)
			}
			w := newWorkspace(t, fake, first)
			arguments := []string{"apply", "-auto-approve"}
			switch {
			case c.fails:
				fake.FailBuilds(fakeservice.BuildMatch{}, 1, "error: no such file")
				w.fails("error: no such file")
			case c.taint:
				w.apply()
				w.says(0, nil, "taint", c.address)
			default:
				w.apply()
				arguments = append(arguments, "-replace="+c.address)
			}
			for range 2 { // every further apply would fail in the same way
				w.says(1, []string{"already", "the old one still has the name", "remove create_before_destroy from", "every resource that refers to it"}, arguments...)
			}
			w.configure(c.body)
			w.says(0, []string{"1 added, 0 changed, 1 destroyed"}, arguments...)
			if c.first != "" {
				w.apply() // creates the extension, which was deleted with its database
			}
			w.mustBeSettled()
		})
	}
}

// If the old object is gone by the time of the apply, the service accepts the successor, even
// if a gateway's page takes the place of the answer. The deletion of the old object must
// leave it alone, because both have the same name.
func TestSuccessorOfAnObjectThatIsGone(t *testing.T) {
	t.Parallel()
	const unprotected = "deletion_protection = false"
	for name, c := range map[string]struct {
		body    string
		address string // of the resource to replace; "" renames it
		remove  func(*fakeservicetest.Server) bool
		exists  func(*fakeservicetest.Server) bool
		lost    bool // the answer to the creation
	}{
		"database is replaced":            {createsFirst(oneDatabase(unprotected)), "hosting_postgres_database.test", removeOrders, hasOrders, false},
		"database is renamed":             {oneDatabase(unprotected), "", removeOrders, hasOrders, false},
		"app is replaced":                 {createsFirst(oneApp(unprotected)), "hosting_app.test", removeGuestbook, hasGuestbook, false},
		"database is replaced, no answer": {createsFirst(oneDatabase(unprotected)), "hosting_postgres_database.test", removeOrders, hasOrders, true},
		"app is replaced, no answer":      {createsFirst(oneApp(unprotected)), "hosting_app.test", removeGuestbook, hasGuestbook, true},
		"app is renamed":                  {oneApp(unprotected), "", removeGuestbook, hasGuestbook, false},
	} {
		t.Run(name, func(t *testing.T) {
			fake := seededApps(t)
			w := newWorkspace(t, fake, c.body)
			w.apply()
			plan := []string{"plan", "-out=saved"}
			if c.address == "" {
				w.configure(strings.Replace(c.body, `"test"`, `"renamed"`, 1))
			} else {
				plan = append(plan, "-replace="+c.address)
			}
			w.says(0, []string{"1 to add, 0 to change, 1 to destroy"}, plan...)
			must(t, c.remove(fake), "nothing to remove")
			if c.lost {
				fake.Inject(fakeservice.Fault{Method: "POST", Path: "/instances/i-one/**", AfterCommit: true, Page: http.StatusBadGateway})
			}
			w.says(0, []string{"1 added, 0 changed, 1 destroyed"}, "apply", "saved")
			must(t, c.exists(fake), "the successor was deleted")
			w.mustBeSettled()
		})
	}
}

func removeOrders(fake *fakeservicetest.Server) bool { return fake.RemoveDatabase("i-one", "orders") }

func hasOrders(fake *fakeservicetest.Server) bool {
	return slices.ContainsFunc(fake.Databases("i-one"), func(d fakeservice.Database) bool { return d.Name == "orders" })
}

func removeGuestbook(fake *fakeservicetest.Server) bool { return fake.RemoveApp("i-one", "guestbook") }

func hasGuestbook(fake *fakeservicetest.Server) bool {
	_, exists := fake.App("i-one", "guestbook")
	return exists
}

// Terraform does not pass the state of a tainted object to a plan, so Delete is the first
// call that can refuse. With create_before_destroy, the successor exists by then, and no
// configuration refers to the old object. The error says what to do.
func TestDeposedObjectThatIsProtectedCanBeTakenBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fake    func(*testing.T) *fakeservicetest.Server
		body    string
		changed [2]string // an argument that is changed in the same apply, before and after
		refusal string
	}{
		"instance":                   {startFake, protectedInstance, [2]string{}, "Instance test is protected from deletion"},
		"instance in another region": {startFake, protectedInstance, [2]string{"eu-central", "us-east"}, "Instance test is protected from deletion"},
		"app":                        {seededApps, oneApp(""), [2]string{`"guestbook"`, `"guestbook2"`}, "App guestbook is protected from deletion"},
		"database":                   {seededApps, protectedDatabase, [2]string{`"orders"`, `"orders2"`}, "Database orders is protected from deletion"},
	} {
		t.Run(name, func(t *testing.T) {
			fake := c.fake(t)
			w := newWorkspace(t, fake, createsFirst(c.body))
			w.apply()
			address := w.managed()[0]
			w.says(0, nil, "taint", address)
			changed := strings.Replace(c.body, c.changed[0], c.changed[1], 1)
			w.configure(createsFirst(changed))
			w.fails(c.refusal, "Deposed?")
			successor := w.saved(strings.TrimSuffix(address, ".test"), "test").Attributes
			// Every further command would fail in the same way.
			w.says(1, []string{c.refusal, "Deposed?"}, "plan")
			w.says(1, []string{c.refusal, "Deposed?"}, "destroy", "-auto-approve")
			r := w.fails(c.refusal, "Deposed?")
			must(t, fake.Count("DELETE", "**") == 0 && len(w.managed()) == 2, "the state: got %v, want two objects and no deletion", w.managed())

			// Follow the steps of the guide that the error names, with the id from the
			// error.
			named := regexp.MustCompile(`\((\S+)\) is protected`).FindStringSubmatch(r.output)
			section := regexp.MustCompile(`See "(.+)" in the guide "Protecting and destroying"`).FindStringSubmatch(r.output)
			must(t, named != nil && section != nil, "the error: got\n%s\nwant the object and the guide's section in it", r.output)
			mustDescribe(t, section[1], "`terraform state rm ADDRESS`", "Put back the arguments", "`import` block")
			w.says(0, nil, "state", "rm", address)
			w.configure(createsFirst(c.body))
			w.write("import.tf", fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", address, named[1]))
			r = w.apply()
			must(t, strings.Contains(r.output, "1 imported, 0 added, 0 changed, 0 destroyed"), "the apply: got\n%s\nwant one import and nothing else", r.output)
			w.mustBeSettled()

			// Import the successor at a separate address.
			id, ok := successor["id"].(string)
			if !ok {
				id = fmt.Sprintf("%s/%s", successor["instance_id"], successor["name"])
			}
			must(t, id != named[1], "the id: got %s, that of the old object, want another", id)
			w.configure(c.body + strings.Replace(changed, "\" \"test\" {", "\" \"successor\" {", 1))
			w.write("import.tf", fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", strings.Replace(address, ".test", ".successor", 1), id))
			r = w.apply()
			must(t, strings.Contains(r.output, "1 imported, 0 added, 0 changed, 0 destroyed"), "the apply: got\n%s\nwant one import and nothing else", r.output)
			w.mustBeSettled()
			must(t, fake.Count("DELETE", "**") == 0, "deletions that were sent: got %d, want none", fake.Count("DELETE", "**"))
		})
	}
}

// mustDescribe asserts that a section of the guide about protection has some steps.
func mustDescribe(t *testing.T, title string, steps ...string) {
	t.Helper()
	guide, err := os.ReadFile("../../templates/guides/protecting-and-destroying.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(guide), "\n## "+title+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	must(t, found, "the guide: got no section %q, want one", title)
	for _, step := range steps {
		must(t, strings.Contains(section, step), "the section %q: got\n%s\nwant %q in it", title, section, step)
	}
}

// A removed block either destroys an object or only removes it from the state.
func TestRemovedBlockOfWhatIsProtected(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, protectedInstance)
	w.apply()
	id := onlyInstance(t, fake)
	removed := "removed {\n from = hosting_instance.test\n lifecycle {\n destroy = %t\n }\n}\n"
	w.configure(fmt.Sprintf(removed, true))
	w.says(1, []string{"Instance test is protected from deletion"}, "apply", "-auto-approve")
	w.configure(fmt.Sprintf(removed, false))
	w.apply()
	must(t, len(w.managed()) == 0 && onlyInstance(t, fake) == id && fake.Count("DELETE", "**") == 0, "the state: got %v, want nothing, and the instance kept at the service", w.managed())
	w.configure(protectedInstance + fmt.Sprintf("import {\n to = hosting_instance.test\n id = %q\n}\n", id))
	w.apply()
	w.mustBeSettled()
}

// With create_before_destroy, Terraform destroys the old instance as soon as the creation of
// the new one ends, also with a warning. The old one is kept until the new one runs.
func TestOldInstanceRunsUntilTheNewOneDoes(t *testing.T) {
	instance := func(plan, region string) string {
		return fmt.Sprintf("resource \"hosting_instance\" \"test\" {\n name = \"shop\"\n plan = %q\n region = %q\n engines = { postgres = {} }\n deletion_protection = false\n"+
			"timeouts = { create = \"5s\" }\n"+createFirst+"}\n", plan, region)
	}
	t.Parallel()
	for name, c := range map[string]struct {
		plan string
		hold func(*fakeservicetest.Server) (release func())
	}{
		"it is still being created": {"free", func(fake *fakeservicetest.Server) func() {
			return fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
		}},
		"it waits for its checkout": {"small", func(fake *fakeservicetest.Server) func() {
			return func() {
				for _, i := range fake.Instances() {
					_ = fake.PayCheckout(i.ID) // one needs none
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			fake := startFake(t)
			w := newWorkspace(t, fake, instance("free", "eu-central"))
			w.apply()
			old := onlyInstance(t, fake)
			w.configure(instance(c.plan, "us-east"))
			release := c.hold(fake)
			w.says(1, []string{"Instance shop is kept until its successor runs", "It was not deleted"}, "apply", "-auto-approve")
			i, there := fake.Instance(old)
			must(t, there && i.Status == fakeservice.StatusRunning, "the old instance: got %t and status %q, want it running", there, i.Status)
			release()
			machine.Until(t, "both run", func() bool {
				return !slices.ContainsFunc(fake.Instances(), func(i fakeservice.Instance) bool { return i.Status != fakeservice.StatusRunning })
			})
			w.apply()
			w.mustBeSettled()
			must(t, onlyInstance(t, fake) != old, "the old instance is left")
		})
	}
}
