package reports

import (
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// Reads lag behind writes.
func TestReadsThatLag(t *testing.T) {
	hcl := func(tag, link string) string {
		return machine("tags = [\""+tag+"\"]") + web(onMachine, "links = ["+link+"]") +
			resource("hosting_auth_settings.s",
				onMachine,
				`site_url = "https://shop.example.com"`,
				"redirect_urls = [\"https://"+tag+".example.com/**\"]") +
			list(`["203.0.113.0/24"]`) + orders(onMachine, "") + crypto(onMachine)
	}
	report(t, "elastic/terraform-provider-ec#601", "reads that lag", situations{
		"by 15 seconds": func(w *world) {
			w.fake.SetConditions(fakeservice.Conditions{Lag: 15 * time.Second})
			w.apply(hcl("one", ""))
			w.settled(hcl("one", ""))
			w.apply(hcl("two", `"auth"`))
			w.settled(hcl("two", `"auth"`))
			w.apply(hcl("two", ""))
			w.settled(hcl("two", ""))
			w.run(hcl("two", ""), "destroy").succeeds()
			w.counts(1, "POST", instances)
		},
		"a machine that is not shown while it is created": func(w *world) {
			hcl := machine(`timeouts = { create = "1m" }`)
			w.apply(hcl).warns("timeout")
			remove := w.behaves(answers("GET", instance, 404, "not_found", "there is no such instance"),
				trait{method: "GET", path: instances, before: func(x *exchange) { x.status, x.answer = 200, map[string]any{"instances": []any{}} }})
			w.run(hcl, "plan").never("create", "replace").lacks("is gone")
			remove()
			w.wait(time.Hour)
			w.apply(hcl)
			w.settled(hcl)
			w.counts(1, "POST", instances)
		},
		"a database that is not shown while it is created": func(w *world) {
			hcl := machine("") + orders(onMachine, `timeouts = { create = "1m" }`)
			w.fake.SetDuration("database_create", 30*time.Minute)
			w.apply(hcl).warns("timeout")
			w.run(hcl, "plan").never("create", "replace").lacks("is gone")
			w.wait(time.Hour)
			w.apply(hcl)
			w.settled(hcl)
			w.counts(1, "POST", databases)
		},
	})
}
