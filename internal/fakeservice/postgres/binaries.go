package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
)

// oldestVersion is the first PostgreSQL that has the role pg_read_all_data.
const oldestVersion = 14

// debianFolders matches the folders in which Debian and Ubuntu install the server, one for
// each version. They are not on PATH there.
const debianFolders = "/usr/lib/postgresql/*/bin"

// Binaries names the programs that clusters run.
type Binaries struct {
	// Postgres is the server, and Initdb creates its data folder.
	Postgres, Initdb string
	// Version is the server's major version.
	Version int
	// PgBouncer serves the pooled port. It is empty if PgBouncer is not installed.
	PgBouncer string
}

// MissingError says which programs were not found, and how to install them.
type MissingError struct{ Looked string }

// Error returns a message for the person who starts the fake.
func (e *MissingError) Error() string {
	return "PostgreSQL's server programs (postgres and initdb, version " + strconv.Itoa(oldestVersion) +
		" or newer) were not found " + e.Looked + "; " + howToInstall(runtime.GOOS)
}

func howToInstall(system string) string {
	switch system {
	case "darwin":
		return "install them with: brew install postgresql@17 pgbouncer, and name their folder with --postgres-bin"
	case "windows":
		return "the data plane does not run on Windows; use WSL"
	}
	return "install them with: apt-get install postgresql pgbouncer (Debian, Ubuntu), dnf install postgresql-server pgbouncer (Fedora), or name their folder with --postgres-bin"
}

// Locate finds the programs: in the named folder if there is one, or else on PATH and in
// Debian's folders, newest version first. It returns a *MissingError if it finds none.
func Locate(ctx context.Context, folder string) (Binaries, error) {
	folders := []string{folder}
	looked := "in " + folder
	if folder == "" {
		looked = "on PATH or in " + debianFolders
		folders = foldersToSearch()
	}
	var found []Binaries
	var errs []error
	for _, folder := range folders {
		b, err := inFolder(ctx, folder)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		found = append(found, b)
	}
	if len(found) == 0 {
		return Binaries{}, errors.Join(append([]error{&MissingError{looked}}, errs...)...)
	}
	best := slices.MaxFunc(found, func(a, b Binaries) int { return cmp.Compare(a.Version, b.Version) })
	if bouncer, err := exec.LookPath("pgbouncer"); err == nil {
		best.PgBouncer = bouncer
	} else if runnable("/usr/sbin/pgbouncer") {
		best.PgBouncer = "/usr/sbin/pgbouncer" // Debian's path, which is not on every user's PATH
	}
	return best, nil
}

// foldersToSearch returns the folders that contain a server.
func foldersToSearch() []string {
	var folders []string
	if server, err := exec.LookPath("postgres"); err == nil {
		// A link on PATH leads to the folder with the other programs.
		if real, err := filepath.EvalSymlinks(server); err == nil {
			server = real
		}
		folders = append(folders, filepath.Dir(server))
	}
	debian, _ := filepath.Glob(debianFolders) // the pattern is valid
	for _, folder := range debian {
		if runnable(filepath.Join(folder, "postgres")) && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	return folders
}

var serverVersion = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

func inFolder(ctx context.Context, folder string) (Binaries, error) {
	b := Binaries{Postgres: filepath.Join(folder, "postgres"), Initdb: filepath.Join(folder, "initdb")}
	for _, program := range []string{b.Postgres, b.Initdb} {
		if !runnable(program) {
			return b, fmt.Errorf("%s cannot be run", program)
		}
	}
	said, err := exec.CommandContext(ctx, b.Postgres, "--version").Output()
	if err != nil {
		return b, fmt.Errorf("%s --version: %w", b.Postgres, err)
	}
	match := serverVersion.FindSubmatch(said)
	if match == nil {
		return b, fmt.Errorf("%s --version says %q", b.Postgres, said)
	}
	if b.Version, err = strconv.Atoi(string(match[1])); err != nil || b.Version < oldestVersion {
		return b, fmt.Errorf("%s has version %s", b.Postgres, match[1])
	}
	return b, nil
}

func runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
