package redis

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
)

// oldestVersion is the first Redis whose append-only log begins with a file that can be
// replaced by a backup, and whose users may be denied single subcommands.
const oldestVersion = 7

// Program is the redis-server that servers run.
type Program struct {
	Path string
	// Version is its major version.
	Version int
}

// MissingError says that no suitable redis-server was found, why, and how to install one.
type MissingError struct{ Why string }

// Error returns a message for the person who starts the fake.
func (e *MissingError) Error() string {
	install := "apt-get install redis-server (Debian, Ubuntu), dnf install redis (Fedora)"
	if runtime.GOOS == "darwin" {
		install = "brew install redis"
	}
	return fmt.Sprintf("redis-server, version %d or newer, %s; install it with: %s", oldestVersion, e.Why, install)
}

var serverVersion = regexp.MustCompile(` v=(\d+)\.`)

// Locate finds redis-server on PATH. It returns a *MissingError if there is no suitable
// one.
func Locate(ctx context.Context) (Program, error) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return Program{}, &MissingError{"was not found on PATH"}
	}
	said, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return Program{}, fmt.Errorf("%s --version: %w", path, err)
	}
	return programOf(path, string(said))
}

// programOf parses the output of redis-server --version.
func programOf(path, said string) (Program, error) {
	match := serverVersion.FindStringSubmatch(said)
	if match == nil {
		return Program{}, &MissingError{fmt.Sprintf("was not found: %s --version says %q", path, said)}
	}
	version, err := strconv.Atoi(match[1])
	if err != nil || version < oldestVersion {
		return Program{}, &MissingError{fmt.Sprintf("was not found: %s has version %s", path, match[1])}
	}
	return Program{path, version}, nil
}
