package control

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// snapshotName matches valid names of snapshots.
var snapshotName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// snapshot returns the folder of the snapshot with this name, which need not exist.
func (c *Controls) snapshot(name string) (string, error) {
	if !snapshotName.MatchString(name) {
		return "", errors.New("the name of a snapshot takes small letters, digits and hyphens, 63 at most")
	}
	folder, err := c.Snapshots()
	return filepath.Join(folder, name), err
}

// existing returns the folder of the snapshot with this name, or an error if it does not
// exist.
func (c *Controls) existing(name string) (folder string, err error) {
	folder, err = c.snapshot(name)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(folder); err != nil {
		return "", fmt.Errorf("there is no snapshot %q", name)
	}
	return folder, nil
}

// SnapshotNames returns the names of the snapshots, sorted.
func (c *Controls) SnapshotNames() ([]string, error) {
	names := []string{}
	folder, err := c.Snapshots()
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
func (c *Controls) TakeSnapshot(ctx context.Context, name string) error {
	return c.fillSnapshot(name, func(folder string) error { return c.Core.SaveSnapshot(ctx, folder) })
}

// RestoreSnapshot restores a snapshot.
func (c *Controls) RestoreSnapshot(ctx context.Context, name string) error {
	folder, err := c.existing(name)
	if err != nil {
		return err
	}
	return c.Core.LoadSnapshot(ctx, folder)
}

// DeleteSnapshot deletes a snapshot.
func (c *Controls) DeleteSnapshot(name string) error {
	folder, err := c.existing(name)
	if err != nil {
		return err
	}
	return os.RemoveAll(folder)
}

func (c *Controls) getSnapshots(*http.Request) (any, error) {
	names, err := c.SnapshotNames()
	return object{"snapshots": names}, err
}

func (c *Controls) postSnapshot(r *http.Request) (any, error) {
	var wanted struct {
		Name string `json:"name"`
	}
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	return object{"snapshot": wanted.Name}, c.TakeSnapshot(r.Context(), wanted.Name)
}

func (c *Controls) restoreSnapshot(r *http.Request) (any, error) {
	name := r.PathValue("name")
	return object{"restored": name}, c.RestoreSnapshot(r.Context(), name)
}

func (c *Controls) deleteSnapshot(r *http.Request) (any, error) {
	name := r.PathValue("name")
	return object{"deleted": name}, c.DeleteSnapshot(name)
}

// fillSnapshot makes a snapshot completely or not at all.
func (c *Controls) fillSnapshot(name string, fill func(folder string) error) error {
	folder, err := c.snapshot(name)
	if err != nil {
		return err
	}
	c.filling.Lock()
	defer c.filling.Unlock()
	half := filepath.Join(filepath.Dir(folder), ".half")
	err = errors.Join(os.RemoveAll(half), os.MkdirAll(half, 0o700))
	if err == nil {
		err = fill(half)
	}
	if err == nil {
		err = errors.Join(os.RemoveAll(folder), os.Rename(half, folder))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(half))
	}
	return nil
}

// putSnapshot stores a snapshot that getSnapshot of another fake returned.
func (c *Controls) putSnapshot(r *http.Request) (any, error) {
	name := r.PathValue("name")
	return object{"snapshot": name}, c.fillSnapshot(name, func(folder string) error { return unpack(r.Body, folder, c.SnapshotLimit) })
}

// getSnapshot returns a snapshot as a compressed archive.
func (c *Controls) getSnapshot(r *http.Request) (any, error) {
	folder, err := c.existing(r.PathValue("name"))
	return archive(folder), err
}

// archive is a folder that is sent as a compressed archive.
type archive string

func (folder archive) send(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/gzip")
	if err := pack(w, string(folder)); err != nil {
		// A part has been sent. An interrupted archive cannot be unpacked.
		panic(http.ErrAbortHandler)
	}
}

// pack writes a folder as a compressed archive.
func pack(w io.Writer, folder string) error {
	compressed := gzip.NewWriter(w)
	archive := tar.NewWriter(compressed)
	return errors.Join(archive.AddFS(os.DirFS(folder)), archive.Close(), compressed.Close())
}

// unpack extracts an archive into a folder, and nothing outside it. It refuses more than
// limit bytes. Each file and folder counts as at least a block, whatever its size.
func unpack(from io.Reader, folder string, limit int64) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	compressed, err := gzip.NewReader(from)
	if err != nil {
		return fmt.Errorf("the body is not a snapshot: %w", err)
	}
	archive := tar.NewReader(compressed)
	for left := limit; ; {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the body is not a snapshot: %w", err)
		}
		if strings.Count(entry.Name, "/") > deepest || len(entry.Name) > longest || len(entry.Linkname) > longest {
			return fmt.Errorf("the body is not a snapshot: a name in it has more than %d folders or %d bytes", deepest, longest)
		}
		left -= max(entry.Size, block)
		if left >= 0 {
			var made int64
			if made, err = makeFolders(root, filepath.Dir(filepath.Clean(entry.Name))); err == nil {
				err = unpackEntry(root, archive, entry)
			}
			left -= made * block
		}
		if left < 0 {
			return fmt.Errorf("the snapshot is larger than %d bytes, which is all that may be unpacked; --snapshot-limit allows more", limit)
		}
		if err != nil {
			return err
		}
	}
}

// block is the disk usage of an empty file or folder, in bytes.
const block = 4 << 10

// The limits of names in a snapshot. The data of an app has up to 256 levels, inside the
// folders of its machine.
const (
	deepest = 300
	longest = 4 << 10
)

// makeFolders makes a folder and those above it, and returns how many it made.
func makeFolders(root *os.Root, name string) (made int64, err error) {
	if name == "." {
		return 0, nil
	}
	err = root.Mkdir(name, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		if made, err = makeFolders(root, filepath.Dir(name)); err == nil {
			err = root.Mkdir(name, 0o700)
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return made, nil
	}
	if err == nil {
		made++
	}
	return made, err
}

// unpackEntry extracts an entry whose folder exists.
func unpackEntry(root *os.Root, archive io.Reader, entry *tar.Header) error {
	name := filepath.Clean(entry.Name)
	switch entry.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o700)
	case tar.TypeSymlink:
		return root.Symlink(entry.Linkname, name)
	case tar.TypeReg:
		file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, entry.FileInfo().Mode().Perm())
		if err != nil {
			return err
		}
		_, err = io.Copy(file, archive)
		return errors.Join(err, file.Close())
	}
	return fmt.Errorf("%s is neither a file nor a folder", entry.Name)
}
