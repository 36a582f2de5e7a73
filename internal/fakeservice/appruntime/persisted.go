package appruntime

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// Kept is the record with which another run resumes an app, with the data in its folder. It
// can be written as JSON.
type Kept struct {
	// Folder is the name of the app's folder inside the Runtime's.
	Folder string `json:"folder"`
	// Address is the public address, which the app gets again if it is free.
	Address string `json:"address,omitempty"`
	// Build is the deployed version, or nil.
	Build *KeptBuild `json:"build,omitempty"`
}

// KeptBuild is the record with which another run resumes a build.
type KeptBuild struct {
	ID     string `json:"id"`
	Folder string `json:"folder"`
	Commit string `json:"commit"`
	// Command starts the build. If Built is set, its first word is a path inside the
	// build's folder.
	Command []string `json:"command"`
	Built   bool     `json:"built,omitempty"`
}

// The names that os.MkdirTemp makes for the folders of apps and builds.
var (
	appFolder   = regexp.MustCompile(`^app-[0-9]+$`)
	buildFolder = regexp.MustCompile(`^build-[0-9]+$`)
)

// Check checks a record that another program may have written.
func (k Kept) Check() error {
	if !appFolder.MatchString(k.Folder) {
		return fmt.Errorf("%q is not the folder of an app", k.Folder)
	}
	if _, err := netip.ParseAddrPort(k.Address); k.Address != "" && err != nil {
		return err
	}
	if k.Build == nil {
		return nil
	}
	return k.Build.Check()
}

// Check checks a record that another program may have written.
func (k KeptBuild) Check() error {
	switch {
	case !buildFolder.MatchString(k.Folder):
		return fmt.Errorf("%q is not the folder of a build", k.Folder)
	case len(k.Command) == 0:
		return errors.New("the build has no command")
	case k.Built && !filepath.IsLocal(k.Command[0]):
		return fmt.Errorf("the command %q is not in the folder of the build", k.Command[0])
	}
	return nil
}

// Kept returns the record with which another run resumes the build.
func (b *Build) Kept() KeptBuild {
	k := KeptBuild{ID: b.ID, Folder: filepath.Base(b.folder), Commit: b.Commit}
	k.Command = append(k.Command, b.command...)
	if inside, ok := strings.CutPrefix(k.Command[0], b.folder+string(filepath.Separator)); ok {
		k.Command[0], k.Built = inside, true
	}
	return k
}

// OpenBuild resumes a build of another run.
func (r *Runtime) OpenBuild(k KeptBuild) (*Build, error) {
	if err := k.Check(); err != nil {
		return nil, err
	}
	b := &Build{ID: k.ID, Commit: k.Commit, folder: filepath.Join(r.folder, k.Folder)}
	b.work = filepath.Join(b.folder, sourceFolder)
	b.command = append(b.command, k.Command...)
	if k.Built {
		b.command[0] = filepath.Join(b.folder, b.command[0])
	}
	if info, err := os.Lstat(b.work); err != nil || !info.IsDir() {
		return nil, errors.Join(fmt.Errorf("build %s no longer exists", k.ID), err)
	}
	return b, nil
}

// Save copies the build to a folder. It returns the record that LoadBuild needs.
func (b *Build) Save(ctx context.Context, folder string) (KeptBuild, error) {
	_, err := CopyData(ctx, b.folder, folder)
	return b.Kept(), err
}

// LoadBuild makes a build from a saved copy.
func (r *Runtime) LoadBuild(ctx context.Context, k KeptBuild, folder string) (*Build, error) {
	own, err := r.newBuildFolder()
	if err != nil {
		return nil, err
	}
	if err = os.Remove(filepath.Join(own, sourceFolder)); err == nil {
		_, err = CopyData(ctx, folder, own)
	}
	k.Folder = filepath.Base(own)
	b, openErr := r.OpenBuild(k)
	if err = errors.Join(err, openErr); err != nil {
		return nil, errors.Join(err, os.RemoveAll(own))
	}
	return b, nil
}

// Kept returns the record with which another run resumes the app.
func (a *App) Kept() Kept {
	k := Kept{Folder: filepath.Base(a.folder), Address: a.front.kept()}
	if build := a.Build(); build != nil {
		kept := build.Kept()
		k.Build = &kept
	}
	return k
}

// Reopen resumes an app of another run. The app does not run until it is restarted. If its
// build cannot be used, Reopen returns an error in addition to the app, which then has only
// its data.
func (r *Runtime) Reopen(name Name, k Kept) (*App, error) {
	if err := k.Check(); err != nil {
		return nil, err
	}
	a, err := openApp(r, name, filepath.Join(r.folder, k.Folder))
	if err != nil {
		return nil, err
	}
	// An address that other machines reach may be from a run that was told to listen there.
	if at, err := netip.ParseAddrPort(k.Address); err == nil && (at.Addr().IsLoopback() || r.options.Public.Shared()) {
		a.front.address = k.Address
	}
	if k.Build != nil {
		if a.build, err = r.OpenBuild(*k.Build); err == nil {
			err = give(a.build.folder, a.user)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed
	}
	r.apps[name] = a
	return a, err
}

// Discard removes the folder of an app or a build that was not resumed.
func (r *Runtime) Discard(folder string) error {
	if !appFolder.MatchString(folder) && !buildFolder.MatchString(folder) {
		return fmt.Errorf("%q is not the folder of an app or a build", folder)
	}
	return workdir.RemoveAll(filepath.Join(r.folder, folder))
}
