package appruntime

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// nextData returns the next part of a file, from an offset on, that is not a hole. Without
// one, it returns the size twice.
func nextData(file *os.File, at, size int64) (begin, end int64, err error) {
	begin, err = file.Seek(at, unix.SEEK_DATA)
	switch {
	case errors.Is(err, unix.ENXIO):
		return size, size, nil
	case errors.Is(err, unix.EINVAL):
		return at, size, nil // the file system does not know about holes
	case err != nil:
		return 0, 0, err
	}
	end, err = file.Seek(begin, unix.SEEK_HOLE)
	if errors.Is(err, unix.ENXIO) { // an app has just shortened the file
		return size, size, nil
	}
	return min(begin, size), min(end, size), err
}
