package reports

import "testing"

// The service is busy, and says so with another status or code.
func TestBusyInOtherWords(t *testing.T) {
	three := `
resource "hosting_webhook_endpoint" "hook" {
  for_each = toset(["a", "b", "c"])
  url      = "https://hooks.example.com/${each.key}"
}
`
	report(t, "sacloud/terraform-provider-sakuracloud#46", "busy in other words", situations{
		"423 of an instance": func(w *world) {
			w.apply(machine(""))
			w.behaves(answersNext(3, "PUT", allowlist, 423, "locked", "instance is locked"))
			w.apply(machine("") + list(`["203.0.113.0/24"]`))
		},
		"409 of the account": func(w *world) {
			w.behaves(answersNext(2, "POST", webhooks, 409, "locked", "another change of the account is under way"))
			o := w.run(three, "apply")
			w.be(o.Exit == 0 || len(w.fake.Webhooks()) == 1, "endpoints: got %d", len(w.fake.Webhooks()))
			o.lacks("network problem", "base_url")
			w.apply(three)
			w.be(len(w.fake.Webhooks()) == 3, "endpoints: got %d, want 3", len(w.fake.Webhooks()))
			w.settled(three)
		},
	})
}
