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
	"os"
	"path/filepath"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/regularfile"
)

// source is a branch of a repository, which is a folder on this machine or a URL. It may
// have at most so many bytes.
type source struct {
	path, branch string
	most         int64
}

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
		return source{fileURL(path), s.branch, s.most}.fetch(ctx, folder, environment)
	}
	return copyFolder(ctx, s.path, folder, s.most)
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
func unpack(archive io.Reader, folder string, most int64) error {
	to, err := openTree(folder, most)
	if err != nil {
		return err
	}
	defer to.root.Close()
	reader := tar.NewReader(archive)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := cleaned(header.Name)
		switch header.Typeflag {
		case tar.TypeDir:
			err = to.folder(name)
		case tar.TypeSymlink:
			err = to.link(name, header.Linkname)
		case tar.TypeReg:
			err = to.file(name, reader, header.Size, header.FileInfo().Mode())
		}
		if err != nil {
			return err
		}
	}
}

// copyFolder copies a folder without its git records and returns a hash of it.
func copyFolder(ctx context.Context, from, to string, most int64) (string, error) {
	source, err := os.OpenRoot(from)
	if err != nil {
		return "", err
	}
	defer source.Close()
	copied, err := openTree(to, most)
	if err != nil {
		return "", err
	}
	defer copied.root.Close()
	sum := sha256.New()
	// The walk is in lexical order, so equal folders have equal hashes.
	err = fs.WalkDir(source.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil || name == "." {
			return err
		}
		switch kind := entry.Type(); {
		case entry.Name() == ".git" && entry.IsDir():
			return fs.SkipDir
		case kind.IsDir():
			return copied.folder(name)
		case kind&fs.ModeSymlink != 0:
			target, err := source.Readlink(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(sum, "link %q %q\n", name, target)
			return copied.link(name, target)
		case kind.IsRegular():
			return copyFile(source, copied, name, sum)
		}
		// Sockets and pipes are not source files.
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("copy %s: %w", from, err)
	}
	return hex.EncodeToString(sum.Sum(nil)[:20]), nil
}

func copyFile(source *os.Root, to *tree, name string, sum io.Writer) error {
	file, err := regularfile.Open(source, name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintf(sum, "file %q %d %t\n", name, info.Size(), info.Mode()&0o100 != 0)
	return to.file(name, io.TeeReader(file, sum), info.Size(), info.Mode())
}
