package appruntime

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// errIrregular is the error for something other than a file where a file is expected.
var errIrregular = errors.New("not a regular file")

// openRegular opens a file of a repository, a build or an app's data. These are other
// people's, and this program may read more than they can: the root follows no link out of
// its folder, and opening a pipe does not wait until another process opens it for writing.
func openRegular(root *os.Root, name string) (*os.File, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is %w", name, errIrregular)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// readRegular returns the content of a file as openRegular opens it. It refuses links and
// more than most bytes.
func readRegular(root *os.Root, name string, most int64) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is %w", name, errIrregular)
	}
	file, err := openRegular(root, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if int64(len(text)) > most {
		return nil, fmt.Errorf("%s is larger than %d KB", name, most>>10)
	}
	return text, err
}
