// Package regularfile opens regular files in folders that other people's programs write to.
package regularfile

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrOther is the error for something other than a regular file.
var ErrOther = errors.New("not a regular file")

// Open opens a file for reading. The folder's programs may plant links and pipes, and this
// program may read more than they can: the root follows no link out of the folder, and
// opening a pipe does not wait until another process opens it for writing.
func Open(root *os.Root, name string) (*os.File, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is %w", name, ErrOther)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
