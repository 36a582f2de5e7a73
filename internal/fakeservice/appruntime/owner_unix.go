//go:build unix

package appruntime

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// asOwner returns the start of a shell command that runs a program as the user who controls
// a repository, or "" if this program is not root or only root controls the repository. That
// user is the first one other than root who owns a folder on the path, and can replace what
// is in it.
func asOwner(repository string) (string, error) {
	if os.Geteuid() != 0 {
		return "", nil
	}
	at := filepath.Join(repository, ".git")
	if _, err := os.Lstat(at); errors.Is(err, fs.ErrNotExist) {
		at = filepath.Clean(repository)
	}
	var controls *syscall.Stat_t
	for below := ""; at != below; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil {
			return "", err
		}
		if owner, ok := info.Sys().(*syscall.Stat_t); ok && owner.Uid != 0 {
			controls = owner
		}
		below = at
	}
	if controls == nil {
		return "", nil
	}
	if _, err := exec.LookPath("setpriv"); err != nil {
		return "", errors.New("the repository belongs to another user, and the program setpriv of util-linux is missing: run the fake service as that user")
	}
	return fmt.Sprintf("setpriv --reuid %d --regid %d --clear-groups --no-new-privs ", controls.Uid, controls.Gid), nil
}
