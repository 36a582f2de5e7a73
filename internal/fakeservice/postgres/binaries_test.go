package postgres

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// pretend creates a folder with fake programs of a version.
func pretend(t *testing.T, says string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"postgres", "initdb"} {
		// A shell writes the file. A program that this process has just written may not
		// start while another test forks ("text file busy"). The forked child keeps the
		// file open for writing until it execs.
		write := exec.CommandContext(t.Context(), "sh", "-c", `cat >"$0" && chmod 755 "$0"`, filepath.Join(folder, name))
		write.Stdin = strings.NewReader(fmt.Sprintf("#!/bin/sh\necho '%s'\n", says))
		if said, err := write.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	return folder
}

func TestLocate(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		says    string
		version int // 0: not taken
	}{
		{"postgres (PostgreSQL) 14.2", 14},
		{"postgres (PostgreSQL) 17.1 (Debian 17.1-1)", 17},
		{"postgres (PostgreSQL) 18beta1", 18},
		{"postgres (PostgreSQL) 13.9", 0},
		{"something else", 0},
	} {
		found, err := Locate(t.Context(), pretend(t, row.says))
		if row.version == 0 {
			if missing := (*MissingError)(nil); !errors.As(err, &missing) {
				t.Errorf("Locate of %q: got error %v, want a MissingError", row.says, err)
			}
			continue
		}
		if err != nil || found.Version != row.version {
			t.Errorf("Locate of %q: got version %d and error %v, want version %d", row.says, found.Version, err, row.version)
		}
	}
}

func TestLocateNowhere(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	_, err := Locate(t.Context(), folder)
	if missing := (*MissingError)(nil); !errors.As(err, &missing) || !strings.Contains(missing.Error(), folder) {
		t.Fatalf("Locate in an empty folder: got error %v, want a MissingError that names %s", err, folder)
	}
	for system, want := range map[string]string{"linux": "apt-get install", "darwin": "brew install", "windows": "WSL"} {
		if got := howToInstall(system); !strings.Contains(got, want) {
			t.Errorf("howToInstall(%q): got %q, want %q in it", system, got, want)
		}
	}
}

// This machine has the programs that the other tests run.
func TestLocateHere(t *testing.T) {
	t.Parallel()
	found := must.Get(Locate(t.Context(), ""))(t)
	if found.Version < oldestVersion || !runnable(found.Postgres) || !runnable(found.Initdb) {
		t.Errorf("Locate: got %+v, want version %d or newer with programs that run", found, oldestVersion)
	}
}
