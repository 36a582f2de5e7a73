package appruntime

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// An app whose files exceed the plan's disk is stopped, and is not started until they fit
// again.
func TestDataFitsTheDisk(t *testing.T) {
	t.Parallel()
	r := open(t, func(o *Options) { o.MeasureEvery = 50 * time.Millisecond })
	a := deploy(t, r, "web", nil)
	spec := Spec{Port: 3000, HealthPath: "/healthz", Public: true, Disk: 20 << 20}
	starts := a.Starts()
	if err := a.Configure(spec); err != nil || a.Starts() != starts {
		t.Fatalf("Configure with the size of the disk: got error %v, want none and no restart of the app", err)
	}
	mustRead(t, a, "/keep?text=small")
	dataPath := variable(t, a, "DATA_DIR")
	// An app writes its data in many steps; the test writes it in one.
	large := filepath.Join(a.data(), "large")
	must.Do(t, os.WriteFile(large, make([]byte, 20<<20), 0o600))
	machine.Until(t, "the app is not started", func() bool {
		return strings.Contains(a.Log(), "the app was stopped: its files have more than the 20 MB of the plan's disk") && strings.Contains(a.Log(), "the app cannot be started")
	}, a.Log)
	if status, body := get(t, a, "/healthz"); status == 200 {
		t.Errorf("the stopped app: got status %d and %s, want another status than 200", status, body)
	}
	spec.Disk = 100 << 20
	must.Do(t, a.Configure(spec))
	machine.Until(t, "the app answers again", func() bool {
		status, body := get(t, a, "/read?file="+dataPath+"/kept")
		return status == 200 && body == "small"
	}, a.Log)
}

func TestFolderSize(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	must.Do(t, os.MkdirAll(filepath.Join(folder, "in", "depth"), 0o700))
	for name, size := range map[string]int64{"a": 10, "in/b": 100, "in/depth/c": 1 << 40} {
		file := must.Get(os.Create(filepath.Join(folder, name)))(t)
		must.Do(t, errors.Join(file.Truncate(size), file.Close()))
	}
	must.Do(t, os.Symlink("/", filepath.Join(folder, "link")))
	for most, want := range map[int64]int64{1 << 50: 1<<40 + 110, 1<<40 + 110: 1<<40 + 110, 1<<40 + 109: 1<<40 + 110, 0: 1} {
		if size, err := folderSize(t.Context(), folder, most); err != nil || size != want {
			t.Errorf("folderSize up to %d: got %d and error %v, want %d", most, size, err, want)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := folderSize(ended, folder, 1<<50); !errors.Is(err, context.Canceled) {
		t.Errorf("folderSize with a context that has ended: got error %v, want %v", err, context.Canceled)
	}
}

// Very deep folders are neither measured nor copied, because that would take too long.
func TestVeryDeepFolders(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	must.Do(t, os.MkdirAll(filepath.Join(folder, strings.Repeat("x/", deepest+2)), 0o700))
	if _, err := folderSize(t.Context(), folder, 1<<50); err == nil || !strings.Contains(err.Error(), "folders in one another") {
		t.Errorf("folderSize of a deep folder: got error %v, want one with \"folders in one another\"", err)
	}
	if _, err := CopyData(t.Context(), folder, t.TempDir()); err == nil || !strings.Contains(err.Error(), "folders in one another") {
		t.Errorf("CopyData of a deep folder: got error %v, want one with \"folders in one another\"", err)
	}
}
