package appruntime

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/regularfile"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// EraseData empties the app's data folder while the app is stopped.
func (a *App) EraseData() error {
	return a.whileStopped(func() error { return emptyFolder(a.data()) })
}

// SaveData copies the app's data to a folder while the app keeps running. It returns the
// number of bytes copied.
func (a *App) SaveData(ctx context.Context, folder string) (int64, error) {
	return CopyData(ctx, a.data(), folder)
}

// RestoreData replaces the app's data with a saved copy while the app is stopped.
func (a *App) RestoreData(ctx context.Context, folder string) error {
	return a.whileStopped(func() error {
		if err := emptyFolder(a.data()); err != nil {
			return err
		}
		if _, err := CopyData(ctx, folder, a.data()); err != nil {
			return err
		}
		return give(a.data(), a.user)
	})
}

// whileStopped stops the app, calls the function, and starts the app again if it was
// deployed.
func (a *App) whileStopped(do func() error) error {
	a.changing.Lock()
	defer a.changing.Unlock()
	a.stop()
	err := do()
	if a.build == nil || a.runtime.life.Err() != nil {
		return err
	}
	return errors.Join(err, a.begin())
}

func emptyFolder(folder string) error {
	if err := os.Chmod(folder, 0o700); err != nil {
		return err // the app may have closed it
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var errs []error
	for _, entry := range entries {
		errs = append(errs, workdir.RemoveAll(filepath.Join(folder, entry.Name())))
	}
	return errors.Join(errs...)
}

// CopyData copies the content of a folder to another folder: files, folders and links, with
// their permissions. A program that is not root can read the originals from now on. CopyData
// returns the number of bytes copied. Files that vanish during the copy are left out. A
// running app may plant links for this program, which may read and write more than the app
// can; os.Root follows no link out of its folder.
func CopyData(ctx context.Context, from, to string) (int64, error) {
	source, err := openData(from)
	if err != nil {
		return 0, err
	}
	defer source.Close()
	target, err := os.OpenRoot(to)
	if err != nil {
		return 0, err
	}
	defer target.Close()
	var size int64
	err = walkData(ctx, source, func(name string, _ fs.DirEntry) error {
		copied, err := copyEntry(ctx, source, target, name)
		size += copied
		return err
	})
	return size, err
}

func copyEntry(ctx context.Context, source, target *os.Root, name string) (int64, error) {
	info, err := source.Lstat(name)
	if err != nil {
		return 0, err
	}
	switch {
	case info.IsDir():
		return 0, target.Mkdir(name, info.Mode().Perm()|0o700)
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := source.Readlink(name)
		if err != nil {
			return 0, err
		}
		return 0, target.Symlink(to, name)
	case !info.Mode().IsRegular():
		return 0, nil // a socket holds no data
	}
	return copyContent(ctx, source, target, name, info.Mode().Perm())
}

// copyContent copies a file. The name may have become something other than a file by now.
func copyContent(ctx context.Context, source, target *os.Root, name string, mode fs.FileMode) (int64, error) {
	from, err := regularfile.Open(source, name)
	if errors.Is(err, regularfile.ErrOther) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer from.Close()
	to, err := target.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	size, err := copySparse(ctx, to, from)
	return size, errors.Join(err, to.Chmod(mode), to.Close()) // Chmod ignores the umask
}
