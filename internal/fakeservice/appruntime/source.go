package appruntime

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
)

// source is a branch of a repository, which is a folder on this machine or a URL.
type source struct{ path, branch string }

// copyTo copies the branch into a folder and returns its commit. For a git repository, that
// is the real one. For any other folder, it is a hash of the content, so that it changes
// when a file does.
func (s source) copyTo(ctx context.Context, folder string, environment []string) (commit string, err error) {
	switch {
	case IsURL(s.path):
		return s.fetch(ctx, folder, environment)
	case isGit(s.path):
		path, err := filepath.Abs(s.path)
		if err != nil {
			return "", err
		}
		local := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
		return source{local.String(), s.branch}.fetch(ctx, folder, environment)
	}
	return copyFolder(s.path, folder)
}

// isGit reports whether a folder is the root of a git repository, bare or not. A folder
// inside a repository is not.
func isGit(path string) bool {
	if _, err := os.Stat(filepath.Join(path, ".git")); err == nil {
		return true
	}
	for _, part := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(path, part)); err != nil {
			return false
		}
	}
	return true
}

// unpack writes the files of a tar archive into a folder.
func unpack(archive io.Reader, folder string) error {
	// The root confines every file of the archive to the folder.
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	reader := tar.NewReader(archive)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.Clean(header.Name)
		switch header.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(name, 0o755)
		case tar.TypeSymlink:
			err = root.Symlink(header.Linkname, name)
		case tar.TypeReg:
			err = writeFile(root, name, reader, header.FileInfo().Mode())
		}
		if err != nil {
			return err
		}
	}
}

// copyFolder copies a folder without its git records and returns a hash of it.
func copyFolder(from, to string) (string, error) {
	root, err := os.OpenRoot(to)
	if err != nil {
		return "", err
	}
	defer root.Close()
	sum := sha256.New()
	// The walk is in lexical order, so equal folders have equal hashes.
	err = filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil || name == "." {
			return err
		}
		switch kind := entry.Type(); {
		case entry.Name() == ".git" && entry.IsDir():
			return fs.SkipDir
		case kind.IsDir():
			return root.MkdirAll(name, 0o755)
		case kind&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(sum, "link %q %q\n", name, target)
			return root.Symlink(target, name)
		case kind.IsRegular():
			return copyFile(root, name, path, sum)
		}
		// Sockets and pipes are not source files.
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("copy %s: %w", from, err)
	}
	return hex.EncodeToString(sum.Sum(nil)[:20]), nil
}

func copyFile(root *os.Root, name, path string, sum io.Writer) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintf(sum, "file %q %d %t\n", name, info.Size(), info.Mode()&0o100 != 0)
	return writeFile(root, name, io.TeeReader(file, sum), info.Mode())
}

func writeFile(root *os.Root, name string, content io.Reader, mode fs.FileMode) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	// Other users may read it, because the app has its own user.
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644|mode&0o111)
	if err != nil {
		return err
	}
	if _, err := io.Copy(file, content); err != nil {
		return errors.Join(err, file.Close())
	}
	return file.Close()
}
