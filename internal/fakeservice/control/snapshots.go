package control

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

func (c *control) getSnapshots(*http.Request) (any, error) {
	names, err := c.SnapshotNames()
	return object{"snapshots": names}, err
}

func (c *control) postSnapshot(r *http.Request) (any, error) {
	var wanted struct {
		Name string `json:"name"`
	}
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	return object{"snapshot": wanted.Name}, c.TakeSnapshot(r.Context(), wanted.Name)
}

func (c *control) restoreSnapshot(r *http.Request) (any, error) {
	name := r.PathValue("name")
	return object{"restored": name}, c.RestoreSnapshot(r.Context(), name)
}

func (c *control) deleteSnapshot(r *http.Request) (any, error) {
	name := r.PathValue("name")
	return object{"deleted": name}, c.DeleteSnapshot(name)
}

// putSnapshot stores a snapshot that getSnapshot of another fake returned. It refuses one
// that could not be restored.
func (c *control) putSnapshot(r *http.Request) (any, error) {
	name := r.PathValue("name")
	return object{"snapshot": name}, c.FillSnapshot(name, func(folder string) error {
		if err := unpack(r.Body, folder, c.options.SnapshotLimit); err != nil {
			return err
		}
		return c.Core.CheckSnapshot(folder)
	})
}

// getSnapshot returns a snapshot as a compressed archive.
func (c *control) getSnapshot(r *http.Request) (any, error) {
	folder, err := c.SnapshotFolder(r.PathValue("name"))
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
