package postgres

import (
	"fmt"
	"os"
	"os/user"
	"strconv"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
)

// account is who the programs run as. PostgreSQL and PgBouncer refuse to run
// as root.
type account struct {
	// User is zero where the programs run as whoever runs the fake.
	process.User
	// name is the account's, and caller that of whoever runs the fake. These two
	// get in by a cluster's socket.
	name, caller string
}

// unprivileged finds an account to run as.
func unprivileged() (account, error) {
	caller, err := user.LookupId(strconv.Itoa(os.Geteuid()))
	if err != nil {
		// PostgreSQL would not run either.
		return account{}, fmt.Errorf("whoever runs the fake service has no name on this machine: %w", err)
	}
	if os.Geteuid() != 0 {
		return account{name: caller.Username, caller: caller.Username}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(found.Uid)
		gid, gidErr := strconv.Atoi(found.Gid)
		if uidErr == nil && gidErr == nil && uid != 0 {
			return account{User: process.User{UID: uid, GID: gid}, name: name, caller: caller.Username}, nil
		}
	}
	return account{}, fmt.Errorf("PostgreSQL does not run as root, and this machine has neither a user postgres nor nobody to run it as; run the fake service as another user")
}

// isOther tells whether the programs run as another user than this one.
func (a account) isOther() bool { return a.User != process.User{} }

// give makes a file or folder the account's own.
func (a account) give(path string) error {
	if !a.isOther() {
		return nil
	}
	return os.Lchown(path, a.UID, a.GID)
}
