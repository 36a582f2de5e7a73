package fakeservice_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// These benchmarks measure requests in a small account and in a large one, through the
// whole handler:
//
//	go test ./internal/fakeservice -run '^$' -bench Account
//
// A request about one instance takes the same time in both. cpu-µs/op is the time of all
// processors, which does not depend on other programs.

// few and many are the numbers of instances in the accounts.
const few, many = 2, 2000

// account is a fake with the instances of an account. It is called without a network.
type account struct {
	*fakeservice.Service
	b   testing.TB
	ids []string
}

// newAccount makes an account with idle instances. It has the options of the program.
func newAccount(b testing.TB, instances int, opts ...func(*fakeservice.Options)) *account {
	options := fakeservice.Options{APIKey: fakeservicetest.APIKey, RequestsKept: 2000}
	for _, set := range opts {
		set(&options)
	}
	service := fakeservice.New(options)
	b.Cleanup(func() {
		if err := service.Close(); err != nil {
			b.Error(err)
		}
		for _, violation := range service.Violations() {
			b.Error(violation)
		}
	})
	a := &account{service, b, nil}
	for n := range instances {
		a.ids = append(a.ids, service.AddInstance(box(n)).ID)
	}
	return a
}

// box returns an idle instance.
func box(n int) fakeservice.Instance {
	return fakeservice.Instance{
		Name: fmt.Sprintf("box-%d", n), Tags: []string{"team:red", fmt.Sprintf("n:%d", n)}, Allowlist: []string{"203.0.113.0/24"},
		Engines: map[string]*fakeservice.Engine{"postgres": {MemoryMB: 512}, "apps": {MemoryMB: 512}, "auth": {MemoryMB: 128}},
	}
}

// send sends a request and returns the body of the answer, which must have that status.
func (a *account) send(status int, method, path, body string, header ...string) []byte {
	request := httptest.NewRequest(method, "/api/v1"+path, strings.NewReader(body))
	request.Host = "localhost"
	request.Header.Set("Authorization", "Bearer "+fakeservicetest.APIKey)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	answer := httptest.NewRecorder()
	if a.ServeHTTP(answer, request); answer.Code != status {
		a.b.Fatalf("%s %s: got %d %s, want %d", method, path, answer.Code, answer.Body, status)
	}
	return answer.Body.Bytes()
}

// one returns the id of an instance, a different one for each n.
func (a *account) one(n int) string { return a.ids[n*7919%len(a.ids)] }

// busy starts a job on every instance.
func (a *account) busy() (jobs []string) {
	for _, id := range a.ids {
		var accepted struct {
			JobID string `json:"job_id"`
		}
		must.Do(a.b, json.Unmarshal(a.send(http.StatusAccepted, "POST", "/instances/"+id+"/actions/rotate", "{}"), &accepted))
		jobs = append(jobs, accepted.JobID)
	}
	return jobs
}

