package client

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// decodes fuzzes the decoding of one kind of record. Any input must lead to an error or a
// record, and never to a panic. A decoded record must survive encoding and decoding.
func decodes[T any](f *testing.F, seeds ...string) {
	for _, seed := range append(seeds, `{}`, `null`, `[]`, `""`, `{"id": 7}`, `{"created_at": "never"}`) {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var record T
		if json.Unmarshal(raw, &record) != nil {
			return
		}
		if _, err := json.Marshal(record); err != nil && !strings.Contains(err.Error(), "year outside") {
			t.Errorf("%s, which was read: got error %v of writing it, want none", raw, err)
		}
	})
}

func FuzzInstance(f *testing.F) {
	decodes[Instance](f, `{"id": "i", "engines": {"postgres": {"memory_mb": 512}}, "tags": null, "job_id": null}`,
		`{"engines": ["postgres"]}`, `{"engines": {"auth": true}}`, `{"usage": {"cpu_percent": 1e400}}`)
}

func FuzzJob(f *testing.F) {
	decodes[Job](f, `{"id": "j", "status": "failed", "progress": 40, "error": {"code": "c", "detail": "d"}}`, `{"target": null, "error": null}`)
}

func FuzzApp(f *testing.F) {
	decodes[App](f, `{"name": "a", "port": 3000, "env": {"A": "1"}, "links": null, "url": null}`)
}

func FuzzBuild(f *testing.F) {
	decodes[Build](f, `{"id": "b", "status": "successful", "error": null}`)
}

func FuzzConnection(f *testing.F) {
	decodes[Connection](f, `{"host": "h", "engines": {"postgres": {"owner_url": "postgresql://o:p@h/d"}, "redis": null}}`)
}

func FuzzPlans(f *testing.F) {
	decodes[Plans](f, `{"plans": [{"id": "p", "cpu": 0.5}], "engines": {"auth": {"floor_mb": 256, "port": null}}}`)
}

func FuzzPending(f *testing.F) {
	decodes[Pending](f, `{"job_id": "j"}`, `{"job": {"id": "j"}}`, `{"job": "j", "build_id": null}`, `{"id": "j", "operation": "reset", "progress": 0}`)
}

func FuzzCreated(f *testing.F) {
	decodes[createdAnswer](f, `{"id": "i", "status": "creating", "checkout_url": "https://c", "job": "j"}`, `{"id": "j", "operation": "create", "instance_id": "i"}`)
}

func FuzzPage(f *testing.F) {
	f.Add([]byte(`{"builds": [{"id": "b"}], "next_cursor": "c"}`))
	f.Add([]byte(`[{"id": "b"}]`))
	f.Add([]byte(`{"builds": null}`))
	f.Fuzz(func(_ *testing.T, raw []byte) {
		page, err := decodePage[Build](raw, "builds")
		if err == nil {
			_, _ = PickBuild(page.items, "b")
		}
	})
}

func FuzzNextPoll(f *testing.F) {
	f.Add(int64(time.Second), 5)
	f.Fuzz(func(t *testing.T, elapsed int64, progress int) {
		if elapsed < 0 || elapsed > int64(time.Hour)*1000 {
			return
		}
		if delay := nextPoll(time.Duration(elapsed), progress); delay < FirstPoll || delay > longestDelay {
			t.Errorf("nextPoll(%d, %d) = %s, want from %s to %s", elapsed, progress, delay, FirstPoll, longestDelay)
		}
	})
}
