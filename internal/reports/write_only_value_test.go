package reports

import "testing"

// A write-only value comes from an ephemeral resource, or is missing in the apply.
func TestWriteOnlyValue(t *testing.T) {
	hook := func(secret, version string) string {
		return endpoint("https://hooks.example.com/in", "secret_wo = "+secret+"\n  secret_wo_version = "+version)
	}
	report(t, "hashicorp/terraform-provider-tfe#1992", "a write-only value", situations{
		"another value with the same version": func(w *world) {
			w.apply(hook(`"0123456789abcdef-one"`, "1"))
			w.settled(hook(`"0123456789abcdef-two"`, "1"))
			w.apply(hook(`"0123456789abcdef-two"`, "2"))
			w.counts(1, "PATCH", webhook)
			w.settled(hook(`"0123456789abcdef-two"`, "2"))
		},
		"the answer is lost": func(w *world) {
			w.apply(hook(`"0123456789abcdef-one"`, "1"))
			w.behaves(loses("PATCH", webhook))
			w.run(hook(`"0123456789abcdef-two"`, "2"), "apply")
			w.apply(hook(`"0123456789abcdef-two"`, "2"))
			w.be(w.fake.Webhooks()[0].Secret == "0123456789abcdef-two", "the service has another secret")
			w.settled(hook(`"0123456789abcdef-two"`, "2"))
		},
		"too short": func(w *world) {
			w.run(hook(`"short"`, "1"), "apply").failsOn("secret_wo")
			w.counts(0, "POST", webhooks)
		},
		"an ephemeral connection": func(w *world) {
			hcl := machine("") + ephemeral("hosting_connection.c", onMachine) +
				web(onMachine, "secret_env_wo = { DB = ephemeral.hosting_connection.c.postgres_owner_url }\n  secret_env_wo_version = 1")
			w.apply(hcl)
			w.settled(hcl)
			a, _ := w.fake.App(w.id(), "web")
			w.be(a.Env["DB"] != "", "the variable is not set")
			w.secret(a.Env["DB"])
			w.settled(hcl)
		},
	})
}
