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

// GoCaches are what builds of Go programs may read of somebody's. They change
// nothing there. The zero value is nothing, so that they download and compile
// everything anew.
type GoCaches struct {
	// Modules and Builds are the folders that Go calls GOMODCACHE and GOCACHE.
	Modules, Builds string
	// Proxy is where modules come from that are not in Modules, as GOPROXY has
	// it. Empty is nowhere, if there are Modules, and else Go's own.
	Proxy string
}

// FindGoCaches asks Go for those of an environment. They are none where there is
// no Go.
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

// withoutPasswords leaves out the proxies whose address tells a password.
func withoutPasswords(proxies string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(proxies, ","), func(proxy string) bool {
		return strings.Contains(proxy, "@")
	}), ",")
}

// Where a build in a sandbox finds the caches.
const (
	modulesPoint = "/modules"
	cachePoint   = "/go-build"
)

// downloads is where a module cache has what was downloaded, in the form in
// which a proxy serves it.
func (c GoCaches) downloads() string { return filepath.Join(c.Modules, "cache", "download") }

// withoutIndex keeps Go from indexing modules: it is the one thing that Go has to write
// to its build cache.
const withoutIndex = "goindex=0"

// mounts are those of a build, which it can only read.
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

// variables say to Go where the caches are. Without a sandbox a build is this program's
// user, or sees only what every user does.
func (c GoCaches) variables(home string, sandboxed bool) map[string]string {
	// Without -modcacherw Go takes from everybody the right to remove modules.
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
		given["GOCACHE"] = c.Builds // the build could write there anyhow
	}
	return given
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
