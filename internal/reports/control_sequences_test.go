package reports

import (
	"strings"
	"testing"
	"unicode"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// A text of the service has control sequences of a terminal.
func TestControlSequences(t *testing.T) {
	const coloured = "\x1b[31mnpm ERR!\x1b[0m missing script\x1b[2J\x1b]0;title\x07\rdone"
	clean := func(o outcome) {
		for _, d := range o.Diagnostics {
			for _, r := range d.Summary + d.Detail {
				if unicode.IsControl(r) && r != '\n' && r != '\t' {
					o.world.t.Errorf("%s prints the control character %q", o.what, r)
					return
				}
			}
		}
	}
	hcl := machine("") + web(onMachine, "")
	report(t, "hashicorp/terraform#32313", "control sequences", situations{
		"the log of a build": func(w *world) {
			w.fake.FailBuilds(fakeservice.BuildMatch{}, 1, coloured)
			clean(w.run(hcl, "apply").fails("npm ERR!", "missing script"))
		},
		"the log of an app": func(w *world) {
			w.fake.FailStarts(fakeservice.AppMatch{}, 1, fakeservice.AppFailure{Exited: true, Log: coloured})
			clean(w.run(hcl, "apply").fails("npm ERR!"))
		},
		"a secret within": func(w *world) {
			secret := w.secret("canary-secret")
			w.fake.FailBuilds(fakeservice.BuildMatch{}, 1, "token "+secret[:6]+"\x1b[0m"+secret[6:])
			o := w.run(machine("")+web(onMachine, "env = { TOKEN = \""+secret+"\" }"), "apply").fails()
			clean(o)
			w.be(!strings.Contains(strings.ReplaceAll(o.text(), "\x1b[0m", ""), secret), "the secret is printed with a sequence in it")
		},
		"the detail of an error": func(w *world) {
			w.behaves(answers("POST", instances, 422, "validation_failed", "name: "+coloured))
			clean(w.run(hcl, "apply").fails("npm ERR!"))
		},
		"the error of a job": func(w *world) {
			w.fake.FailJobs(jobMatch{Operation: "create"}, 1, "trouble", coloured)
			clean(w.run(hcl, "apply").fails("npm ERR!"))
		},
	})
}
