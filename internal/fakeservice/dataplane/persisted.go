package dataplane

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/datafolder"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// A kept folder may come from another person or be damaged. Nothing in it may lead this
// program, which deletes folders and changes their owners, to other files.

// foreign matches the folders inside a kept folder in which links are allowed. The data of
// apps, builds and engines in a sandbox is read without following links. Discarded folders
// are only deleted.
var foreign = regexp.MustCompile(`^(pg|redis|couchdb)/[^/]+/data(\.before|\.discarded)?$|^apps/(app-[0-9]+/data|build-[0-9]+)$|^backups/[^/]+/[^/]+/apps/[^/]+$|(^|/)\.discarded-[0-9]+$`)

// damaged adds to an error what a person can do about it.
func damaged(err error) error {
	return fmt.Errorf("%w: restore the --state folder from a copy, or begin with another folder", err)
}

// openRecords checks the kept folder and reads the records. It deletes nothing.
func (p *Plane) openRecords() error {
	p.records = filepath.Join(p.folder, recordsFolder)
	p.kept = map[string]keptMachine{}
	if err := core.CheckFolder(p.folder, foreign.MatchString); err != nil {
		return damaged(err)
	}
	if err := os.MkdirAll(p.records, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(p.records)
	if err != nil {
		return err
	}
	folders := map[string]bool{}
	for _, entry := range entries {
		id, is := strings.CutSuffix(entry.Name(), recordEnding)
		if !is {
			continue // it was not written completely
		}
		text, err := os.ReadFile(p.recordOf(id))
		if err != nil {
			return err
		}
		r, err := readKeptMachine(id, text)
		if err == nil {
			err = r.claim(folders)
		}
		if err == nil {
			err = p.checkData(id, r)
		}
		if err != nil {
			return damaged(fmt.Errorf("%s cannot be read: %w", p.recordOf(id), err))
		}
		p.kept[id] = r
	}
	return nil
}

func readKeptMachine(id string, text []byte) (keptMachine, error) {
	var r keptMachine
	if err := core.CheckIdentifier(id); err != nil {
		return r, fmt.Errorf("the name of the file: %w", err)
	}
	if err := core.Decode(text, &r); err != nil {
		return r, err
	}
	return r, r.check()
}

func (r keptMachine) check() error {
	if inside, err := netip.ParseAddr(r.Inside); err != nil || !inside.IsLoopback() {
		return fmt.Errorf("inside: %q is not a loopback address", r.Inside)
	}
	for _, port := range []int{r.Ports.Direct, r.Ports.Pooled, r.Ports.Inside, r.RedisPort, r.NATSPort, r.CouchDBPort, r.AuthPort} {
		if port < 0 || port > 65535 {
			return fmt.Errorf("%d is not a port", port)
		}
	}
	for name, a := range r.Apps {
		if err := errors.Join(core.CheckIdentifier(name), a.Check()); err != nil {
			return fmt.Errorf("apps.%s: %w", name, err)
		}
	}
	for i, b := range r.Builds {
		if err := errors.Join(core.CheckIdentifier(b.App), b.Check()); err != nil {
			return fmt.Errorf("builds[%d]: %w", i, err)
		}
	}
	return nil
}

// checkData returns an error if an engine of the record has lost its data, with which it
// would start over.
func (p *Plane) checkData(id string, r keptMachine) error {
	for _, engine := range r.Data {
		if !p.hasData(id, engine) {
			return fmt.Errorf("the data of %s is missing", engine)
		}
	}
	return nil
}

// hasData reports whether the folder of an engine of a machine has data.
func (p *Plane) hasData(id, engine string) bool {
	_, is := dataFolders[engine]
	return is && datafolder.Exists(filepath.Join(p.dataOf(id, engine), "data"))
}

// claim adds the folders of the record to those of the other records. Two apps with one
// folder would delete each other's data.
func (r keptMachine) claim(folders map[string]bool) error {
	for _, folder := range r.folders() {
		if folders[folder] {
			return fmt.Errorf("the folder %s is there twice", folder)
		}
		folders[folder] = true
	}
	return nil
}

// folders returns the folders of the record's apps and builds. A deployed build may be in
// both lists of the record.
func (r keptMachine) folders() []string {
	var all []string
	for _, a := range r.Apps {
		all = append(all, a.Folder)
		if a.Build != nil {
			all = append(all, a.Build.Folder)
		}
	}
	for _, b := range r.Builds {
		if !r.deploys(b.Folder) {
			all = append(all, b.Folder)
		}
	}
	return all
}

// sweep deletes everything that belongs to no recorded machine. os.Root follows no link
// out of the folder.
func (p *Plane) sweep() error {
	root, err := os.OpenRoot(p.folder)
	if err != nil {
		return err
	}
	defer root.Close()
	machines, apps := map[string]bool{}, map[string]bool{}
	for id, r := range p.kept {
		machines[id] = true
		for _, folder := range r.folders() {
			apps[folder] = true
		}
	}
	ofMachine := func(name string) bool { return machines[name] }
	for _, folder := range dataFolders {
		err = errors.Join(err, keepOnly(root, folder, ofMachine))
	}
	err = errors.Join(err,
		keepOnly(root, backupsFolder, ofMachine),
		keepOnly(root, appsFolder, func(name string) bool { return apps[name] }),
		keepOnly(root, recordsFolder, func(name string) bool { return strings.HasSuffix(name, recordEnding) }),
		keepOnly(root, ".", func(name string) bool { return !strings.HasPrefix(name, authorityPrefix) }),
	)
	for id := range machines {
		err = errors.Join(err, keepOnly(root, filepath.Join(backupsFolder, id), func(name string) bool {
			return !strings.HasSuffix(name, halfMade) && !strings.HasPrefix(name, ".")
		}))
	}
	return err
}

// keepOnly deletes the entries of a folder, if it exists, that are not wanted.
func keepOnly(root *os.Root, folder string, wanted func(name string) bool) error {
	entries, err := fs.ReadDir(root.FS(), folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if !wanted(entry.Name()) {
			err = errors.Join(err, workdir.RemoveIn(root, filepath.Join(folder, entry.Name())))
		}
	}
	return err
}
