package acceptance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// guardedHCL is a protected instance with an allowlist and a database, and a webhook
// endpoint.
const guardedHCL = `resource "hosting_instance" "shop" {
  name    = "shop"
  plan    = "free"
  region  = "eu-central"
  engines = { postgres = {} }
  tags    = [%q]
}

resource "hosting_allowlist" "shop" {
  instance_id = hosting_instance.shop.id
  cidrs       = ["203.0.113.0/24"]
}

resource "hosting_postgres_database" "orders" {
  instance_id         = hosting_instance.shop.id
  name                = "orders"
  deletion_protection = false
}

resource "hosting_webhook_endpoint" "hook" {
  url = "https://hooks.example.com/shop"
}
`

// hookHCL is only the webhook endpoint.
const hookHCL = `resource "hosting_webhook_endpoint" "hook" {
  url = "https://hooks.example.com/shop"
}
`

// use makes a workspace use another service or another key.
func (w *workspace) use(fake *fakeservicetest.Server, key string) {
	w.env = append(w.env, "HOSTING_BASE_URL="+fake.BaseURL, "HOSTING_API_KEY="+key) // later values override earlier ones
}

// changes returns the requests to a fake that were not reads.
func changes(fake *fakeservicetest.Server) []string {
	var all []string
	for _, r := range fake.Requests() {
		if r.Method != http.MethodGet {
			all = append(all, r.Method+" "+r.Path)
		}
	}
	return all
}

// withAccount starts a fake whose account has a given id.
func withAccount(t *testing.T, id string) *fakeservicetest.Server {
	t.Helper()
	return fakeservicetest.Start(t, func(o *fakeservice.Options) {
		o.Speed = testSpeed
		o.Setup = o.Setup.WithAccountID(id)
	})
}

// objects returns everything that the state says about each object, without the names of
// sensitive attributes. Terraform 1.11 may rewrite a state with a new serial and list
// these names in a different order.
func (w *workspace) objects() any {
	w.t.Helper()
	var state struct {
		Resources []map[string]any `json:"resources"`
	}
	must(w.t, json.Unmarshal([]byte(w.state()), &state) == nil, "the state is no JSON")
	for _, resource := range state.Resources {
		for _, object := range resource["instances"].([]any) {
			delete(object.(map[string]any), "sensitive_attributes")
		}
	}
	return state.Resources
}

// refusesAll checks that each command that would use a state with another service fails
// with text, and that it changes neither the services nor the state.
func (w *workspace) refusesAll(own, other *fakeservicetest.Server, text string) {
	w.t.Helper()
	w.configure(fmt.Sprintf(guardedHCL, "next"))
	w.use(own, fakeservicetest.APIKey)
	w.says(0, nil, "plan", "-out=saved")
	w.use(other, fakeservicetest.APIKey)
	state, before := w.objects(), len(changes(own))
	for _, command := range []string{
		"plan -no-color", "plan -no-color -refresh=false", "plan -no-color -refresh-only", "apply -no-color saved",
		"apply -no-color -auto-approve", "apply -no-color -auto-approve -refresh=false", "apply -no-color -auto-approve -refresh-only",
		"destroy -no-color -auto-approve", "destroy -no-color -auto-approve -refresh=false",
	} {
		r := w.run(strings.Fields(command)...)
		if r.exit != 1 || !strings.Contains(r.output, text) {
			w.t.Errorf("%s: got exit %d, want 1 and %q in the output:\n%s", command, r.exit, text, r.output)
		}
		if diff := cmp.Diff(state, w.objects()); diff != "" {
			w.t.Errorf("the state after %s (-want +got):\n%s", command, diff)
		}
	}
	if made := changes(other); len(made) > 0 {
		w.t.Errorf("requests to the other service: got %v, want none", made)
	}
	if made := changes(own); len(made) > before {
		w.t.Errorf("requests to the own service: got %v, want none", made[before:])
	}
}

func TestStateOfAnotherAccount(t *testing.T) {
	own, other := startFake(t), startFake(t)
	w := newWorkspace(t, own, fmt.Sprintf(guardedHCL, "first"))
	w.apply()
	w.refusesAll(own, other, "The state belongs to another account")

	// The plan has one error, which names both accounts and says what to do.
	w.configure(fmt.Sprintf(guardedHCL, "first"))
	r := w.run("plan", "-no-color")
	for _, text := range []string{own.AccountID(), other.AccountID(), "terraform state rm", "start it with --state"} {
		must(t, strings.Contains(r.output, text), "the plan: got\n%s\nwant %q in the error", r.output, text)
	}
	must(t, strings.Count(r.output, "Error:") == 1, "the plan: got\n%s\nwant one error", r.output)

	// Going back to the right key works.
	w.use(own, fakeservicetest.APIKey)
	w.mustBeSettled()
}

