package appruntime

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
)

// copySparse copies a file, and leaves holes in place of holes and of blocks of zeros: a
// file with holes may be larger than any disk. It returns the size of the file.
func copySparse(ctx context.Context, to, from *os.File) (size int64, err error) {
	info, err := from.Stat()
	if err != nil {
		return 0, err
	}
	size = info.Size()
	for at := int64(0); at < size; {
		begin, end, err := nextData(from, at, size)
		if err != nil {
			return 0, err
		}
		if err := copyBlocks(ctx, to, from, begin, end); err != nil {
			return 0, err
		}
		at = end
	}
	return size, to.Truncate(size)
}

// copyBlocks copies a part of a file except blocks of zeros.
func copyBlocks(ctx context.Context, to, from *os.File, at, end int64) error {
	var nothing, block [64 << 10]byte
	part := io.NewSectionReader(from, at, end-at)
	for ctx.Err() == nil {
		n, readErr := io.ReadFull(part, block[:])
		if !bytes.Equal(block[:n], nothing[:n]) {
			if _, err := to.WriteAt(block[:n], at); err != nil {
				return err
			}
		}
		at += int64(n)
		switch {
		case errors.Is(readErr, io.EOF), errors.Is(readErr, io.ErrUnexpectedEOF):
			return nil
		case readErr != nil:
			return readErr
		}
	}
	return ctx.Err()
}
