package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// build mounts a copy of the root folder below v.Root. The root itself cannot be
// used, as it need not have the points of the mounts and must not be given them.
func (v *View) build() error {
	const careful = syscall.MS_NOSUID | syscall.MS_NODEV
	if err := syscall.Mount("tmpfs", v.Root, "tmpfs", careful, "mode=0755"); err != nil {
		return err
	}
	if err := v.copyRoot(); err != nil {
		return err
	}
	// The program sees no processes but its own, whose command lines and working
	// folders may tell something. Where that cannot be had it sees the others'
	// names, as every user does.
	_ = syscall.Mount("proc", filepath.Join(v.Root, "proc"), "proc", careful|syscall.MS_NOEXEC, "hidepid=2")
	for _, folder := range v.Hidden {
		err := syscall.Mount("tmpfs", filepath.Join(v.Root, folder), "tmpfs", careful, "mode=0700")
		if errors.Is(err, os.ErrNotExist) {
			continue // it lies in one that is hidden already
		}
		if err != nil {
			return fmt.Errorf("hide %s: %w", folder, err)
		}
	}
	for _, m := range v.Mounts {
		target := filepath.Join(v.Root, m.Point)
		if err := os.Mkdir(target, 0o755); err != nil {
			return err
		}
		if err := m.mount(target); err != nil {
			return fmt.Errorf("mount %s: %w", m.Folder, err)
		}
	}
	return nil
}

func (m Mount) mount(target string) error {
	if m.Changes != "" {
		layers := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", m.Folder, filepath.Join(m.Changes, "upper"), filepath.Join(m.Changes, "work"))
		return syscall.Mount("overlay", target, "overlay", syscall.MS_NOSUID|syscall.MS_NODEV, layers)
	}
	if err := syscall.Mount(m.Folder, target, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
		return err
	}
	if !m.ReadOnly {
		return nil
	}
	return syscall.Mount("", target, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY|syscall.MS_NOSUID|syscall.MS_NODEV, "")
}

// copyRoot gives the view each entry of the root folder, but for those in whose
// place something else is mounted.
func (v *View) copyRoot() error {
	entries, err := os.ReadDir("/")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		from, to := filepath.Join("/", entry.Name()), filepath.Join(v.Root, entry.Name())
		taken := slices.ContainsFunc(v.Mounts, func(m Mount) bool { return m.Point == from })
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
