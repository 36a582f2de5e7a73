package cliconfig

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// Edition is the provider's version in a mirror. Every version constraint of the
// documentation and the examples must accept it.
const Edition = "0.1.0"

// FromMirror returns a configuration with which a CLI installs providers only from a
// mirror.
func FromMirror(mirror string) string {
	return fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror)
}

// Mirror copies the built provider to the place where init of Terraform and of OpenTofu
// finds it. So the provider is installed in the usual way, and no command warns of an
// override.
func Mirror(mirror, program string) error {
	for _, host := range hosts {
		folder := filepath.Join(mirror, host, filepath.FromSlash(Provider), Edition, runtime.GOOS+"_"+runtime.GOARCH)
		if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // other users run it, in tests of theirs
			return err
		}
		if err := copyProgram(program, filepath.Join(folder, "terraform-provider-hosting_v"+Edition+filepath.Ext(program))); err != nil {
			return err
		}
	}
	return nil
}

// copyProgram copies a program, because it may be rebuilt while it is used.
func copyProgram(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755) //nolint:gosec // it is run
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	_, err = io.Copy(target, source)
	return err
}
