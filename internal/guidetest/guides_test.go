package guidetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// fakeOf lists the additional arguments of a guide's fake.
var fakeOf = map[string][]string{
	"adopting-an-account":  {"--setup", "testdata/account.json"},
	"backup-and-restore":   {"--data-plane", "on", "--speed", "200"},
	"network-access":       {"--setup", "testdata/open.json"},
	"unmanaged-and-drift":  {"--setup", "testdata/open.json"},
	"secrets-and-postgres": {"--data-plane", "on", "--repo", "acme/shop=testdata/shop"},
}

// ofEngines are the guides whose commands need PostgreSQL on the reader's machine.
var ofEngines = []string{"secrets-and-postgres", "app-requirements", "backup-and-restore", "browser-auth"}

// installedOf lists the programs that the commands of a guide need on the reader's machine.
var installedOf = map[string][]string{
	"backup-and-restore":  {"pg_dump"},
	"unmanaged-and-drift": {"python3"},
	"webhooks":            {"node", "openssl"},
}

// toolchainOf lists the programs other than the CLI that the commands of a guide need.
var toolchainOf = map[string][]string{
	"editors-linters-policies": {"tflint", "conftest"},
}

// nightly are the guides that make test leaves to the night: those that need other
// products' programs, and those whose commands other guides and tests run too.
var nightly = []string{
	"editors-linters-policies", "backup-and-restore", "interrupted-applies", "previews", "progress",
	"remote-state", "several-accounts", "versions-and-upgrades",
}

// languages of blocks that a guide only shows.
var shown = []string{"text", "json"}

// TestGuides follows each guide of docs/guides word by word. It works in an empty folder
// with the programs that a reader has installed, on a fake service:
//
//   - a block that begins with a comment of a file's name, such as `# main.tf`, is written
//     to that file;
//   - a block of the language shell is run, and each of its commands must succeed;
//   - in a block of the language console, each line with the prompt `$ ` is run, and must
//     print the lines that follow. If a command fails, the next one is `echo $?`;
//   - a comment `<!-- fake: POST /jobs/hold {} -->` sends a request to the fake at that
//     point;
//   - a guide that reads $STATE_URL finds a server for a Terraform state there.
//
// Nothing in between is skipped: any other block fails the test.
func TestGuides(t *testing.T) {
	guides := must.Get(filepath.Glob(repository + "/docs/guides/*.md"))(t)
	if len(guides) < 20 {
		t.Errorf("guides in docs/guides: got %d, want at least 20", len(guides))
	}
	var files, commands atomic.Int64
	t.Cleanup(func() {
		t.Logf("%d guides: %d files written, %d blocks and commands run", len(guides), files.Load(), commands.Load())
	})
	for _, path := range guides {
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		t.Run(name, func(t *testing.T) {
			if slices.Contains(nightly, name) {
				tier.Night.Only(t)
			}
			t.Parallel()
			text := must.Get(os.ReadFile(path))(t)
			if _, err := postgres.Locate(t.Context(), ""); err != nil && slices.Contains(ofEngines, name) {
				machine.Lacks(t, "%s", err)
			}
			for _, program := range installedOf[name] {
				if _, err := exec.LookPath(program); err != nil {
					machine.Lacks(t, "%s is not installed", program)
				}
			}
			for _, program := range toolchainOf[name] {
				provide(t, program)
			}
			var variables []string
			if strings.Contains(string(text), "$STATE_URL") {
				variables = append(variables, "STATE_URL="+startStateServer(t))
			}
			written, run := follow(t, string(text), startFake(t, fakeOf[name]...), variables...)
			files.Add(int64(written))
			commands.Add(int64(run))
		})
	}
}

// follow follows a page, and returns the number of files that it wrote, and the number of
// blocks and commands that it ran. The reader has the variables of the fake, and others.
func follow(t *testing.T, page string, fake *fake, variables ...string) (files, commands int) {
	t.Helper()
	reader := openTerminal(t, append(fake.variables(), variables...)...)
	for _, b := range blocksOf(page) {
		switch {
		case b.language == "fake":
			fake.tell(t, b.text)
		case b.file() != "":
			reader.write(b.file(), b.text)
			files++
		case b.language == "shell":
			if output := reader.run(b.text, true); reader.exit != 0 {
				t.Fatalf("line %d: got exit code %d, want 0, of\n%s\nwhich said:\n%s", b.line, reader.exit, b.text, colour.ReplaceAllString(output, ""))
			}
			commands++
		case b.language == "console":
			commands += reader.converse(b)
		case !slices.Contains(shown, b.language):
			t.Errorf("line %d: got a block of the language %q, want a file, commands or a language that is only shown", b.line, b.language)
		}
	}
	return files, commands
}

// converse types the commands of a block of the language console, and returns their number.
func (s *terminal) converse(b block) int {
	s.t.Helper()
	commands := b.commands()
	for at, c := range commands {
		if c.text == "" {
			s.t.Fatalf("line %d: got the start of a block %q, want a prompt", b.line, b.text)
		}
		output := s.run(c.text, false)
		if !shows(output, c.says) {
			s.t.Fatalf("line %d: the output of %s: got\n%s\nwant\n%s", b.line, c.text, colour.ReplaceAllString(output, ""), c.says)
		}
		asked := at+1 < len(commands) && commands[at+1].text == "echo $?\n"
		if s.exit != 0 && !asked {
			s.t.Fatalf("line %d: got exit code %d, of which the page says nothing, want 0, of %s\nwhich said:\n%s", b.line, s.exit, c.text, colour.ReplaceAllString(output, ""))
		}
	}
	return len(commands)
}
