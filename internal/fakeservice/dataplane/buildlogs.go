package dataplane

import (
	"sync"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/appruntime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
)

// buildLogsKept is the number of builds whose logs are kept, the newest ones.
const buildLogsKept = 100

// buildLogs has the logs of builds by id, including builds in progress.
type buildLogs struct {
	mu   sync.Mutex
	logs map[string]*process.Tail
	// ids has the oldest build first.
	ids []string
}

// begin returns the log of a new build, and removes the oldest log if there are too many.
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

// BuildLog returns the end of a build's log so far.
func (p *Plane) BuildLog(buildID string) string {
	p.buildLogs.mu.Lock()
	log := p.buildLogs.logs[buildID]
	p.buildLogs.mu.Unlock()
	if log == nil {
		return ""
	}
	return log.String()
}
