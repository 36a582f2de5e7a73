package dataplane

import (
	"sync"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/appruntime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
)

// buildLogsKept is how many builds' logs are kept, the newest ones.
const buildLogsKept = 100

// buildLogs are the logs of builds by their ids, of those that go on too.
type buildLogs struct {
	mu   sync.Mutex
	logs map[string]*process.Tail
	// ids are in order, the oldest first.
	ids []string
}

// begin gives the log of a build that begins, and forgets the oldest.
func (l *buildLogs) begin(buildID string) *process.Tail {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.logs == nil {
		l.logs = map[string]*process.Tail{}
	}
	if len(l.ids) == buildLogsKept {
		delete(l.logs, l.ids[0])
		l.ids = l.ids[1:]
	}
	log := appruntime.NewBuildLog()
	l.logs[buildID] = log
	l.ids = append(l.ids, buildID)
	return log
}

// BuildLog is the end of what a build has said so far.
func (p *Plane) BuildLog(buildID string) string {
	p.buildLogs.mu.Lock()
	log := p.buildLogs.logs[buildID]
	p.buildLogs.mu.Unlock()
	if log == nil {
		return ""
	}
	return log.String()
}
