package appruntime

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// leadsOut is the error for a part of a repository that makes git read something else.
func leadsOut(part string) error {
	return fmt.Errorf("%s leads git out of the repository. Use a plain clone of it", part)
}

// gitFolder returns the folder in which git keeps the records of a repository. A stranger
// may have made the files of the repository, so nothing among them may lead git to another
// one. Only a linked worktree has its records elsewhere, and there they name the worktree.
func (r repository) gitFolder(ctx context.Context, folder string) (string, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	info, err := root.Lstat(".git")
	records := filepath.Join(folder, ".git")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		records = folder // a bare repository
	case err != nil:
		return "", err
	case info.Mode().IsRegular():
		if records, err = recordsOfWorktree(root, info); err != nil {
			return "", err
		}
	case !info.IsDir():
		return "", leadsOut(".git")
	}
	return records, r.confined(ctx, records)
}

// longestPath is the maximum size of a file of git that names a path, in bytes.
const longestPath = 8 << 10

// recordsOfWorktree returns the records of the repository of a linked worktree, which has a
// file with the information dotGit. The records are in the folder above worktrees/NAME.
func recordsOfWorktree(tree *os.Root, dotGit fs.FileInfo) (string, error) {
	named, err := pathIn(tree, ".git", "gitdir: ")
	if err != nil {
		return "", err
	}
	records := filepath.Dir(filepath.Dir(named))
	if filepath.Base(filepath.Dir(named)) != "worktrees" {
		return "", leadsOut(".git")
	}
	entry, err := os.OpenRoot(named)
	if err != nil {
		return "", err
	}
	defer entry.Close()
	back, err := pathIn(entry, "gitdir", "")
	if err != nil {
		return "", err
	}
	if info, err := os.Lstat(back); err != nil || !os.SameFile(info, dotGit) {
		return "", leadsOut(".git")
	}
	return records, nil
}

// pathIn returns the path that a file in a folder names after a prefix, without links.
func pathIn(folder *os.Root, name, prefix string) (string, error) {
	text, err := readRegular(folder, name, longestPath)
	if err != nil {
		return "", err
	}
	path, found := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), prefix)
	if !found {
		return "", leadsOut(name)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder.Name(), path)
	}
	return filepath.EvalSymlinks(path)
}

// confined returns an error if git would leave a folder with records: by a link, by the
// objects of another repository, or by a configuration that includes other files.
func (r repository) confined(ctx context.Context, records string) error {
	root, err := os.OpenRoot(records)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range []string{"commondir", "objects/info/alternates"} {
		if _, err := root.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, leadsOut(name))
		}
	}
	if err := fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil || entry.Type()&fs.ModeSymlink == 0 {
			return err
		}
		if _, err := root.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return leadsOut("the link " + name)
		}
		return nil
	}); err != nil {
		return err
	}
	for _, name := range []string{"config", "config.worktree"} {
		if _, err := root.Stat(name); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		keys, err := r.git(ctx, "config", "--file", filepath.Join(records, name), "--no-includes", "--null", "--name-only", "--list")
		if err != nil {
			return err
		}
		for key := range strings.SplitSeq(keys, "\x00") {
			if strings.HasPrefix(key, "include.") || strings.HasPrefix(key, "includeif.") {
				return leadsOut(key + " in " + name)
			}
		}
	}
	return nil
}
