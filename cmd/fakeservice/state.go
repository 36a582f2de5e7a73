package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/storage"
)

// What a folder of --state holds.
const (
	recordsFile     = "records.db"
	machinesFolder  = "machines"
	snapshotsFolder = "snapshots"
)

// state is a folder of --state that is open, or nothing.
type state struct {
	folder  string
	storage core.Storage
}

// openState opens a folder, and makes it where it is not there; "" is none. It is this
// program's own for as long as the storage is open.
func openState(folder string) (state, error) {
	if folder == "" {
		return state{}, nil
	}
	// Engines that run as other users pass through to folders of their own.
	if err := os.MkdirAll(folder, 0o711); err != nil {
		return state{}, err
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return state{}, err
	}
	file, err := storage.Open(filepath.Join(folder, recordsFile))
	if err != nil {
		return state{}, err
	}
	s := state{folder, file}
	if err := s.checkMachines(); err != nil {
		return state{}, errors.Join(err, file.Close())
	}
	return s, nil
}

// checkMachines refuses machines without records: the fake would begin anew, and remove
// what it does not know. It reads every record, so that a damaged file ends the start
// before any machine runs.
func (s state) checkMachines() error {
	entries, err := s.storage.Read()
	if err != nil || len(entries) > 0 {
		return err
	}
	machines, err := filepath.Glob(filepath.Join(s.below(machinesFolder), "machines", "*.json"))
	if err != nil || len(machines) == 0 {
		return err
	}
	return fmt.Errorf("%s holds no records, and the folder has the data of %d machines: restore %s from a copy, or begin with another folder",
		filepath.Join(s.folder, recordsFile), len(machines), recordsFile)
}

// below is a folder in the state's own, or "" where there is none.
func (s state) below(name string) string {
	if s.folder == "" {
		return ""
	}
	return filepath.Join(s.folder, name)
}

// close closes the folder where nothing else does.
func (s state) close() error {
	if s.storage == nil {
		return nil
	}
	return s.storage.Close()
}