// An account with the same id at another origin is a different account.
func TestStateOfAnotherOrigin(t *testing.T) {
	own, other := withAccount(t, "acc-same"), withAccount(t, "acc-same")
	w := newWorkspace(t, own, fmt.Sprintf(guardedHCL, "first"))
	w.apply()
	w.refusesAll(own, other, "The state belongs to another account")
}

// A state from before notes existed has none. One absence does not remove a protected
// object from such a state, unless another object of the state is found.
func TestUnnotedStateOfAnotherAccount(t *testing.T) {
	own, other := startFake(t), startFake(t)
	w := newWorkspace(t, own, fmt.Sprintf(guardedHCL, "first"))
	w.apply()
	w.write("terraform.tfstate", withoutNotes(t, w.state()))
	w.use(other, fakeservicetest.APIKey)
	state := w.objects()
	for _, command := range []string{"plan", "apply -auto-approve", "apply -auto-approve -refresh-only", "destroy -auto-approve"} {
		w.says(1, []string{"Unable to confirm that Instance shop"}, strings.Fields(command)...)
		if diff := cmp.Diff(state, w.objects()); diff != "" {
			t.Errorf("the state after %s (-want +got):\n%s", command, diff)
		}
	}
	must(t, len(changes(other)) == 0, "requests to the other account: got %v, want none", changes(other))

	// With its own key the state gets notes again. When the instance is really gone, the
	// endpoint, which is found, shows that the account is right.
	w.use(own, fakeservicetest.APIKey)
	w.mustBeSettled()
	own.RemoveInstance(onlyInstance(t, own))
	w.says(1, []string{"run it again without"}, "plan", "-target=hosting_instance.shop")
	w.says(0, []string{"is gone"}, "plan") // the advice works
}

// An imported object was not part of the state, so it says nothing about the state's
// account.
func TestUnnotedStateBesideAnImport(t *testing.T) {
	own, other := startFake(t), startFake(t)
	w := newWorkspace(t, own, fmt.Sprintf(guardedHCL, "first"))
	w.apply()
	w.write("terraform.tfstate", withoutNotes(t, w.state()))
	status, imported := other.Send(t, http.MethodPost, "/webhooks", map[string]any{"url": "https://hooks.example.com/imported"})
	must(t, status == http.StatusCreated, "POST /webhooks: got %d, want 201", status)
	w.configure(fmt.Sprintf(guardedHCL, "first") + fmt.Sprintf(`
resource "hosting_webhook_endpoint" "imported" {
  url = "https://hooks.example.com/imported"
}

import {
  to = hosting_webhook_endpoint.imported
  id = %q
}
`, imported["id"]))
	w.use(other, fakeservicetest.APIKey)
	managed := w.managed()
	w.says(1, []string{"Unable to confirm that Instance shop"}, "plan")
	w.says(1, []string{"Unable to confirm that Instance shop"}, "apply", "-auto-approve")
	must(t, slices.Equal(w.managed(), managed), "the state: got %v, want %v", w.managed(), managed)

	// It says nothing either once it is in the state.
	w.says(0, nil, "apply", "-auto-approve", "-target=hosting_webhook_endpoint.imported")
	w.says(1, []string{"Unable to confirm that Instance shop"}, "plan")
}

var noteInState = regexp.MustCompile(`"private": ?"[^"]*"`)

// withoutNotes returns a state as the provider wrote it before notes existed.
func withoutNotes(t *testing.T, state string) string {
	t.Helper()
	must(t, noteInState.MatchString(state), "the state: got\n%s\nwant a private state with the note", state)
	return noteInState.ReplaceAllString(state, `"private": "bnVsbA=="`)
}

