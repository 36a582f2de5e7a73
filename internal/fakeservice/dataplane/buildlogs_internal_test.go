package dataplane

import (
	"fmt"
	"testing"
)

// The number of logs is limited, however many builds there are.
func TestBuildLogsAreBounded(t *testing.T) {
	t.Parallel()
	p := &Plane{}
	for i := range 3 * buildLogsKept {
		fmt.Fprintf(p.buildLogs.begin(fmt.Sprint(i)), "build %d", i)
	}
	if n := len(p.buildLogs.logs); n != buildLogsKept || len(p.buildLogs.ids) != n {
		t.Errorf("the stored logs: got %d with %d ids, want %d", n, len(p.buildLogs.ids), buildLogsKept)
	}
	if old, last := p.BuildLog("0"), p.BuildLog(fmt.Sprint(3*buildLogsKept-1)); old != "" || last != fmt.Sprintf("build %d", 3*buildLogsKept-1) {
		t.Errorf("got %q as the oldest log and %q as the newest, want none and build %d", old, last, 3*buildLogsKept-1)
	}
}
