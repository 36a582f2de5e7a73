//go:build unix

package appruntime

import "fmt"

// writingAtMost returns a command that runs another one, whose processes get an error when
// a file that they write exceeds a size in bytes.
func writingAtMost(most int64, command ...string) []string {
	const blockOfShell = 512
	script := fmt.Sprintf(`trap '' XFSZ; ulimit -f %d; exec "$@"`, most/blockOfShell)
	return append([]string{"sh", "-c", script, "sh"}, command...)
}
