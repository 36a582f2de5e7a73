package appruntime

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
)

// viewsWork tells whether this process may give others a view of their own, of
// the file system and of processes. It is tried once, since being root is not
// enough inside some containers.
var viewsWork = sync.OnceValue(func() bool {
	if os.Geteuid() != 0 {
		return false
	}
	tried := make(chan error)
	go onOwnThread(func() bool {
		err := syscall.Unshare(syscall.CLONE_NEWNS | syscall.CLONE_NEWPID)
		if err == nil {
			err = syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")
		}
		tried <- err
		return true
	})
	return <-tried == nil
})

// enter gives the command the view. It must run on a thread of its own, whose
// view it changes: the command inherits it, and the mounts are gone when the
// last process that sees them is.
func (v *view) enter(command *exec.Cmd) error {
	if v == nil {
		return nil
	}
	// The program is looked for now: afterwards, this thread sees other files.
	if command.Err != nil {
		return command.Err
	}
	if err := v.build(); err != nil {
		return fmt.Errorf("give the app its view of the file system: %w", err)
	}
	command.SysProcAttr.Chroot = v.root
	return nil
}

// leave takes away what the view has mounted, once nothing uses it any more. It
// runs on the view's thread.
func (v *view) leave() {
	if v != nil {
		_ = syscall.Unmount(v.root, syscall.MNT_DETACH)
	}
}

// build mounts a copy of the root folder below v.root. The root itself cannot
// be used, as it need not have a /data and must not be given one.
func (v *view) build() error {
	if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
		return err
	}
	// From here on, nothing that is mounted is seen by others.
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", v.root, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=0755"); err != nil {
		return err
	}
	if err := v.copyRoot(); err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", filepath.Join(v.root, v.hidden), "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=0700"); err != nil {
		return err
	}
	for point, folder := range v.mounts {
		target := filepath.Join(v.root, point)
		if err := os.Mkdir(target, 0o755); err != nil {
			return err
		}
		if err := syscall.Mount(folder, target, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	return nil
}

// copyRoot gives the view each entry of the root folder, but for those in whose
// place something else is mounted.
func (v *view) copyRoot() error {
	entries, err := os.ReadDir("/")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		from, to := filepath.Join("/", entry.Name()), filepath.Join(v.root, entry.Name())
		_, taken := v.mounts[from]
		switch {
		case taken:
		case entry.Type()&os.ModeSymlink != 0:
			var target string
			if target, err = os.Readlink(from); err == nil {
				err = os.Symlink(target, to)
			}
		case entry.IsDir():
			if err = os.Mkdir(to, 0o755); err == nil {
				err = syscall.Mount(from, to, "", syscall.MS_BIND|syscall.MS_REC, "")
			}
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s: %w", from, err)
		}
	}
	return nil
}
