// Package unprivileged finds an account that programs run as which must not, or will
// not, run as root, and gives it files and folders that nobody else can open.
package unprivileged

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
)

// Account is who programs run as.
type Account struct {
	// User is zero where the programs run as whoever runs the fake.
	process.User
	// Name is the account's, and Caller that of whoever runs the fake.
	Name, Caller string
}

// NamelessError says that whoever runs the fake has no name on this machine, as in a
// container that was started with --user. PostgreSQL's initdb does not work then.
type NamelessError struct {
	Program string
	UID     int
}

// Error is a text for whoever started the fake.
func (e *NamelessError) Error() string {
	return fmt.Sprintf("the user %d has no name on this machine, without which %s does not run; add the user to /etc/passwd, or run the fake service as another one", e.UID, e.Program)
}

// Find finds an account for a program, which is named in errors: that of whoever runs
// the fake, or, where that is root, the first of the names that there is.
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

// isOther tells whether the programs run as another user than this one.
func (a Account) isOther() bool { return a.User != process.User{} }

// give makes a file or folder the account's own.
func (a Account) give(path string) error {
	if !a.isOther() {
		return nil
	}
	return os.Lchown(path, a.UID, a.GID)
}

// CanEnter tells whether the account can reach a folder of its own. The error names
// the program that runs as the account.
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
