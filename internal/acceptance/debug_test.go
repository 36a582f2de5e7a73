package acceptance

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// With -debug, the program prints a variable to export, however it was started. A CLI
// with this variable uses the running program. It needs no init and no override, and does
// not start a program itself.
func TestDebug(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, `data "hosting_account" "me" {}`)
	w.write("cli.tfrc", "") // no override
	w.program = true        // the one below

	program := exec.CommandContext(t.Context(), filepath.Join(providerFolder(t), "terraform-provider-hosting"), "-debug")
	program.Cancel = func() error { return program.Process.Signal(syscall.SIGINT) }
	program.Env = w.env // set here, because no CLI starts the program
	out, err := program.StdoutPipe()
	must(t, err == nil, "%v", err)
	must(t, program.Start() == nil, "the provider does not start")
	t.Cleanup(func() { _ = program.Wait() }) // the test's context has ended the program by then
	reattach := ""
	for lines := bufio.NewScanner(out); reattach == ""; {
		must(t, lines.Scan(), "the provider: got its end (%v), want first what to export", lines.Err())
		if _, value, found := strings.Cut(lines.Text(), "TF_REATTACH_PROVIDERS="); found {
			reattach = strings.Trim(value, "'")
		}
	}
	if host := os.Getenv("TF_ACC_PROVIDER_HOST"); host != "" { // OpenTofu's registry
		reattach = strings.ReplaceAll(reattach, "registry.terraform.io", host)
	}
	w.env = append(w.env, "TF_REATTACH_PROVIDERS="+reattach)
	r := w.run("apply", "-auto-approve", "-no-color")
	must(t, r.exit == 0 && fake.Count("GET", "/me") > 0, "the apply: got exit %d, want 0 and a request:\n%s", r.exit, r.output)

	// Interrupting a run stops the calls of this run, but not the calls of later runs.
	w.configure(instanceHCL(plainInstance))
	release := fake.HoldJobs(fakeservice.JobMatch{Operation: "create"})
	apply := w.start("apply", "-auto-approve", "-no-color")
	apply.until("the instance is being created", func() bool { return len(fake.Instances()) == 1 })
	apply.signal(syscall.SIGINT)
	r = apply.wait()
	must(t, strings.Contains(r.output, "nterrupt"), "the interrupted apply: got exit %d, want that it was interrupted:\n%s", r.exit, r.output)
	release()
	w.apply()
	w.mustBeSettled()
	must(t, len(fake.Instances()) == 1, "instances: got %d, want 1", len(fake.Instances()))
}
