package core

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

var (
	appName    = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)
	repository = regexp.MustCompile(`^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$`)
	envName    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// checkAppNames checks the fields of an app that never change.
func checkAppNames(repo, name string) error {
	switch {
	case !repository.MatchString(repo):
		return invalid("repo", "it must be owner/repo")
	case name == "import":
		return invalid("name", "an app cannot have the name import, whose address is that of the import operation")
	case !appName.MatchString(name):
		return invalid("name", "it must be 1 to 40 lower case letters, digits and hyphens, the first of them a letter")
	}
	return nil
}

// checkNewApp checks the request for a new app, which gets a memory in MB.
func (st *state) checkNewApp(in *instance, wanted NewApp, memory int) error {
	if in.Engines[EngineApps] == nil {
		return noApps()
	}
	if err := checkAppNames(wanted.Repo, wanted.Name); err != nil {
		return err
	}
	if err := st.checkApp(in, wanted.AppChange); err != nil {
		return err
	}
	if in.app(wanted.Name) != nil {
		return alreadyExists("the instance has an app %q already", wanted.Name)
	}
	return in.checkAppsMemory(wanted.Name, memory)
}

// checkApp checks the fields that an import and an update share.
func (st *state) checkApp(in *instance, change AppChange) error {
	if err := change.check(); err != nil {
		return err
	}
	if change.MemoryMB != nil {
		if floor := st.Catalog.Engines[EngineApps].FloorMB; *change.MemoryMB < floor {
			return invalid("memory_mb", "%d is under the Apps minimum of %d", *change.MemoryMB, floor)
		}
	}
	if change.Links != nil && len(*change.Links) > 0 {
		if _, on := in.Engines[EngineAuth]; !on {
			return invalid("links", "the instance has no auth engine")
		}
	}
	return nil
}

// check checks the fields that were sent, each alone.
func (change AppChange) check() error {
	if change.Branch != nil {
		if err := checkBranch(*change.Branch); err != nil {
			return err
		}
	}
	if change.Port != nil && (*change.Port < 1 || *change.Port > 65535) {
		return invalid("port", "it must be from 1 to 65535")
	}
	if change.HealthPath != nil {
		if !strings.HasPrefix(*change.HealthPath, "/") {
			return invalid("health_path", "it must begin with a slash")
		}
		if err := checkPrintable("health_path", *change.HealthPath); err != nil {
			return err
		}
	}
	if change.Env != nil {
		if err := checkVariables(*change.Env); err != nil {
			return err
		}
	}
	if change.Links != nil {
		for _, link := range *change.Links {
			if link != EngineAuth {
				return invalid("links", "%q cannot be linked; there is auth", link)
			}
		}
	}
	return nil
}

// checkAppsMemory refuses a new app, or more memory for one, if the budget of the apps
// engine has no room for it in addition to the other apps.
func (in *instance) checkAppsMemory(name string, memory int) error {
	before, after := in.appsMemory(), in.appsMemory()+memory
	if a := in.app(name); a != nil {
		after -= a.MemoryMB
	}
	if engine := in.Engines[EngineApps]; engine != nil && after > before && after > engine.MemoryMB {
		return invalid("memory_mb", "the apps would have %d MB together, and the apps engine has %d MB", after, engine.MemoryMB)
	}
	return nil
}

// appsMemory returns the memory of all apps together, in MB.
func (in *instance) appsMemory() int {
	sum := 0
	for _, a := range in.Apps {
		sum += a.MemoryMB
	}
	return sum
}

// checkVariables refuses variables that no process can receive. It names the first
// invalid one in alphabetical order.
func checkVariables(env map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if !envName.MatchString(name) {
			return invalid("env", "%q is not a name of a variable", name)
		}
		if strings.Contains(env[name], "\x00") {
			return invalid("env", "the value of %s must not have a NUL", name)
		}
	}
	return nil
}
