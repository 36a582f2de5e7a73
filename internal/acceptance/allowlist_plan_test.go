package acceptance

import (
	"strings"
	"testing"
)

func TestPlanOfAnAllowlistThatOpensTheInstance(t *testing.T) {
	fake := seeded(t)
	const opens = "The instance will be open to the internet"
	with := func(cidrs string) string {
		return settingHCL("hosting_allowlist", "test", `"i-one"`, "cidrs = "+cidrs)
	}
	w := newWorkspace(t, fake, "")
	for cidrs, addresses := range map[string]string{
		`[]`:                                "every address",
		`["0.0.0.0/0"]`:                     "every IPv4 address",
		`["203.0.113.0/24", "::/0"]`:        "every IPv6 address",
		`["0.0.0.0/0", "::/0", "10.0.0.1"]`: "every address",
	} {
		w.configure(with(cidrs))
		w.says(0, []string{opens, "lets " + addresses + " reach the instance"}, "plan")
	}
	w.configure(with(`["203.0.113.0/33"]`))
	w.says(1, []string{`"203.0.113.0/33" has a prefix length of 33, but the longest for its kind of address is 32`}, "plan")
	w.configure(with(`["::1/129"]`))
	w.says(1, []string{`for its kind of address is 128, as in 2001:db8::/32`}, "plan")
	changedNothing(t, fake)

	// An instance that is already open is not reported as opened.
	w.configure(with(`["0.0.0.0/0"]`))
	w.apply()
	w.configure(with(`["0.0.0.0/0", "203.0.113.0/24"]`))
	r := w.run("plan", "-no-color")
	must(t, r.exit == 0 && !strings.Contains(r.output, opens), "the plan: got exit %d, want 0 and no warning:\n%s", r.exit, r.output)
}

// A list that is known only after apply may open the instance, so the plan warns.
func TestPlanOfAnAllowlistThatIsNotKnownYet(t *testing.T) {
	fake := seeded(t)
	w := newWorkspace(t, fake, settingHCL("hosting_allowlist", "test", `"i-one"`, `cidrs = ["10.0.0.1"]`))
	w.apply()
	for cidrs, input := range map[string]string{"terraform_data.list.output": "[]", "[terraform_data.list.output]": `"0.0.0.0/0"`} {
		w.configure(settingHCL("hosting_allowlist", "test", `"i-one"`, "cidrs = "+cidrs) + "\nresource \"terraform_data\" \"list\" {\n  input = " + input + "\n}\n")
		w.says(0, []string{"The instance may be open to the internet", "The planned allowlist of instance i-one is known after apply."}, "plan")
	}
}
