package fakeservice_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// few and many are the numbers of instances in the accounts.
const few, many = 2, 2000

// account is a fake with the instances of an account. It is called without a network.
type account struct {
	*fakeservice.Service
	b   testing.TB
	ids []string
}

// newAccount makes an account with idle instances. It has the options of the program.
func newAccount(b testing.TB, instances int) *account {
	service := fakeservice.New(fakeservice.Options{APIKey: fakeservicetest.APIKey, RequestsKept: 2000})
	b.Cleanup(func() {
		must.Report(b, service.Close())
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
