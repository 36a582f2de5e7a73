package serving

import (
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

const (
	// parentPeriod is how often a provider looks whether its CLI is still there.
	parentPeriod = time.Second
	// finishing is how long the calls of a CLI that is gone may take to end. It is what the
	// client gives an operation after an interrupt (client.WithGracePeriod).
	finishing = 30 * time.Second
)

// AwaitOrphaned returns once the process that started this one has ended, and then the calls
// that the server still runs have ended or 30 s are over. cli is the id of the parent at the
// start of the process, and parent is os.Getppid: a Unix system gives a process whose parent
// has ended another one. Windows does not, so there it never returns.
//
// The end of a CLI that was killed cancels its calls, as it closes their connection.
func AwaitOrphaned(server tfprotov6.ProviderServer, cli int, parent func() int) {
	for parent() == cli {
		time.Sleep(parentPeriod)
	}
	calls, ok := server.(*shortContexts)
	if !ok {
		return // another server does not count its calls
	}
	select {
	case <-calls.idle():
	case <-time.After(finishing):
	}
}
