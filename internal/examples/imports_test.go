package examples

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

const providers = "terraform {\n  required_providers {\n    hosting = { source = \"instance-hosting/hosting\" }\n  }\n}\n"

var address = regexp.MustCompile(`(?m)^  to = (\S+)$`)

// importBlocks imports one resource of each type by import blocks in files. It uses the
// blocks of the pages of the types. The configuration is generated.
func importBlocks(t *testing.T, files []string) *workspace {
	fake := startFake(t)
	account(fake, instance("i-abc123", "shop"))
	w := newWorkspace(t, fake)
	w.write("providers.tf", providers)
	blocks := ""
	for _, file := range files {
		blocks += w.ofAccount(text(t, file))
	}
	w.write("imports.tf", blocks)
	w.terraform("plan", "-generate-config-out=generated.tf")
	says(t, w.apply(), imported(len(files)))
	w.mustBeSettled()
	return w
}

// ofAccount replaces the account's id in a text with the fake's.
func (w *workspace) ofAccount(text string) string {
	w.t.Helper()
	profile := must.Get(w.fake.Account(w.t.Context()))(w.t)
	return strings.ReplaceAll(text, "acc-abc123", profile.ID)
}

// importByIdentity imports by import blocks with an identity.
func importByIdentity(t *testing.T, files []string) {
	importBlocks(t, files).destroy()
}

// importByID imports by import blocks with an id, and then by the command.
func importByID(t *testing.T, files []string) {
	isCommand := func(file string) bool { return path.Base(file) == "import.sh" }
	blocks := slices.DeleteFunc(slices.Clone(files), isCommand)
	w := importBlocks(t, blocks)
	for _, file := range files {
		if !isCommand(file) {
			w.terraform("state", "rm", address.FindStringSubmatch(text(t, file))[1])
		}
	}
	w.remove("imports.tf")
	for _, file := range files {
		if !isCommand(file) {
			continue
		}
		if said, exit := w.run("sh", "-c", w.ofAccount(text(t, file))); exit != 0 {
			t.Errorf("%s: got exit code %d, want 0:\n%s", file, exit, said)
		}
	}
	w.mustBeSettled()
	w.destroy()
}
