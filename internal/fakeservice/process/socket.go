package process

import "fmt"

// LongestSocket is the maximum length in bytes of a Unix socket's path on every system.
const LongestSocket = 103

// CheckSocket returns an error if a path is too long for a Unix socket.
func CheckSocket(path string) error {
	if len(path) > LongestSocket {
		return fmt.Errorf("the path %s is too long for a socket; choose a shorter folder", path)
	}
	return nil
}
