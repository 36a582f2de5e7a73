package appruntime

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// An app whose data is larger than the plan's disk is stopped, and is not started before it
// fits again.
func TestDataFitsTheDisk(t *testing.T) {
	t.Parallel()
	r := open(t)
	a := deploy(t, r, "web", nil)
	spec := Spec{Port: 3000, HealthPath: "/healthz", Public: true, Disk: 1 << 20}
	starts := a.Starts()
	if err := a.Configure(spec); err != nil || a.Starts() != starts {
		t.Fatalf("the disk's size restarted the app, %v", err)
	}
	must(t, a, "/keep?text=small")
	dataPath := variable(t, a, "DATA_DIR")
	if err := a.checkDisk(); err != nil {
		t.Error(err)
	}
	// What an app writes in many steps, it writes here at once.
	large := filepath.Join(a.data(), "large")
	if err := os.WriteFile(large, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	machine.Until(t, "the app is not started", func() bool {
		return strings.Contains(a.Log(), "the app was stopped: its data has 1 MB, and the plan's disk 1 MB") && strings.Contains(a.Log(), "the app cannot be started")
	}, a.Log)
	if status, body := get(t, a, "/healthz"); status == 200 {
		t.Errorf("the app answers %s", body)
	}
	spec.Disk = 2 << 20
	if err := a.Configure(spec); err != nil {
		t.Fatal(err)
	}
	machine.Until(t, "the app answers again", func() bool {
		status, body := get(t, a, "/read?file="+dataPath+"/kept")
		return status == 200 && body == "small"
	}, a.Log)
}

func TestFolderSize(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "in", "depth"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int64{"a": 10, "in/b": 100, "in/depth/c": 1 << 40} {
		file, err := os.Create(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Truncate(size); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/", filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	if size, err := folderSize(folder); err != nil || size != 1<<40+110 {
		t.Errorf("the folder has %d bytes (%v)", size, err)
	}
}
