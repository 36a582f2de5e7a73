package acceptance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// Faults of reads.
var readFaults = []faultRow{
	{14, "404 or 410 later: passing, contradicted, true", func(t *testing.T) string {
		const endpoint = "resource \"hosting_webhook_endpoint\" \"test\" {\n url = \"https://hooks.example\"\n}"
		cases := map[string]func(*testing.T){}
		for _, status := range []int{http.StatusNotFound, http.StatusGone} {
			gone := fakeservice.Fault{Method: "GET", Path: "/webhooks/*", Status: status, Code: "not_found"}
			cases[fmt.Sprint(status, " once")] = func(t *testing.T) {
				fake := startFake(t)
				w := newWorkspaceBeside(t, fake, endpoint)
				w.apply()
				fake.Inject(gone)
				w.mustBeSettled()
				must(t, fake.Count("GET", "/webhooks/*") >= 2, "looks at the endpoint: got %d, want at least 2", fake.Count("GET", "/webhooks/*"))
			}
			cases[fmt.Sprint(status, " though it is listed")] = func(t *testing.T) {
				fake := startFake(t)
				w := newWorkspaceBeside(t, fake, endpoint)
				w.apply()
				before := w.read("terraform.tfstate")
				fake.Inject(always(gone))
				w.fails("but is in the list", "stays in the state")
				must(t, w.read("terraform.tfstate") == before, "the state changed")
			}
			cases[fmt.Sprint(status, " and removed")] = func(t *testing.T) {
				fake := startFake(t)
				w := newWorkspaceBeside(t, fake, endpoint)
				w.program = true // its looks are 15 s apart
				w.apply()
				fake.RemoveWebhook(fake.Webhooks()[0].ID)
				fake.Inject(always(gone))
				r := w.run("plan", "-no-color")
				must(t, r.exit == 0 && strings.Contains(r.output, "hosting_webhook_endpoint.test will be created") && strings.Contains(r.output, "is gone"), "the plan: got exit %d, want 0 and a creation of the endpoint that is gone:\n%s", r.exit, r.output)
				var at []time.Time
				for _, request := range fake.Requests() {
					if request.Method == "GET" && request.Status == status {
						at = append(at, request.RealAt)
					}
				}
				must(t, len(at) == 2 && at[1].Sub(at[0]) >= 14*time.Second, "looks at the endpoint: got them at %v, want two, 14s apart", at)
			}
		}
		atOnce(t, cases)
		return "2 kept after a passing one, 2 errors while listed, 2 removed with a warning after 2 looks 15 s apart"
	}},
	{15, "401, 403 and 500 on read", func(t *testing.T) string {
		fake := seededApps(t)
		var body strings.Builder
		for _, c := range asyncCases {
			body.WriteString(c.created + "\n")
		}
		w := newWorkspaceBeside(t, fake, body.String()+"\nresource \"hosting_webhook_endpoint\" \"test\" {\n url = \"https://hooks.example\"\n}")
		w.apply()
		before := w.read("terraform.tfstate")
		errors, others := 0, 0
		for _, status := range []int{401, 403, 500} {
			inject := func(paths ...string) (remove func()) {
				var removes []func()
				for _, path := range paths {
					removes = append(removes, fake.Inject(fakeservice.Fault{Method: "GET", Path: path, Times: -1, Status: status}))
				}
				return func() {
					for _, remove := range removes {
						remove()
					}
				}
			}
			// First all requests fail, then one kind at a time: the record, and its list
			// if it has one.
			for _, paths := range [][]string{{""}, {"/webhooks/*"}, {"/instances/i-one"}, {"/instances/*/apps", "/instances/*/apps/*"}, {"/instances/*/postgres/databases"}} {
				remove := inject(paths...)
				r := w.run("apply", "-auto-approve", "-no-color")
				must(t, r.exit == 1, "%d of %q: got exit %d, want 1:\n%s", status, paths, r.exit, r.output)
				remove()
				errors++
			}
			// A list only saves requests. If it fails, each record is read separately.
			remove := inject("/instances/*/apps", "/instances")
			w.mustBeSettled()
			remove()
			others++
		}
		must(t, w.read("terraform.tfstate") == before, "the state changed")
		w.mustBeSettled()
		return fmt.Sprintf("%d errors with %d resources, state kept to the byte; %d lists alone: read without", errors, len(asyncCases)+1, others)
	}},
	{16, "a stale read after a write", func(t *testing.T) string {
		fake := startFake(t)
		w := newWorkspaceBeside(t, fake, instanceHCL(plainInstance+"\n  tags = [\"a\"]"))
		w.apply()
		var stale atomic.Int64
		fake.Inject(fakeservice.Fault{Method: "GET", Path: "/instances/*", Times: -1, Rewrite: func(record map[string]any) {
			if tags, ok := record["tags"].([]any); ok && slices.Contains(tags, any("b")) && stale.Add(1) <= 3 {
				record["tags"] = []any{"a"}
			}
		}})
		w.configure(instanceHCL(plainInstance + "\n  tags = [\"a\", \"b\"]"))
		w.apply()
		w.mustBeSettled()
		must(t, jobsOf(fake, "update") == 1, "updates: got %d, want 1", jobsOf(fake, "update"))
		return "3 stale reads waited out, 1 update"
	}},
	{17, "the service normalises", func(t *testing.T) string {
		fake := seededApps(t)
		fake.Inject(fakeservice.Fault{Method: "GET", Times: -1, Rewrite: func(answer map[string]any) { normalise(answer) }})
		body := instanceHCL(plainInstance+"\n  tags = [\"a\", \"b\"]") + asyncCases[1].created +
			"\nresource \"hosting_allowlist\" \"test\" {\n instance_id = \"i-one\"\n cidrs = [\"203.0.113.7\", \"2001:DB8::/32\"]\n}" +
			"\nresource \"hosting_auth_settings\" \"test\" {\n instance_id = \"i-one\"\n site_url = \"https://App.example/X\"\n redirect_urls = []\n}" +
			"\nresource \"hosting_webhook_endpoint\" \"test\" {\n url = \"https://hooks.example/In\"\n}"
		w := newWorkspaceBeside(t, fake, body)
		w.apply()
		w.mustBeSettled()
		// Any other difference counts as drift.
		fake.EditInstance("i-one", func(i *fakeservice.Instance) { i.Allowlist = []string{"203.0.113.8"} })
		r := w.run("plan", "-detailed-exitcode", "-no-color")
		must(t, r.exit == 2 && strings.Contains(r.output, "hosting_allowlist.test will be updated"), "the plan: got exit %d, want 2 and an update of the allowlist:\n%s", r.exit, r.output)
		return "order, spelling, case and null for empty: second plan empty; another address: drift"
	}},
	{28, "webhook endpoint disabled by the service", func(t *testing.T) string {
		fake := startFake(t)
		w := newWorkspaceBeside(t, fake, "resource \"hosting_webhook_endpoint\" \"test\" {\n url = \"https://hooks.example\"\n}")
		w.apply()
		fake.EditWebhook(fake.Webhooks()[0].ID, func(h *fakeservice.Webhook) { h.Enabled, h.ConsecutiveFailures = false, 20 })
		r := w.run("plan", "-detailed-exitcode", "-no-color")
		must(t, r.exit == 2 && strings.Contains(r.output, "~ enabled"), "the plan: got exit %d, want 2 and a change of enabled:\n%s", r.exit, r.output)
		w.apply()
		must(t, fake.Webhooks()[0].Enabled && fake.Webhooks()[0].ConsecutiveFailures == 0, "the endpoint: got %+v, want it enabled without failures", fake.Webhooks()[0])
		return "shown as drift, enabled by 1 PATCH"
	}},
	{29, "a lost or extra field, another shape", func(t *testing.T) string {
		rows := map[string]func(map[string]any){
			"extra fields":        func(a map[string]any) { a["unheard_of"] = map[string]any{"deep": []any{1, "x", nil}} },
			"job.id for job_id":   func(a map[string]any) { move(a, "job_id", func(id any) { a["job"] = map[string]any{"id": id} }) },
			"job for job_id":      func(a map[string]any) { move(a, "job_id", func(id any) { a["job"] = id }) },
			"engines as booleans": func(a map[string]any) { eachEngines(a, booleans) },
			"engines as names":    func(a map[string]any) { eachEngines(a, names) },
			"no usage, no backups": func(a map[string]any) {
				delete(a, "usage")
				delete(a, "backups")
				delete(a, "monitoring")
				delete(a, "activity")
			},
			"no tags":         func(a map[string]any) { eachRecord(a, func(r map[string]any) { delete(r, "tags") }) },
			"no allowlist":    func(a map[string]any) { eachRecord(a, func(r map[string]any) { delete(r, "allowlist") }) },
			"no console mode": func(a map[string]any) { eachRecord(a, func(r map[string]any) { delete(r, "console_mode") }) },
			"build success words": func(a map[string]any) {
				if builds, ok := a["builds"].([]any); ok {
					for _, b := range builds {
						if b := b.(map[string]any); b["status"] == "successful" {
							b["status"] = "deployed"
						}
					}
				}
			},
			"no app details": func(a map[string]any) {
				eachRecord(a, func(r map[string]any) {
					delete(r, "memory_mb")
					delete(r, "env")
					delete(r, "links")
					delete(r, "port")
				})
			},
			"no created_at": func(a map[string]any) { eachRecord(a, func(r map[string]any) { delete(r, "created_at") }) },
		}
		for name, rewrite := range rows {
			fake := seededApps(t)
			fake.Inject(fakeservice.Fault{Times: -1, Rewrite: rewrite})
			w := newWorkspaceBeside(t, fake, instanceHCL(plainInstance+"\n  tags = [\"a\"]")+asyncCases[1].created+"\n"+asyncCases[3].created+"\n"+asyncCases[4].created)
			r := w.run("apply", "-auto-approve", "-no-color")
			must(t, r.exit == 0, "%s: the apply: got exit %d, want 0:\n%s", name, r.exit, r.output)
			r = w.run("plan", "-detailed-exitcode", "-no-color")
			must(t, r.exit == 0, "%s: the second plan: got\n%s\nwant no changes", name, r.output)
		}
		return fmt.Sprintf("%d shapes, second plan empty with each", len(rows))
	}},
}

