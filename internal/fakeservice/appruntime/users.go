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

// The numbers that are free for users who exist only while something runs, by
// the custom of Linux distributions.
const (
	firstUser  = 61184
	usersThere = 4332
)

// users gives each app and each build a user of its own where this program may
// choose, which is as root, and this program's own user otherwise.
type users struct {
	own bool

	mu    sync.Mutex
	next  int
	taken map[int]bool
}

// newUsers begins anywhere, as another fake may give users too.
func newUsers() *users {
	return &users{own: os.Geteuid() != 0, next: rand.IntN(usersThere), taken: map[int]bool{}}
}

// take gives a user that nothing else runs as.
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

// release takes a user back, once nothing runs as it.
func (u *users) release(user process.User) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.taken, user.UID)
}

// reachable tells whether every user can get to a folder.
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

// give makes everything in a folder a user's own, so that an app can write
// where it runs, as it could in a container.
func give(folder string, user process.User) error {
	if user == (process.User{}) {
		return nil
	}
	// A root gives nothing away that a link leads to.
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
