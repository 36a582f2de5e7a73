package fakeservice_test

import (
	"bytes"
	"errors"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// disk is a storage in memory that can be full.
type disk struct {
	mu      sync.Mutex
	entries map[string][]byte
	full    bool
}

func (d *disk) fill(full bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = full
}

func (d *disk) Read() (map[string][]byte, error) { return maps.Clone(d.entries), nil }
func (d *disk) Close() error                     { return nil }
func (d *disk) Write(changes map[string][]byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full {
		return errors.New("no space left on device")
	}
	for key, value := range changes {
		d.entries[key] = bytes.Clone(value)
	}
	return nil
}

// A refusal in the service's envelope means that nothing was done. So a creation that was
// made and cannot be stored is answered without it, and a repetition with its key gets the
// same answer. Further ones are refused before anything is done. Reads are answered.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	full := &disk{entries: map[string][]byte{}}
	a := start(t, func(o *fakeservice.Options) { o.Storage = full })
	create := func(name string) answer {
		t.Helper()
		return a.call(http.MethodPost, "/instances", object{"name": name, "plan": "free", "region": "eu-central"}, "Idempotency-Key", name)
	}
	full.fill(true)
	mustBeUnknown := func() {
		t.Helper()
		if got := create("one"); got.status != http.StatusInternalServerError || got.body != nil || !strings.Contains(got.text, "the outcome is unknown") {
			t.Errorf("a creation that is not stored: got %d %s, want 500 without the service's envelope", got.status, got.text)
		}
	}
	mustBeUnknown()
	if got := create("two"); got.status != http.StatusServiceUnavailable || got.code() != "unavailable" {
		t.Errorf("a creation while nothing can be stored: got %d %s, want 503 unavailable", got.status, got.text)
	}
	names := func() (names []string) {
		for _, in := range a.want(http.StatusOK, "", http.MethodGet, "/instances", nil).body["instances"].([]any) {
			names = append(names, in.(object)["name"].(string))
		}
		return names
	}
	equal(t, "the instances on a full disk", strings.Join(names(), " "), "one")
	full.fill(false)
	mustBeUnknown()
	if got := create("two"); got.status != http.StatusAccepted {
		t.Errorf("a creation after the disk had space again: got %d %s, want 202", got.status, got.text)
	}
	equal(t, "the instances at last", len(names()), 2)
}
