package appruntime

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
)

// The range of user ids that Linux distributions leave free for temporary users.
const (
	firstUser  = 61184
	usersThere = 4332
)

// users assigns a separate user to each app and each build if this program runs as root,
// and this program's own user otherwise.
type users struct {
	own bool

	mu    sync.Mutex
	next  int
	taken map[int]bool
}

// newUsers starts at a random number, because another fake may assign users too.
func newUsers() *users {
	return &users{own: os.Geteuid() != 0, next: rand.IntN(usersThere), taken: map[int]bool{}}
}

// take reserves a user that no other program runs as.
func (u *users) take() (process.User, error) {
	if u.own {
		return process.User{}, nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for range usersThere {
		number := firstUser + u.next
		u.next = (u.next + 1) % usersThere
		if !u.taken[number] {
			u.taken[number] = true
			return process.User{UID: number, GID: number}, nil
		}
	}
	return process.User{}, errors.New("more apps and builds run than this machine has users for")
}

// release frees a user after its last process has ended.
func (u *users) release(user process.User) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.taken, user.UID)
}

// reachable reports whether every user can reach a folder.
func reachable(folder string) bool {
	for {
		info, err := os.Stat(folder)
		if err != nil || info.Mode().Perm()&0o001 == 0 {
			return false
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return true
		}
		folder = parent
	}
}

// give makes a user the owner of everything in a folder. An app can then write to its
// working folder, like in a container.
func give(folder string, user process.User) error {
	if user == (process.User{}) {
		return nil
	}
	// os.Root follows no link, so no file outside the folder changes its owner.
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := root.Lchown(path, user.UID, user.GID); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}
