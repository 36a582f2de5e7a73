package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// Machines whose records are lost are not removed: the fake says what to do and does not
// start.
func TestStateWithoutItsRecords(t *testing.T) {
	t.Parallel()
	for what, lose := range map[string]func(path string) error{
		"empty":   func(string) error { return nil },
		"removed": os.Remove,
		"emptied": func(path string) error { return os.Truncate(path, 0) },
		"cut":     func(path string) error { return os.Truncate(path, 100) },
	} {
		folder := t.TempDir()
		fresh := must.Get(openState(folder))(t)
		must.Do(t, fresh.close())
		machines := filepath.Join(folder, machinesFolder, "machines")
		must.Do(t, os.MkdirAll(machines, 0o755))
		machine := filepath.Join(machines, "i-one.json")
		must.Do(t, os.WriteFile(machine, []byte(`{"inside": "127.0.0.2"}`), 0o600))
		path := filepath.Join(folder, recordsFile)
		must.Do(t, lose(path))
		for range 2 { // the first attempt must not count as the start of a new state
			s, err := openState(folder)
			if err == nil {
				t.Errorf("records that are %s: got no error, want one (close: %v)", what, s.close())
			} else if !strings.Contains(err.Error(), "restore") || !strings.Contains(err.Error(), recordsFile) {
				t.Errorf("records that are %s: got error %q, want one that names the file and how to restore it", what, err)
			}
		}
		if _, err := os.Stat(machine); err != nil {
			t.Errorf("the machine next to records that are %s: got %v, want it kept", what, err)
		}
	}
}

// An instance whose machine has lost its record keeps the fake from starting, which would
// remove the data of the machine.
func TestStateWithoutTheRecordOfAMachine(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := must.Get(openState(folder))(t)
	service := must.Get(core.Open(core.Options{Storage: s.storage}))(t)
	id := service.AddInstance(core.Instance{Host: "127.0.0.2"}).ID
	service.AddInstance(core.Instance{})                                               // it has a made-up host
	service.AddInstance(core.Instance{Host: "127.0.0.3", Status: core.StatusDeleting}) // its machine may be gone
	must.Do(t, service.Close())
	machines := filepath.Join(folder, machinesFolder, "machines")
	must.Do(t, os.MkdirAll(machines, 0o700))
	for _, there := range []bool{false, true} {
		if there {
			must.Do(t, os.WriteFile(filepath.Join(machines, id+".json"), nil, 0o600))
		}
		s, err := openState(folder)
		switch {
		case err == nil:
			must.Do(t, s.close())
			if !there {
				t.Error("without the record: got no error, want one")
			}
		case there:
			t.Errorf("with the record: got %v, want no error", err)
		case !strings.Contains(err.Error(), id) || !strings.Contains(err.Error(), remedy):
			t.Errorf("without the record: got %q, want the id %s and %q", err, id, remedy)
		}
	}
}

// A folder whose parts are elsewhere is refused: the fake would delete things there.
func TestStateWithLinks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{recordsFile, machinesFolder, snapshotsFolder} {
		folder, elsewhere := t.TempDir(), t.TempDir()
		if name == recordsFile {
			elsewhere = filepath.Join(elsewhere, "file")
		}
		must.Do(t, os.Symlink(elsewhere, filepath.Join(folder, name)))
		s, err := openState(folder)
		if err == nil {
			t.Errorf("a link at %s: got no error, want one (close: %v)", name, s.close())
		} else if !strings.Contains(err.Error(), name+" is a link") || !strings.Contains(err.Error(), "restore") {
			t.Errorf("a link at %s: got error %q, want one that names the link and how to restore it", name, err)
		}
	}
}
