package scenario

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// snapshotName matches valid names of snapshots.
var snapshotName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// snapshot returns the folder of the snapshot with this name, which need not exist.
func (s *Scenario) snapshot(name string) (string, error) {
	if !snapshotName.MatchString(name) {
		return "", errors.New("the name of a snapshot takes small letters, digits and hyphens, 63 at most")
	}
	folder, err := s.Snapshots()
	return filepath.Join(folder, name), err
}

// SnapshotFolder returns the folder of the snapshot with this name, or an error if it does not
// exist.
func (s *Scenario) SnapshotFolder(name string) (folder string, err error) {
	folder, err = s.snapshot(name)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(folder); err != nil {
		return "", fmt.Errorf("there is no snapshot %q", name)
	}
	return folder, nil
}

// SnapshotNames returns the names of the snapshots, sorted.
func (s *Scenario) SnapshotNames() ([]string, error) {
	names := []string{}
	folder, err := s.Snapshots()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range entries {
		if snapshotName.MatchString(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// TakeSnapshot takes a snapshot. It replaces one with the same name.
func (s *Scenario) TakeSnapshot(ctx context.Context, name string) error {
	return s.FillSnapshot(name, func(folder string) error { return s.Core.SaveSnapshot(ctx, folder) })
}

// RestoreSnapshot restores a snapshot.
func (s *Scenario) RestoreSnapshot(ctx context.Context, name string) error {
	folder, err := s.SnapshotFolder(name)
	if err != nil {
		return err
	}
	s.filling.Lock()
	defer s.filling.Unlock()
	return s.Core.LoadSnapshot(ctx, folder)
}

// DeleteSnapshot deletes a snapshot.
func (s *Scenario) DeleteSnapshot(name string) error {
	folder, err := s.SnapshotFolder(name)
	if err != nil {
		return err
	}
	s.filling.Lock()
	defer s.filling.Unlock()
	return workdir.Discard(folder)
}

// FillSnapshot makes a snapshot completely or not at all.
func (s *Scenario) FillSnapshot(name string, fill func(folder string) error) error {
	folder, err := s.snapshot(name)
	if err != nil {
		return err
	}
	s.filling.Lock()
	defer s.filling.Unlock()
	half := filepath.Join(filepath.Dir(folder), ".half")
	err = errors.Join(workdir.Sweep(filepath.Dir(folder)), os.RemoveAll(half), os.MkdirAll(half, 0o700))
	if err == nil {
		err = fill(half)
	}
	if err == nil {
		err = errors.Join(workdir.Discard(folder), os.Rename(half, folder))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(half))
	}
	return nil
}