func BenchmarkAccount(b *testing.B) {
	for _, row := range []struct {
		name string
		// prepare returns the request to measure. n counts the calls.
		prepare func(*account) (request func(n int))
		options []func(*fakeservice.Options)
	}{
		{name: "GetInstance", prepare: func(a *account) func(int) {
			return func(n int) { a.send(http.StatusOK, "GET", "/instances/"+a.one(n), "") }
		}},
		{name: "GetInstanceWhileAllAreBusy", prepare: func(a *account) func(int) {
			a.SetDuration("rotate", 1000*time.Hour)
			a.busy()
			return func(n int) { a.send(http.StatusOK, "GET", "/instances/"+a.one(n), "") }
		}},
		{name: "GetInstanceWhileThePastIsKept", prepare: func(a *account) func(int) {
			a.KeepPast(weather.LongestLag)
			return func(n int) { a.send(http.StatusOK, "GET", "/instances/"+a.one(n), "") }
		}},
		{name: "PollJobWhileAllAreBusy", prepare: func(a *account) func(int) {
			a.SetDuration("rotate", 1000*time.Hour)
			jobs := a.busy()
			return func(n int) { a.send(http.StatusOK, "GET", "/jobs/"+jobs[n*7919%len(jobs)], "") }
		}},
		{name: "ListPage", prepare: func(a *account) func(int) {
			last := a.send(http.StatusOK, "GET", fmt.Sprintf("/instances?limit=%d", min(len(a.ids)-1, 200)), "")
			var page struct {
				Cursor string `json:"next_cursor"`
			}
			must.Do(a.b, json.Unmarshal(last, &page))
			return func(int) { a.send(http.StatusOK, "GET", "/instances?limit=2&cursor="+page.Cursor, "") }
		}},
		{name: "CreateInstance", prepare: func(a *account) func(int) {
			return func(n int) {
				a.send(http.StatusAccepted, "POST", "/instances", creation, "Idempotency-Key", fmt.Sprint("key-", n))
			}
		}},
		{name: "ChangeInstance", prepare: func(a *account) func(int) {
			return func(n int) { a.change(n) }
		}},
		{name: "ChangeInstanceWhileThePastIsKept", prepare: func(a *account) func(int) {
			a.KeepPast(weather.LongestLag)
			return func(n int) { a.change(n) }
		}},
		{
			name:    "ChangeInstanceWhileAllIsWrittenDown",
			prepare: func(a *account) func(int) { return func(n int) { a.change(n) } },
			options: []func(*fakeservice.Options){func(o *fakeservice.Options) {
				o.Storage = openFile(b, filepath.Join(b.TempDir(), fmt.Sprintf("records-%p.db", o)))
			}},
		},
	} {
		b.Run(row.name, func(b *testing.B) {
			var cpu [2]float64
			for i, instances := range []int{few, many} {
				b.Run(fmt.Sprint(instances), func(b *testing.B) {
					request := row.prepare(newAccount(b, instances, row.options...))
					n := 0
					b.ReportAllocs()
					before := processorTime()
					for b.Loop() {
						request(n)
						n++
					}
					cpu[i] = float64((processorTime() - before).Microseconds()) / float64(n)
					b.ReportMetric(cpu[i], "cpu-µs/op")
					if i == 1 && cpu[0] > 0 {
						b.ReportMetric(cpu[1]/cpu[0], "×few")
					}
				})
			}
		})
	}
}

// change renames an instance and finishes the job.
func (a *account) change(n int) {
	var accepted struct {
		JobID string `json:"job_id"`
	}
	must.Do(a.b, json.Unmarshal(a.send(http.StatusAccepted, "PATCH", "/instances/"+a.one(n), fmt.Sprintf(`{"name":"box-%d"}`,
		n)), &accepted))
	must.Do(a.b, a.FinishJob(accepted.JobID))
}

// BenchmarkAccountMemory measures the memory of an idle instance, as B/instance.
func BenchmarkAccountMemory(b *testing.B) {
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		return memory.HeapAlloc
	}
	newAccount(b, few) // memory that all accounts share
	before := heap()
	a := newAccount(b, many)
	each := float64(heap()-before) / many
	for b.Loop() { // nothing takes time here
	}
	b.ReportMetric(each, "B/instance")
	runtime.KeepAlive(a)
}

// A request about one instance and the poll of a job do the same work in a large account
// as in a small one, idle or not. The test does not run in parallel, because it counts
// the allocations of the whole process.
func TestLargeAccountsAreFlat(t *testing.T) {
	cost := func(instances int, busy bool) (read, poll float64) {
		a := newAccount(t, instances)
		job := ""
		if busy {
			a.SetDuration("rotate", 1000*time.Hour)
			job = a.busy()[0]
		}
		n := 0
		read = testing.AllocsPerRun(50, func() { a.send(http.StatusOK, "GET", "/instances/"+a.one(n), ""); n++ })
		if busy {
			poll = testing.AllocsPerRun(50, func() { a.send(http.StatusOK, "GET", "/jobs/"+job, "") })
		}
		return read, poll
	}
	for _, busy := range []bool{false, true} {
		smallRead, smallPoll := cost(few, busy)
		largeRead, largePoll := cost(many, busy)
		if largeRead > 1.2*smallRead || largePoll > 1.2*smallPoll {
			t.Errorf("busy %t, among %d instances: got %.0f allocations of a read and %.0f of a poll, want at most 1.2 times %.0f and %.0f", busy, many, largeRead, largePoll, smallRead, smallPoll)
		}
	}
}
