package reports

import (
	"fmt"
	"testing"
)

// An object that is gone is answered with another status than 404.
func TestGoneInOtherWords(t *testing.T) {
	hcl := endpoint("https://hooks.example.com/in", "")
	all := situations{}
	for status, code := range map[int]string{400: "invalid_request", 422: "validation_failed", 403: "forbidden", 410: "gone"} {
		all[fmt.Sprint(status)] = func(w *world) {
			w.apply(hcl)
			w.fake.RemoveWebhook(w.fake.Webhooks()[0].ID)
			w.behaves(trait{path: webhook, before: func(x *exchange) { x.refuses(status, code, "id: unknown") }})
			o := w.run(hcl, "plan").lacks("Change the value", "network problem")
			if o.Exit == 1 {
				o.fails("id: unknown", "state rm")
				w.manages(endpointAddress)
			}
		}
	}
	report(t, "cloudflare/terraform-provider-cloudflare#6930", "gone in other words", all)
}