// Another key of the account works like the first, and one configuration can use two
// accounts.
func TestKeysAndAliases(t *testing.T) {
	own, other := startFake(t), startFake(t)
	second, err := own.CreateKey("second")
	must(t, err == nil, "%v", err)
	body := fmt.Sprintf(guardedHCL, "first")
	w := newWorkspace(t, own, body)
	w.apply()
	w.use(own, second.Key)
	w.mustBeSettled()
	w.configure(fmt.Sprintf(guardedHCL, "second"))
	w.apply()
	w.mustBeSettled()

	aliases := fmt.Sprintf("provider \"hosting\" {\n  alias    = \"other\"\n  base_url = %q\n  api_key  = %q\n}\n", other.BaseURL, fakeservicetest.APIKey)
	elsewhere := "resource \"hosting_webhook_endpoint\" \"elsewhere\" {\n  provider = hosting.other\n  url      = \"https://hooks.example.com/elsewhere\"\n}\n"
	w.program = true // a provider in this process would be the same for both aliases
	w.configure(aliases + fmt.Sprintf(guardedHCL, "second") + elsewhere)
	w.apply()
	w.mustBeSettled()
	w.says(0, []string{"No changes"}, "plan", "-refresh=false")
}

// Terraform creates the new object of a replacement with create_before_destroy before the
// provider sees a note. The error must not claim that nothing was changed, and
// allowed_account_ids prevents the creation.
func TestSavedReplacementOfAnotherAccount(t *testing.T) {
	own, other := startFake(t), startFake(t)
	hcl := `resource "hosting_instance" "shop" {
  name                = "shop"
  plan                = "free"
  region              = %q
  engines             = {}
  deletion_protection = false

  lifecycle {
    create_before_destroy = true
  }
}
`
	w := newWorkspace(t, own, fmt.Sprintf(hcl, "eu-central"))
	w.apply()
	w.configure("provider \"hosting\" {\n  allowed_account_ids = [" + fmt.Sprintf("%q", own.AccountID()) + "]\n}\n" + fmt.Sprintf(hcl, "us-west"))
	w.says(0, nil, "plan", "-out=saved")
	w.use(other, fakeservicetest.APIKey)
	r := w.run("apply", "-no-color", "saved")
	must(t, r.exit == 1 && strings.Contains(r.output, "The account is not allowed") && len(changes(other)) == 0, "the apply in an account that is not allowed: got the requests %v, want none and an error:\n%s", changes(other), r.output)

	w.use(own, fakeservicetest.APIKey)
	w.configure(fmt.Sprintf(hcl, "us-west"))
	w.says(0, nil, "plan", "-out=saved")
	w.use(other, fakeservicetest.APIKey)
	r = w.run("apply", "-no-color", "saved")
	must(t, r.exit == 1 && strings.Contains(r.output, "The state belongs to another account"), "the apply: got\n%s\nwant the error about another account", r.output)
	must(t, !strings.Contains(r.output, "Nothing was changed"), "the apply: got\n%s\nwant it without \"Nothing was changed\"", r.output)
	must(t, len(own.Instances()) == 1 && len(w.managed()) == 2, "the state: got %v, want two objects, and one instance at the service", w.managed())
}

// A refresh that finds an object at another origin notes this before a change or a
// destroy, even if the service is slow to return the account.
func TestMovedOriginOfALateAccount(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, hookHCL)
	w.apply()
	state := w.state()
	w.use(front{}.before(t, fake), fakeservicetest.APIKey)
	fake.Inject(fakeservice.Fault{Method: "GET", Path: "/me", Times: -1, Delay: time.Second})
	w.configure(strings.Replace(hookHCL, "/shop", "/changed", 1))
	w.apply()
	w.mustBeSettled()
	w.write("terraform.tfstate", state)
	w.says(0, nil, "destroy", "-auto-approve")
	must(t, len(fake.Webhooks()) == 0, "the endpoint is not deleted")
}

// answersMe changes the account that GET /me returns.
func answersMe(fake *fakeservicetest.Server, change func(account map[string]any)) (remove func()) {
	return fake.Inject(fakeservice.Fault{Method: http.MethodGet, Path: "/me", Times: -1, Rewrite: change})
}

func withoutID(account map[string]any) { delete(account, "id") }

// Each account has a profile, so reading it does not show that the account is the right one.
func TestProfileShowsNoAccount(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, bareInstance("name = \"test\"\n plan = \"free\"\n region = \"eu-central\"\n engines = {}")+profile("company = \"Example Ltd\""))
	w.apply()
	answersMe(fake, withoutID)
	fake.RemoveInstance(onlyInstance(t, fake))
	w.says(1, []string{"Unable to confirm that Instance test"}, "plan")
}
