package reports

import (
	"strings"
	"testing"
)

// A setting without an id is moved to another address, or made before it is destroyed.
func TestOneSettingAtTwoAddresses(t *testing.T) {
	const first = "lifecycle {\n    create_before_destroy = true\n  }"
	settings := resource("hosting_auth_settings.s", onMachine, `site_url = "https://shop.example.com"`, first) +
		resource("hosting_allowlist.s", onMachine, `cidrs = ["203.0.113.0/24"]`, `on_destroy = "open"`, first) +
		resource("hosting_console_mode.s", onMachine, `mode = "ro"`, first)
	kept := func(w *world) {
		w.t.Helper()
		i, _ := w.fake.Instance(w.id())
		w.be(len(i.Allowlist) == 1 && i.ConsoleMode == "ro" && i.Engines["auth"].SiteURL == "https://shop.example.com",
			"the settings: got %v, %s, %s", i.Allowlist, i.ConsoleMode, i.Engines["auth"].SiteURL)
	}
	report(t, "hashicorp/terraform#34083", "one setting at two addresses", situations{
		"replaced": func(w *world) {
			w.apply(machine("") + settings)
			w.apply(machine("") + settings)
			w.run(machine("")+settings, "apply",
				"-replace=hosting_allowlist.s", "-replace=hosting_auth_settings.s", "-replace=hosting_console_mode.s").succeeds()
			kept(w)
		},
		"renamed": func(w *world) {
			w.apply(machine("") + settings)
			w.apply(machine("") + strings.ReplaceAll(settings, `"s" {`, `"t" {`))
			kept(w)
			w.settled(machine("") + strings.ReplaceAll(settings, `"s" {`, `"t" {`))
		},
	})
}
