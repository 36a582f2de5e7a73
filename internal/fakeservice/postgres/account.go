package postgres

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
)

// account is who the programs run as. PostgreSQL and PgBouncer refuse to run
// as root.
type account struct {
	// other is false where the programs run as whoever runs the fake.
	other    bool
	uid, gid int
}

// unprivileged finds an account to run as.
func unprivileged() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(found.Uid)
		gid, gidErr := strconv.Atoi(found.Gid)
		if uidErr == nil && gidErr == nil && uid != 0 {
			return account{other: true, uid: uid, gid: gid}, nil
		}
	}
	return account{}, fmt.Errorf("PostgreSQL does not run as root, and this machine has neither a user postgres nor nobody to run it as; run the fake service as another user")
}

// give makes a file or folder the account's own.
func (a account) give(path string) error {
	if !a.other {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}
