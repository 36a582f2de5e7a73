package appruntime

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

const (
	// block is the disk usage of an empty file or folder, in bytes.
	block = 4 << 10
	// Longer names, and folders in one another, take long to make and to remove.
	longestName, deepestName = 4 << 10, 300
)

// tree writes the files of a repository into a folder, which confines them. It refuses more
// than a limit: each file, link and folder counts as at least a block, whatever its size.
type tree struct {
	root       *os.Root
	most, left int64
}

// openTree returns a tree in a folder. The caller must close its root.
func openTree(folder string, most int64) (*tree, error) {
	root, err := os.OpenRoot(folder)
	return &tree{root: root, most: most, left: most}, err
}

// admit counts an entry, or refuses it.
func (t *tree) admit(name string, size int64) error {
	if len(name) > longestName || strings.Count(name, "/") >= deepestName {
		return fmt.Errorf("the repository has too long a name: %d bytes and %d folders are the most", longestName, deepestName)
	}
	if t.left -= max(size, block); t.left < 0 {
		return fmt.Errorf("the repository has more than %d MB", t.most>>20)
	}
	return nil
}

// folder makes a folder and its parents unless they exist.
func (t *tree) folder(name string) error {
	if name == "." {
		return nil
	}
	if _, err := t.root.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := t.admit(name, 0); err != nil {
		return err
	}
	if err := t.folder(path.Dir(name)); err != nil {
		return err
	}
	return t.root.Mkdir(name, 0o755)
}

func (t *tree) link(name, target string) error {
	if err := t.admit(name, 0); err != nil {
		return err
	}
	if err := t.folder(path.Dir(name)); err != nil {
		return err
	}
	return t.root.Symlink(target, name)
}

// file writes a file with the first size bytes of content.
func (t *tree) file(name string, content io.Reader, size int64, mode fs.FileMode) error {
	if err := t.admit(name, size); err != nil {
		return err
	}
	if err := t.folder(path.Dir(name)); err != nil {
		return err
	}
	// Other users may read it, because the app has its own user.
	file, err := t.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644|mode&0o111)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, io.LimitReader(content, size))
	return errors.Join(err, file.Close())
}

// cleaned returns the name of an archive's entry in the form that a tree takes.
func cleaned(name string) string { return filepath.ToSlash(filepath.Clean(name)) }
