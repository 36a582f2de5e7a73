package dataplane_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
)

// An app that tries to get at the caller's environment, the fake's folder and
// another instance's Postgres is refused all of it. Without root an app is
// another process of the same user, and only its own environment is its own.
func TestIntruder(t *testing.T) {
	t.Parallel()
	folder := stateFolder(t)
	f := start(t, func(o *dataplane.Options) {
		o.StateFolder = folder
		o.Repositories = map[string]string{"octo/intruder": "testdata/intruder"}
		o.Environment = append(o.Environment, "SECRET_OF_THE_CALLER=told")
	})
	other := f.box()
	one := func(pattern string) string {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s is %v (%v)", pattern, found, err)
		}
		return found[0]
	}
	b := f.box()
	f.done("PUT", b.path+"/engines", object{"engines": object{"postgres": object{}, "apps": object{}}})
	apps, err := filepath.Glob(filepath.Join(os.TempDir(), "hostingapps-*"))
	if err != nil || len(apps) == 0 {
		t.Fatalf("the folders of apps are %v (%v)", apps, err)
	}
	b.importApp("octo/intruder", object{
		"FAKE_PID": fmt.Sprint(os.Getpid()), "FAKE_FOLDER": one("hostingfake-*"), "APPS_FOLDER": apps[0],
		"OTHER_KEY":    one("hostingfake-*/pg/" + other.id + "/server.key"),
		"OTHER_SOCKET": one("hostingfake-*/pg/" + other.id + "/run/.s.PGSQL.*[0-9]"),
	})
	until(t, "the intruder has tried all", func() bool { return strings.Contains(f.AppLog(b.id, "web"), "tried all") })
	said := f.AppLog(b.id, "web")
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "refused: ") || strings.HasPrefix(line, "GOT: ") {
			t.Log(strings.TrimSpace(line))
		}
	}
	if !strings.Contains(said, "refused: the caller's environment, in its own") {
		t.Error("the app has the caller's environment")
	}
	if n := strings.Count(said, "refused: "); os.Geteuid() == 0 && (n != 8 || strings.Contains(said, "GOT: ")) {
		t.Errorf("%d attempts were refused, want 8", n)
	}
}
