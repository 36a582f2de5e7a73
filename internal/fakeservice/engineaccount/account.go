// Package engineaccount finds the account that runs an engine's programs, which must not or
// cannot run as root. It creates files and folders that only that account can open.
package engineaccount

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
)

// Account is the user of programs.
type Account struct {
	// User is zero if the programs run as the user who runs the fake.
	process.User
	// Name is the account's name, and Caller is the name of the user who runs the fake.
	Name, Caller string
}

// NamelessError says that the user who runs the fake has no name on this machine, as in a
// container that was started with --user. PostgreSQL's initdb does not work then.
type NamelessError struct {
	Program string
	UID     int
}

// Error returns a message for the person who starts the fake.
func (e *NamelessError) Error() string {
	return fmt.Sprintf("the user %d has no name on this machine, without which %s does not run; add the user to /etc/passwd, or run the fake service as another one", e.UID, e.Program)
}

// Find finds an account for a program, which is named in errors. It is the account of the
// user who runs the fake. If that is root, it is the first existing account of the given
// names.
func Find(program string, names ...string) (Account, error) {
	caller, err := user.LookupId(strconv.Itoa(os.Geteuid()))
	if err != nil {
		return Account{}, &NamelessError{program, os.Geteuid()}
	}
	if os.Geteuid() != 0 {
		return Account{Name: caller.Username, Caller: caller.Username}, nil
	}
	for _, name := range names {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(found.Uid)
		gid, gidErr := strconv.Atoi(found.Gid)
		if uidErr == nil && gidErr == nil && uid != 0 {
			return Account{User: process.User{UID: uid, GID: gid}, Name: name, Caller: caller.Username}, nil
		}
	}
	return Account{}, fmt.Errorf("%s does not run as root, and this machine has none of the users %s to run it as; run the fake service as another user", program, strings.Join(names, ", "))
}

// isOther reports whether the programs run as a different user than this one.
func (a Account) isOther() bool { return a.User != process.User{} }

// give makes the account the owner of a file or folder.
func (a Account) give(path string) error {
	if !a.isOther() {
		return nil
	}
	return os.Lchown(path, a.UID, a.GID)
}

// giveIn is like give for a name below a root.
func (a Account) giveIn(root *os.Root, name string) error {
	if !a.isOther() {
		return nil
	}
	return root.Lchown(name, a.UID, a.GID)
}

// CanEnter returns an error unless the account can reach its folder. The error names the
// program that runs as the account.
func (a Account) CanEnter(program, folder string) error {
	if !a.isOther() {
		return nil
	}
	for parent := filepath.Dir(folder); ; parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o001 == 0 {
			return fmt.Errorf("%s runs as another user than root, who cannot enter the folder %s", program, parent)
		}
		if parent == filepath.Dir(parent) {
			return nil
		}
	}
}
