package engineaccount

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// MakeFolder creates a folder that only the account can open.
func (a Account) MakeFolder(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	return a.give(path)
}

// WriteFile writes a file that only the account can read. It replaces what is at the path,
// and never follows a link that the account has put there.
func (a Account) WriteFile(path, text string) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".next-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := a.give(file.Name()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// CopyTree copies a folder that may be in use. It leaves out files that vanish during the
// copy, and entries that skip selects by their path in the folder.
func (a Account) CopyTree(ctx context.Context, from, to string, skip func(path string) bool) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		inside, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if skip != nil && inside != "." && skip(filepath.ToSlash(inside)) {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		target := filepath.Join(to, inside)
		switch {
		case entry.IsDir():
			return a.MakeFolder(target)
		case entry.Type().IsRegular():
			err := a.CopyFile(path, target)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		// The copied folders contain no links or sockets that matter.
		return nil
	})
}

// CopyFile copies a file. The account owns the copy. It follows no link out of the file's
// folder, because the account may have put one there.
func (a Account) CopyFile(from, to string) (err error) {
	source, err := os.OpenInRoot(filepath.Dir(from), filepath.Base(from))
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	if _, err := io.Copy(target, source); err != nil {
		return err
	}
	return a.give(to)
}

// SizeOf returns the total size in bytes of the files in a folder.
func SizeOf(folder string) (int64, error) {
	var size int64
	err := filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		size += info.Size()
		return nil
	})
	return size, err
}