// always returns a fault that never ends.
func always(f fakeservice.Fault) fakeservice.Fault {
	f.Times = -1
	return f
}

// normalise rewrites an answer like a service that stores its records in a different
// form.
func normalise(value any) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			normalise(element)
		}
	case map[string]any:
		for key, entry := range value {
			switch entry := entry.(type) {
			case []any:
				slices.Reverse(entry)
				if len(entry) == 0 && (key == "tags" || key == "redirect_urls" || key == "links") {
					value[key] = nil
				}
			case string:
				switch key {
				case "repo":
					value[key] = strings.ToUpper(entry)
				case "url", "site_url":
					if scheme, rest, ok := strings.Cut(entry, "://"); ok {
						host, path, _ := strings.Cut(rest, "/")
						value[key] = scheme + "://" + strings.ToUpper(host) + "/" + path
					}
				}
			}
			if list, ok := value["allowlist"].([]any); ok && key == "allowlist" {
				for n, cidr := range list {
					if text := cidr.(string); !strings.Contains(text, "/") {
						list[n] = text + "/32"
					}
				}
			}
			normalise(value[key])
		}
	}
}

func move(a map[string]any, key string, to func(any)) {
	if value, ok := a[key]; ok && value != nil && a["build_id"] == nil && a["operation"] == nil {
		delete(a, key)
		to(value)
	}
}

// eachRecord visits the records of an answer: the answer itself, and the records of its
// list.
func eachRecord(a map[string]any, visit func(map[string]any)) {
	visit(a)
	for _, key := range []string{"instances", "apps"} {
		if list, ok := a[key].([]any); ok {
			for _, record := range list {
				visit(record.(map[string]any))
			}
		}
	}
}

// eachEngines changes the engines of instances. The engines in the plan list and the
// connection record are different objects, so it leaves them alone.
func eachEngines(a map[string]any, change func(map[string]any) any) {
	eachRecord(a, func(record map[string]any) {
		if engines, ok := record["engines"].(map[string]any); ok && record["region"] != nil {
			record["engines"] = change(engines)
		}
	})
}

func booleans(engines map[string]any) any {
	all := map[string]any{"nats": false}
	for name := range engines {
		all[name] = true
	}
	return all
}

func names(engines map[string]any) any {
	all := []any{}
	for name := range engines {
		all = append(all, name)
	}
	return all
}
