//go:build unix

package process

import (
	"os"
	"strconv"
	"syscall"
)

// firstDescriptor is the first descriptor after the standard ones.
const firstDescriptor = 3

// withholdEach marks each descriptor of this process except the standard ones, so that
// programs do not inherit it.
func withholdEach() error {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if number, err := strconv.Atoi(entry.Name()); err == nil && number >= firstDescriptor {
			syscall.CloseOnExec(number)
		}
	}
	return nil
}
