package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/storage"
)

// The content of a folder of --state.
const (
	recordsFile     = "records.db"
	machinesFolder  = "machines"
	snapshotsFolder = "snapshots"
)

// remedy ends the message about a damaged folder.
const remedy = "restore the --state folder from a copy, or begin with another folder"

// state is an open folder of --state, or empty.
type state struct {
	folder  string
	storage core.Storage
}

// openState opens a folder, and creates it if it does not exist; "" means no state. No
// other program can open the folder while the storage is open.
func openState(folder string) (state, error) {
	if folder == "" {
		return state{}, nil
	}
	// Engines that run as other users pass through to their folders.
	if err := os.MkdirAll(folder, 0o711); err != nil {
		return state{}, err
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return state{}, err
	}
	if err := checkParts(folder); err != nil {
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

// checkParts refuses links in place of the folder's parts, because the fake deletes things
// in them and the folder may come from another person.
func checkParts(folder string) error {
	for name, isFolder := range map[string]bool{recordsFile: false, machinesFolder: true, snapshotsFolder: true} {
		path := filepath.Join(folder, name)
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if !isFolder && info.Size() == 0 {
			return fmt.Errorf("%s is empty: %s", path, remedy)
		}
		if isFolder && !info.IsDir() || !isFolder && !info.Mode().IsRegular() {
			return fmt.Errorf("%s is a link or of another kind: %s", path, remedy)
		}
	}
	return nil
}

// checkMachines compares the records of the account with those of the machines. Without its
// record a machine would be removed with its data. checkMachines reads every record, so that
// a damaged file ends the start before any machine runs.
func (s state) checkMachines() error {
	entries, err := s.storage.Read()
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		machines, err := s.machines()
		if err != nil || len(machines) == 0 {
			return err
		}
		return fmt.Errorf("%s holds no records, and the folder has the data of %d machines: %s",
			filepath.Join(s.folder, recordsFile), len(machines), remedy)
	}
	ids, err := core.MachineIDs(entries)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := os.Lstat(s.machine(id)); err != nil {
			return fmt.Errorf("the record of the machine of instance %s cannot be read: %w: %s", id, err, remedy)
		}
	}
	return nil
}

// machines returns the ids of the instances that have the record of a machine.
func (s state) machines() (ids []string, err error) {
	if s.folder == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(filepath.Dir(s.machine("")))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		if id, is := strings.CutSuffix(entry.Name(), machineEnding); is {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// machineEnding is the suffix of the file name of a machine's record.
const machineEnding = ".json"

// machine returns the path of the record of an instance's machine.
func (s state) machine(id string) string {
	return filepath.Join(s.below(machinesFolder), "machines", id+machineEnding)
}

// below returns a folder inside the state's, or "" without a state.
func (s state) below(name string) string {
	if s.folder == "" {
		return ""
	}
	return filepath.Join(s.folder, name)
}

// close closes the storage, if the service does not.
func (s state) close() error {
	if s.storage == nil {
		return nil
	}
	return s.storage.Close()
}
