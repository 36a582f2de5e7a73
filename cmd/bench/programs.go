package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// asReleased are the flags of a release build: without paths and debug information.
var asReleased = []string{"-trimpath", "-ldflags=-s -w"}

// programs are built from the tree for one run.
type programs struct {
	folder string
	flags  []string // of the builds
	// provider is this project's provider, reference answers with the prior state, and
	// scaffold is empty.
	provider, reference, scaffold string
	fake, account                 string
	// plugins is the folder in which CLIs find the meter as the provider.
	plugins string
}

// buildPrograms builds all programs from the tree into a folder.
func buildPrograms(ctx context.Context, tree, folder string, flags []string) (programs, error) {
	in := func(name string) string { return filepath.Join(folder, name) }
	p := programs{
		folder: folder, flags: flags, provider: in("provider"), reference: in("reference"), scaffold: in("scaffold"),
		fake: in("fakeservice"), account: in("account"), plugins: in("plugins"),
	}
	for _, built := range []struct{ to, from string }{
		{p.provider, "."},
		{p.reference, "./cmd/bench/reference"},
		{p.scaffold, "./cmd/bench/scaffold"},
		{p.fake, "./cmd/fakeservice"},
		{p.account, "./cmd/bench/account"},
		{filepath.Join(p.plugins, "terraform-provider-hosting"), "./cmd/bench/meter"},
	} {
		if err := p.build(ctx, tree, built.to, built.from); err != nil {
			return p, err
		}
	}
	return p, nil
}

func (p *programs) build(ctx context.Context, tree, to, from string) error {
	command := exec.CommandContext(ctx, "go", slices.Concat([]string{"build"}, p.flags, []string{"-o", to, from})...)
	command.Dir = tree
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", from, err, said)
	}
	return nil
}

// size returns the size of a program in bytes.
func size(program string) (int64, error) {
	info, err := os.Stat(program)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
