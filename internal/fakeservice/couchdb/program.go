package couchdb

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// oldestVersion is the first Node.js that runs the npm packages of the server.
const oldestVersion = 18

// Program is what servers run. The zero value means that it is missing.
type Program struct {
	// Node is the path of Node.js.
	Node string
	// Version is the major version of Node.js.
	Version int
	// Modules is the folder node_modules with the server's npm packages.
	Modules string
}

// MissingError says that Node.js or the npm packages of the server were not found, why, and
// what to do.
type MissingError struct{ Why string }

// Error returns a message for the person who starts the fake.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s; install Node.js %d or newer with npm, run make couchdb in the repository, and name its folder .bin/couchdb with --couchdb-modules", e.Why, oldestVersion)
}

// Locate finds Node.js on PATH, and the npm packages in a folder with node_modules. It
// returns a *MissingError if either is missing.
func Locate(ctx context.Context, folder string) (Program, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return Program{}, &MissingError{"node was not found on PATH"}
	}
	said, err := exec.CommandContext(ctx, node, "--version").Output()
	if err != nil {
		return Program{}, fmt.Errorf("%s --version: %w", node, err)
	}
	version, err := versionOf(node, string(said))
	if err != nil {
		return Program{}, err
	}
	modules, err := filepath.Abs(filepath.Join(folder, "node_modules"))
	if err != nil {
		return Program{}, err
	}
	if _, err := os.Stat(filepath.Join(modules, "express-pouchdb", "package.json")); err != nil {
		return Program{}, &MissingError{fmt.Sprintf("its npm packages were not found in %s", modules)}
	}
	return Program{node, version, modules}, nil
}

var nodeVersion = regexp.MustCompile(`^v(\d+)\.`)

// versionOf parses the output of node --version.
func versionOf(node, said string) (int, error) {
	match := nodeVersion.FindStringSubmatch(said)
	if match == nil {
		return 0, &MissingError{fmt.Sprintf("%s --version says %q", node, said)}
	}
	version, err := strconv.Atoi(match[1])
	if err != nil || version < oldestVersion {
		return 0, &MissingError{fmt.Sprintf("%s has version %s", node, match[1])}
	}
	return version, nil
}
