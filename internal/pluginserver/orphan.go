package pluginserver

import (
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// parentPeriod is the interval at which a provider checks whether its CLI still exists.
const parentPeriod = time.Second

// AwaitOrphaned returns once the process that started this one has ended and the server's
// running calls have ended or the grace period has passed. cli is the id of the parent when this
// process started, and parent is os.Getppid: on Unix, a process whose parent has ended
// gets another parent. Windows keeps the parent's id, so there AwaitOrphaned never
// returns.
//
// When a CLI is killed, its connection closes, and that cancels its calls.
func AwaitOrphaned(server tfprotov6.ProviderServer, cli int, parent func() int, grace time.Duration) {
	for parent() == cli {
		time.Sleep(parentPeriod)
	}
	calls, ok := server.(*shortContexts)
	if !ok {
		return // other servers do not count their calls
	}
	select {
	case <-calls.idle():
	case <-time.After(grace):
	}
}
