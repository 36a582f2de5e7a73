package acceptance

import (
	"math"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

const inItsOwnForm = "The service stores values in its own form"

// storesInItsOwnForm makes the service answer with values in its own form. Tags are in
// lower case, budgets are multiples of 64 MB, URLs end in a slash, company names are
// trimmed, and address blocks have a prefix length.
func storesInItsOwnForm(fake *fakeservicetest.Server) {
	fake.Inject(fakeservice.Fault{Times: -1, Rewrite: func(answer map[string]any) { rewrite(answer) }})
}

func rewrite(value any) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			rewrite(element)
		}
	case map[string]any:
		for name, of := range value {
			value[name] = rewritten(name, of)
			rewrite(of)
		}
	}
}

func rewritten(name string, value any) any {
	all := func(change func(string) string) any {
		var changed []any
		list, _ := value.([]any)
		for _, element := range list {
			changed = append(changed, change(element.(string)))
		}
		return changed
	}
	switch text, isText := value.(string); {
	case name == "tags":
		return all(strings.ToLower)
	case name == "cidrs":
		return all(func(block string) string {
			if strings.Contains(block, "/") {
				return block
			}
			return block + "/32"
		})
	case name == "memory_mb":
		if budget, ok := value.(float64); ok {
			return math.Ceil(budget/64) * 64
		}
	case isText && (name == "url" || name == "site_url" || name == "health_path"):
		return strings.TrimSuffix(text, "/") + "/"
	case isText && name == "company":
		return strings.TrimSpace(text)
	}
	return value
}

// An apply reports once for each resource which values the service stores in its own
// form. A configuration with the stored form causes no warning.
func TestValuesThatTheServiceStoresInItsOwnForm(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		body            string
		requested, kept string // in the body
		says            []string
	}{
		"tags":   {instanceHCL(plainInstance + "\ntags = [VALUE]"), `"Prod"`, `"prod"`, []string{`tags: requested ["Prod"], kept ["prod"]`}},
		"budget": {instanceHCL("engines = { postgres = { memory_mb = VALUE } }"), "600", "640", []string{"engines: requested { postgres = { memory_mb = 600 } }, kept { postgres = { memory_mb = 640 } }"}},
		"auth settings": {"resource \"hosting_auth_settings\" \"test\" {\n instance_id = \"i-one\"\n site_url = VALUE\n}\n", `"https://a.example"`, `"https://a.example/"`,
			[]string{`site_url: requested "https://a.example", kept "https://a.example/"`}},
		"endpoint": {"resource \"hosting_webhook_endpoint\" \"test\" {\n url = VALUE\n}\n", `"https://a.example"`, `"https://a.example/"`, []string{"url: the values are not shown here"}},
		"profile":  {"resource \"hosting_account_profile\" \"test\" {\n company = VALUE\n}\n", `"Acme "`, `"Acme"`, []string{`company: requested`}},
		"app":      {appOn(`"i-one"`, "name = \"app\"\nhealth_path = VALUE"), `"/health"`, `"/health/"`, []string{`health_path: requested`}},
	} {
		t.Run(name, func(t *testing.T) {
			fake := seededApps(t)
			storesInItsOwnForm(fake)
			w := newWorkspace(t, fake, strings.Replace(row.body, "VALUE", row.requested, 1))
			for range 2 { // the second apply begins with the stored form in the state
				r := w.says(0, append(row.says, inItsOwnForm), "apply", "-auto-approve")
				must(t, strings.Count(r.output, inItsOwnForm) == 1, "the apply: got\n%s\nwant the warning about the form once", r.output)
				w.says(2, nil, "plan", "-detailed-exitcode")
			}

			w.configure(strings.Replace(row.body, "VALUE", row.kept, 1))
			r := w.apply()
			must(t, !strings.Contains(r.output, inItsOwnForm), "the apply: got\n%s\nwant no warning about the form", r.output)
			w.mustBeSettled()
		})
	}
}

// If the service accepts a change but does not make it, the apply ends with an error, the
// state keeps the old value, and the next apply requests the change again.
func TestValuesThatTheServiceDoesNotChange(t *testing.T) {
	fake := startFake(t)
	body := instanceHCL(plainInstance + "\ntags = [\"old\"]")
	w := newWorkspace(t, fake, body)
	w.apply()
	fake.Inject(fakeservice.Fault{Times: -1, Rewrite: func(answer map[string]any) {
		if _, there := answer["tags"]; there {
			answer["tags"] = []any{"old"}
		}
	}})
	w.configure(strings.Replace(body, "old", "new", 1))
	for range 2 {
		before := fake.Count("PATCH", "/instances/*")
		w.says(1, []string{"The service did not make the change", `tags: requested ["new"], kept ["old"]`}, "apply", "-auto-approve")
		must(t, fake.Count("PATCH", "/instances/*") == before+1, "the change was not requested")
		w.says(2, nil, "plan", "-detailed-exitcode")
	}
}

// A change by another client in the meantime is not reported as the service's form.
func TestSomebodyElsesChangeIsNoFormOfItsOwn(t *testing.T) {
	fake := startFake(t)
	body := instanceHCL(plainInstance + "\ntags = [\"Prod\"]")
	w := newWorkspace(t, fake, body)
	w.apply()
	w.configure(strings.Replace(body, "postgres = {}", "postgres = {}, redis = {}", 1))
	w.says(0, nil, "plan", "-out=plan.tfplan")
	fake.EditInstance(onlyInstance(t, fake), func(i *fakeservice.Instance) { i.Tags = []string{"portal"} })
	r := w.says(0, nil, "apply", "plan.tfplan")
	must(t, !strings.Contains(r.output, inItsOwnForm), "the apply: got\n%s\nwant no warning about the form", r.output)
	w.apply()
	w.mustBeSettled()
}

// A URL may contain a token, so the warning does not show it.
func TestStoredURLIsNotShown(t *testing.T) {
	fake := startFake(t)
	storesInItsOwnForm(fake)
	w := newWorkspace(t, fake, "variable \"url\" {\n default = \"https://a.example/token-of-the-receiver\"\n sensitive = true\n}\n"+
		"resource \"hosting_webhook_endpoint\" \"test\" {\n url = var.url\n}\n")
	r := w.says(0, []string{inItsOwnForm}, "apply", "-auto-approve")
	must(t, !strings.Contains(r.output, "token-of-the-receiver"), "the apply: got\n%s\nwant it without the token", r.output)
}

// A different spelling of the same value is not reported as the service's form.
func TestSpellingsThatMeanTheSame(t *testing.T) {
	fake := seededApps(t)
	storesInItsOwnForm(fake)
	w := newWorkspace(t, fake, "resource \"hosting_allowlist\" \"test\" {\n instance_id = \"i-one\"\n cidrs = [\"203.0.113.7\"]\n}\n")
	r := w.apply()
	must(t, !strings.Contains(r.output, inItsOwnForm), "the apply: got\n%s\nwant no warning about the form", r.output)
	w.mustBeSettled()
}
