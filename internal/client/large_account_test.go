package client_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A large account is read by its list, and each of its records is kept once. Time stands
// still, so that a busy machine does not outlast the age at which the list is read again.
func TestLargeAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const instances = 2000
		account := newAccount(instances)
		before := heap()
		c := account.client(t)
		for range 2 {
			for n := range instances {
				must.Get(c.RefreshInstance(t.Context(), accountID(n)))(t)
			}
		}
		// The first two are read individually, and then the pages.
		if want := 2 + instances/pageSize; account.requests != want {
			t.Errorf("got %d requests, want %d", account.requests, want)
		}
		after := heap()
		if each := (after - min(before, after)) / instances; each > 6<<10 {
			t.Errorf("bytes that are kept of each instance: got %d, want at most %d", each, 6<<10)
		}
		runtime.KeepAlive(c)
	})
}

// heap returns the number of heap bytes in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// pageSize is the number of records on a page of the service (SERVICE.md#lists).
const pageSize = 200

// An account answers like a service with a number of instances. It is not a complete
// fake: it only answers reads of the list and of single instances.
type account struct {
	records  []json.RawMessage
	pages    map[string][]byte // by cursor
	requests int
}

// accountID returns the id of one of an account's instances.
func accountID(n int) string { return fmt.Sprintf("i-%012d", n) }

func newAccount(instances int) *account {
	a := &account{pages: map[string][]byte{}}
	for n := range instances {
		a.records = append(a.records, record(n))
	}
	for from := 0; from == 0 || from < instances; from += pageSize {
		page := map[string]any{"instances": a.records[from:min(instances, from+pageSize)]}
		if from+pageSize < instances {
			page["next_cursor"] = strconv.Itoa(from + pageSize)
		}
		cursor := ""
		if from > 0 {
			cursor = strconv.Itoa(from)
		}
		a.pages[cursor] = encode(page)
	}
	return a
}

// client returns a client of the account.
func (a *account) client(t testing.TB) *client.Client {
	t.Helper()
	return must.Get(client.New(client.Options{BaseURL: "https://hosting.example/api/v1", APIKey: "key-of-the-account", Transport: a}))(t)
}

// RoundTrip answers a request.
func (a *account) RoundTrip(r *http.Request) (*http.Response, error) {
	a.requests++
	body, status := a.pages[r.URL.Query().Get("cursor")], http.StatusOK
	if id, single := strings.CutPrefix(r.URL.Path, "/api/v1/instances/i-"); single {
		n, err := strconv.Atoi(id)
		if err != nil || n >= len(a.records) {
			status, body = http.StatusNotFound, []byte(`{"code":"not_found","detail":"there is no such instance"}`)
		} else {
			body = a.records[n]
		}
	}
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(body)),
		Body: io.NopCloser(bytes.NewReader(body)), Request: r,
	}, nil
}

// record returns the record of an instance with all fields of the service.
func record(n int) json.RawMessage {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var activity []map[string]any
	for k := range 20 {
		activity = append(activity, map[string]any{"at": at.Add(-time.Duration(k) * time.Hour), "type": "allowlist", "detail": "203.0.113.0/24"})
	}
	return encode(map[string]any{
		"id": accountID(n), "name": fmt.Sprintf("box-%d", n), "plan": "small", "region": "eu-central", "status": "running",
		"host": accountID(n) + ".eu-central.hosting.example", "tags": []string{"team:red", fmt.Sprintf("n:%d", n)},
		"engines": map[string]any{
			"postgres": map[string]any{"memory_mb": 1024, "port": 5432, "status": "running"},
			"apps":     map[string]any{"memory_mb": 512, "status": "running"},
			"auth":     map[string]any{"memory_mb": 256, "site_url": "https://box.example", "redirect_urls": []string{"https://box.example/**"}},
		},
		"allowlist": []string{"203.0.113.0/24"}, "console_mode": "off", "job_id": nil, "created_at": at,
		"usage":      map[string]any{"cpu_percent": 3.5, "memory_mb": 700, "disk_gb": 4.2},
		"monitoring": map[string]any{"healthy": true, "checked_at": at},
		"backups":    map[string]any{"count": 7, "last_at": at},
		"activity":   activity,
	})
}

func encode(value any) []byte {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err) // cannot happen with these values
	}
	return encoded
}
