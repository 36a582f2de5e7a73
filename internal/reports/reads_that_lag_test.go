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
	})
}
