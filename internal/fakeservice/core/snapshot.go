package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// A snapshot is a folder. It has the records in one file, and the data of each machine in
// a separate folder.
const (
	snapshotRecords  = "records.json"
	snapshotMachines = "machines"
)

// SaveSnapshot writes the records, and with a data plane the data of the machines, into a
// folder that it creates. Records and data must be from the same moment, so with a data
// plane no job and no build may be in progress.
func (s *Service) SaveSnapshot(ctx context.Context, folder string) error {
	s.snapshots.Lock()
	defer s.snapshots.Unlock()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	before, err := s.moment()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, snapshotRecords), before.records, 0o600); err != nil || s.plane == nil {
		return err
	}
	for _, id := range before.running {
		if err := s.plane.Save(ctx, id, filepath.Join(folder, snapshotMachines, id)); err != nil {
			return fmt.Errorf("save the data of the instance %s: %w", id, err)
		}
	}
	after, err := s.moment()
	if err == nil && (after.sequence != before.sequence || !slices.Equal(after.running, before.running)) {
		err = errors.New("the account was changed while its snapshot was taken")
	}
	return err
}

// snapshotMoment is the state of the records for a snapshot.
type snapshotMoment struct {
	records  []byte
	running  []string // instances that have a machine
	sequence int
}

// moment returns the records, or an error if no snapshot can be taken now.
func (s *Service) moment() (snapshotMoment, error) {
	return change(s, func(st *state) (snapshotMoment, error) {
		if st.plane != nil && len(st.activeJobs)+len(st.Builds) > 0 {
			return snapshotMoment{}, errors.New("a job or a build is in progress, whose data a snapshot would have half of")
		}
		m := snapshotMoment{sequence: st.Sequence, running: st.machines()}
		text, err := writeSnapshot(st.records)
		m.records = text
		return m, err
	})
}

// writeSnapshot encodes the records without the credentials of the fake itself, because
// snapshots are given to other people and a load keeps the loader's credentials.
func writeSnapshot(r records) ([]byte, error) {
	r.Credentials, r.Keys, r.KeysMade, r.Clients, r.Grants = nil, nil, false, nil, nil
	entries := map[string]any{}
	r.entries(func(key string, value any) { entries[key] = value })
	return json.Marshal(entries)
}

// readSnapshot decodes the records of a snapshot.
func readSnapshot(text []byte) (records, error) {
	var entries map[string]json.RawMessage
	if err := Decode(text, &entries); err != nil {
		return records{}, err
	}
	raw := map[string][]byte{}
	for key, value := range entries {
		raw[key] = value
	}
	var r records
	return r, readEntries(raw, &r)
}

// CheckSnapshot checks a folder that SaveSnapshot should have written, as far as that is
// possible without a change of the state.
func (s *Service) CheckSnapshot(folder string) error {
	_, err := s.openSnapshot(folder)
	return err
}

// openSnapshot checks a snapshot, and returns its records.
func (s *Service) openSnapshot(folder string) (records, error) {
	r, err := readSnapshotFolder(folder)
	if err != nil {
		return r, fmt.Errorf("the snapshot cannot be read: %w", err)
	}
	if s.plane == nil {
		return r, nil
	}
	for _, id := range r.machines() {
		if err := s.plane.CheckSaved(filepath.Join(folder, snapshotMachines, id)); err != nil {
			return r, fmt.Errorf("the snapshot has no usable data of the instance %s: %w", id, err)
		}
	}
	return r, nil
}

func readSnapshotFolder(folder string) (records, error) {
	if err := CheckFolder(folder, dataOfApps.MatchString); err != nil {
		return records{}, err
	}
	text, err := os.ReadFile(filepath.Join(folder, snapshotRecords))
	if err != nil {
		return records{}, err
	}
	r, err := readSnapshot(text)
	if err != nil {
		return r, err
	}
	return r, errors.Join(
		onlyHas(folder, []string{snapshotRecords, snapshotMachines}),
		onlyHas(filepath.Join(folder, snapshotMachines), r.machines()))
}

// onlyHas refuses files that a snapshot does not have. The folder may be missing.
func onlyHas(folder string, names []string) error {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		if !slices.Contains(names, entry.Name()) {
			return fmt.Errorf("%q is not part of a snapshot", entry.Name())
		}
	}
	return nil
}

// machines returns the ids of the instances that have had a machine.
func (r *records) machines() []string {
	var ids []string
	for _, in := range r.Instances {
		if in.Host != "" {
			ids = append(ids, in.ID)
		}
	}
	return ids
}

// LoadSnapshot replaces the state by that of a snapshot of this or another service: the
// records with the account's id, the clock, and the data of the machines. Only the
// credentials of the fake itself stay. A snapshot that cannot be read changes nothing.
func (s *Service) LoadSnapshot(ctx context.Context, folder string) error {
	s.snapshots.Lock()
	defer s.snapshots.Unlock()
	r, err := s.openSnapshot(folder)
	if err != nil {
		return err
	}
	status := map[string]string{} // of the instances that have had a machine
	for _, in := range r.Instances {
		if in.Host == "" {
			continue
		}
		status[in.ID], in.Host = in.Status, ""
		if s.plane != nil {
			in.Status = StatusFailed // until its machine is there, even if the program is killed
		}
	}
	s.replace(func(*state) records { return r })
	if s.plane != nil {
		err = s.loadMachines(ctx, folder, status)
		s.store.do((*state).resumeWork)
		return err
	}
	s.store.do(func(st *state) {
		for id := range status {
			st.arrive(id, status[id]) // at its made-up host
		}
	})
	return nil
}

// dataOfApps matches the folders in a snapshot that have the data, the build or a backup of
// an app. They are copied without following links, and may have any content.
var dataOfApps = regexp.MustCompile(`^machines/[^/]+/(apps|builds|backups/[^/]+/apps)/[^/]+$`)

// loadMachines makes the machines of a snapshot. It needs the status of each instance.
func (s *Service) loadMachines(ctx context.Context, folder string, status map[string]string) error {
	var errs []error
	for _, id := range slices.Sorted(maps.Keys(status)) {
		if err := s.plane.Load(ctx, id, filepath.Join(folder, snapshotMachines, id)); err != nil {
			errs = append(errs, fmt.Errorf("load the data of the instance %s: %w", id, err))
			continue
		}
		s.store.do(func(st *state) { st.arrive(id, status[id]) })
	}
	return errors.Join(errs...)
}

// arrive sets the addresses and the status of an instance of a snapshot.
func (st *state) arrive(id, status string) {
	in := st.find(id)
	if in == nil {
		return
	}
	in.Status = status
	in.Host = st.endpoints(in).Host
	for _, a := range in.Apps {
		st.updateURL(in, a)
	}
}
