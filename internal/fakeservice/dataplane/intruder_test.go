package dataplane_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// An app cannot access the environment of the user who runs the fake, the fake's folder
// or another instance's Postgres. Without root, an app is a process of the same user, and
// only the environment is protected.
func TestIntruder(t *testing.T) {
	t.Parallel()
	folder, apps := stateFolder(t), diskFolder(t)
	f := start(t, func(o *dataplane.Options) {
		o.StateFolder, o.AppsFolder = folder, apps
		o.Repositories = map[string]string{"octo/intruder": "testdata/intruder"}
		o.Environment = append(o.Environment, "SECRET_OF_THE_CALLER=told")
	})
	other := f.box()
	one := func(folder, pattern string) string {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: got %v and error %v, want one file", pattern, found, err)
		}
		return found[0]
	}
	b := f.box()
	f.done("PUT", b.path+"/engines", object{"engines": object{"postgres": object{}, "apps": object{}}})
	b.importApp("octo/intruder", object{
		"FAKE_PID": fmt.Sprint(os.Getpid()), "FAKE_FOLDER": one(folder, "hostingfake-*"), "APPS_FOLDER": one(apps, "hostingapps-*"),
		"OTHER_KEY":    one(folder, "hostingfake-*/pg/"+other.id+"/server.key"),
		"OTHER_SOCKET": one(folder, "hostingfake-*/pg/"+other.id+"/run/.s.PGSQL.*[0-9]"),
	})
	machine.Until(t, "the intruder has tried all", func() bool { return strings.Contains(f.AppLog(b.id, "web"), "tried all") })
	said := f.AppLog(b.id, "web")
	// An app whose port was taken is started again, and tries again.
	refused := map[string]bool{}
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		what, is := strings.CutPrefix(line, "refused: ")
		if !is && !strings.HasPrefix(line, "GOT: ") {
			continue
		}
		if what, _, _ = strings.Cut(what, " ("); !refused[what] {
			t.Log(line)
		}
		refused[what] = is
	}
	if !refused["the caller's environment, in its own"] {
		t.Error("the app has the caller's environment")
	}
	if os.Geteuid() == 0 && (len(refused) != 8 || strings.Contains(said, "GOT: ")) {
		t.Errorf("attempts: got %d of these, want 8 and all refused:\n%s", len(refused), said)
	}
}
