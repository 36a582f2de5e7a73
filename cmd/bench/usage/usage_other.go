//go:build !unix

package usage

import (
	"os"
	"time"
)

func peak(*os.ProcessState) int64 { return 0 }

// Own returns 0, because this system does not report the CPU time of this process.
func Own() time.Duration { return 0 }
