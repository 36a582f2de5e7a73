package guidetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliconfig"
	"github.com/instance-hosting/terraform-provider-hosting/internal/cliversion"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
	"github.com/instance-hosting/terraform-provider-hosting/internal/program"
	"github.com/instance-hosting/terraform-provider-hosting/internal/toolchain"
)

// installed is the reader's installation: a folder of programs for PATH, and a mirror in
// which the CLI finds the provider during init.
var installed program.SharedFolder

func TestMain(m *testing.M) { os.Exit(installed.Run(m)) }

// install returns the folder of programs and the CLI's configuration, both created once.
func install(t *testing.T) (programs, configuration string) {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		machine.Lacks(t, "guides are run only with TF_ACC=1")
	}
	folder := installed.Path(t, installAll)
	return filepath.Join(folder, "bin"), filepath.Join(folder, "cli.tfrc")
}

func installAll(folder string) error {
	cli, err := exec.LookPath(cliversion.UnderTest())
	if err == nil {
		cli, err = filepath.Abs(cli)
	}
	if err != nil {
		return err
	}
	mirror := filepath.Join(folder, "mirror")
	bin := filepath.Join(folder, "bin")
	provider := filepath.Join(folder, program.Provider)
	if err := program.Build(provider, "."); err != nil {
		return err
	}
	if err := cliconfig.Mirror(mirror, provider); err != nil {
		return err
	}
	if err := program.Build(filepath.Join(bin, "fakeservice"), "cmd/fakeservice"); err != nil {
		return err
	}
	if err := program.Build(filepath.Join(bin, "progress"), "cmd/progress"); err != nil {
		return err
	}
	if err := os.Symlink(cli, filepath.Join(bin, "terraform")); err != nil {
		return err
	}
	// A person's browser is a request here.
	browser := "#!/bin/sh\nexec curl -fsS -o /dev/null \"$1\"\n"
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(browser), 0o755); err != nil { //nolint:gosec // it is run
		return err
	}
	return os.WriteFile(filepath.Join(folder, "cli.tfrc"), []byte(cliconfig.FromMirror(mirror)), 0o600)
}

// provide adds one of the programs that people use with Terraform to the folder of
// programs.
func provide(t *testing.T, name string) {
	t.Helper()
	path := toolchain.Find(t, repository, name)
	programs, _ := install(t)
	must.Do(t, os.Symlink(path, filepath.Join(programs, name)))
}
