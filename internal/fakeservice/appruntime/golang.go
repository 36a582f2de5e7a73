package appruntime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
)

// GoCaches names the caches of another user that builds of Go programs may read. Builds
// change nothing in them. With the zero value, builds download and compile everything
// themselves.
type GoCaches struct {
	// Modules and Builds are the folders that Go calls GOMODCACHE and GOCACHE.
	Modules, Builds string
	// Proxy is the source of modules that are not in Modules, in the form of GOPROXY. If it
	// is empty, there is no such source if Modules is set, and Go's default otherwise.
	Proxy string
}

// FindGoCaches asks Go for the caches of an environment. The result is empty if Go is not
// installed.
func FindGoCaches(ctx context.Context, environment []string) (GoCaches, error) {
	command := exec.CommandContext(ctx, "go", "env", "-json", "GOMODCACHE", "GOCACHE", "GOPROXY")
	command.Env = environment
	said, err := command.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return GoCaches{}, nil
	}
	if err != nil {
		return GoCaches{}, fmt.Errorf("go env: %w", err)
	}
	var found struct{ GOMODCACHE, GOCACHE, GOPROXY string }
	if err := json.NewDecoder(bytes.NewReader(said)).Decode(&found); err != nil {
		return GoCaches{}, fmt.Errorf("go env: %w", err)
	}
	return GoCaches{Modules: found.GOMODCACHE, Builds: found.GOCACHE, Proxy: withoutPasswords(found.GOPROXY)}, nil
}

// withoutPasswords removes the proxies whose addresses contain credentials.
func withoutPasswords(proxies string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(proxies, ","), func(proxy string) bool {
		return strings.Contains(proxy, "@")
	}), ",")
}

// The paths at which a build in a sandbox finds the caches.
const (
	modulesPoint = "/modules"
	cachePoint   = "/go-build"
)

// downloads returns the folder of a module cache that contains the downloads, in the form
// in which a proxy serves them.
func (c GoCaches) downloads() string { return filepath.Join(c.Modules, "cache", "download") }

// withoutIndex keeps Go from indexing modules: the index is the only thing that Go must
// write to its build cache.
const withoutIndex = "goindex=0"

// mounts returns the read-only mounts of a build.
func (c GoCaches) mounts() []process.Mount {
	var mounts []process.Mount
	if c.Modules != "" && isFolder(c.downloads()) {
		mounts = append(mounts, process.Mount{Point: modulesPoint, Source: c.downloads()})
	}
	if c.Builds != "" && isFolder(c.Builds) {
		mounts = append(mounts, process.Mount{Point: cachePoint, Source: c.Builds})
	}
	return mounts
}

// variables returns the variables that point Go to the caches. Without a sandbox, a build
// either is this program's user or sees only what every user can see.
func (c GoCaches) variables(home string, sandboxed bool) map[string]string {
	// Without -modcacherw, Go makes the folders of modules read-only, so that they cannot
	// be deleted.
	given := map[string]string{"GOFLAGS": "-modcacherw", "GOCACHE": filepath.Join(home, "go-build")}
	modules := c.downloads()
	if sandboxed {
		modules = modulesPoint
	}
	var proxies []string
	if c.Modules != "" && isFolder(c.downloads()) {
		proxies = append(proxies, "file://"+filepath.ToSlash(modules))
	}
	if c.Proxy != "" {
		proxies = append(proxies, c.Proxy)
	}
	if len(proxies) > 0 {
		given["GOPROXY"] = strings.Join(proxies, ",")
	}
	switch {
	case c.Builds == "" || !isFolder(c.Builds):
	case sandboxed:
		given["GOCACHE"], given["GODEBUG"] = cachePoint, withoutIndex
	case os.Geteuid() != 0:
		given["GOCACHE"] = c.Builds // the build could write there anyway
	}
	return given
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
