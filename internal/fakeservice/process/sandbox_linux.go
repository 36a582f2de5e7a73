package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// FindSandbox finds bubblewrap, and tries it with a program that does nothing. path is the
// PATH that is searched for Go and Node.js. The error explains to the user of this program
// why there is no sandbox.
func FindSandbox(ctx context.Context, path string) (*Sandbox, error) {
	bubblewrap, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, errors.New("bubblewrap is missing (apt-get install bubblewrap, dnf install bubblewrap)")
	}
	s := &Sandbox{bubblewrap: bubblewrap, Limits: limitsHere(), filter: systemCallFilter()}
	s.prlimit, _ = exec.LookPath("prlimit") // without it, the guard is alone
	user := User{}
	if os.Geteuid() == 0 {
		if s.setpriv, err = exec.LookPath("setpriv"); err != nil {
			return nil, errors.New("the program setpriv of util-linux is missing")
		}
		user = User{UID: nobody, GID: nobody}
	}
	inside, mounts := toolchainsOf(path)
	s.path = inside
	if s.system, err = systemArguments(mounts); err != nil {
		return nil, err
	}
	said := NewTail(1 << 10)
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := Run(ctx, Spec{Command: []string{"true"}, Folder: "/", Output: said, User: user, Sandbox: s}); err != nil {
		return nil, fmt.Errorf("bubblewrap does not work here: %s", strings.TrimSpace(said.String()+" ("+err.Error()+")"))
	}
	return s, nil
}

// The user id 65534 owns nothing by convention.
const nobody = 65534

// awaitEnd waits until a sandbox's first process has ended, and with it all others. When
// bubblewrap ends, that process becomes a child of the system's first process. If this
// process is the first one, as in a container, it must reap it here.
func awaitEnd(pid int) {
	handle, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return // it has ended
	}
	defer unix.Close(handle)
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}, -1)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil) // elsewhere it has a different parent
}
