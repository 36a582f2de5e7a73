package dataplane_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// goodRecord is the record of a machine with an app.
const goodRecord = `{
	"inside": "127.77.0.1", "ports": {"Direct": 5432, "Pooled": 6432, "Inside": 40000}, "redis_port": 6379, "couchdb_port": 6984,
	"apps": {"web": {"folder": "app-1", "address": "127.77.0.2:3000", "build": {"id": "bld-1", "folder": "build-2", "commit": "c", "command": ["app"], "built": true}}},
	"builds": [{"app": "web", "id": "bld-3", "folder": "build-3", "commit": "c", "command": ["node", "app.js"]}]
}`

// A kept folder may come from another person. One that would lead outside is refused, and
// says so, before this program changes anything outside it.
func TestKeptFolderThatLeadsElsewhere(t *testing.T) {
	t.Parallel()
	recorded := func(old, put string) func(t *testing.T, folder string) {
		return func(t *testing.T, folder string) {
			t.Helper()
			if !strings.Contains(goodRecord, old) {
				t.Fatalf("the record has no %s", old)
			}
			write(t, filepath.Join(folder, "machines", "i-1.json"), strings.Replace(goodRecord, old, put, 1))
		}
	}
	linked := func(path string) func(t *testing.T, folder string) {
		return func(t *testing.T, folder string) {
			t.Helper()
			at := filepath.Join(folder, path)
			must.Do(t, os.RemoveAll(at))
			must.Do(t, os.MkdirAll(filepath.Dir(at), 0o700))
			must.Do(t, os.Symlink(filepath.Join(filepath.Dir(folder), "victim"), at))
		}
	}
	rows := map[string]struct {
		change func(t *testing.T, folder string)
		want   string
	}{
		"an app above":                    {recorded(`"app-1"`, `"../victim"`), "is not the folder of an app"},
		"an app of a build":               {recorded(`"app-1"`, `"build-1"`), "is not the folder of an app"},
		"an app without a folder":         {recorded(`"app-1"`, `""`), "is not the folder of an app"},
		"the folder of all apps":          {recorded(`"app-1"`, `".."`), "is not the folder of an app"},
		"a deployed build above":          {recorded(`"build-2"`, `"../victim"`), "is not the folder of a build"},
		"a build above":                   {recorded(`"build-3"`, `"../../victim"`), "is not the folder of a build"},
		"a deployed build that is listed": {recorded(`"build-3"`, `"build-2"`), ""},
		"two records with a folder": {func(t *testing.T, folder string) {
			t.Helper()
			write(t, filepath.Join(folder, "machines", "i-2.json"), goodRecord)
		}, "is there twice"},
		"a command above":              {recorded(`["app"]`, `["../../victim/run"]`), "is not in the folder of the build"},
		"a build without a command":    {recorded(`["node", "app.js"]`, `[]`), "has no command"},
		"an app whose name is a path":  {recorded(`"web": {`, `"../web": {`), "apps.../web: it takes"},
		"a build of a path":            {recorded(`"app": "web"`, `"app": "../web"`), "builds[0]: it takes"},
		"no address":                   {recorded(`"127.77.0.2:3000"`, `"everywhere"`), "not an ip:port"},
		"another machine's address":    {recorded(`"127.77.0.1"`, `"192.0.2.1"`), "is not a loopback address"},
		"no machine":                   {recorded(goodRecord, `{}`), "is not a loopback address"},
		"a port beyond the last":       {recorded(`6379`, `65536`), "65536 is not a port"},
		"a port below the first":       {recorded(`6984`, `-1`), "-1 is not a port"},
		"an unknown member":            {recorded(`"inside"`, `"colour": 1, "inside"`), "unknown object member name"},
		"a member that is there twice": {recorded(`"inside"`, `"inside": "127.0.0.1", "inside"`), "duplicate object member name"},
		"half a record":                {recorded(goodRecord, `{"inside": "127.0.0.1"`), "EOF"},
		"data that is missing":         {recorded(`"inside"`, `"data": ["redis"], "inside"`), "the data of redis is missing"},
		"data of an unknown engine":    {recorded(`"inside"`, `"data": ["oracle"], "inside"`), "the data of oracle is missing"},
		"links and pipes in data": {func(t *testing.T, folder string) {
			t.Helper()
			recorded(`"inside"`, `"data": ["couchdb", "postgres"], "inside"`)(t, folder)
			linked("pg/i-1/data/link")(t, folder)
			linked("couchdb/i-1/data.before/link")(t, folder)
		}, ""},
		"a file of another name": {func(t *testing.T, folder string) {
			t.Helper()
			write(t, filepath.Join(folder, "machines", "I_1.json"), goodRecord)
		}, "the name of the file"},
	}
	for _, path := range []string{
		"apps", "backups", "couchdb", "machines", "nats", "pg", "redis", "apps/app-1", "apps/app-1/data", "apps/app-1/trust", "apps/build-2",
		"backups/i-1", "backups/i-1/bak-1", "backups/i-1/bak-1/apps/web", "couchdb/i-1", "nats/i-1", "pg/i-1", "pg/i-1/data", "pg/template", "redis/i-1", "machines/i-1.json", "ca-i-1.pem",
	} {
		rows["a link at "+path] = struct {
			change func(t *testing.T, folder string)
			want   string
		}{linked(path), path + " is neither a file nor a folder"}
	}
	for name, c := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := keptFolder(t)
			victim := filepath.Join(filepath.Dir(folder), "victim")
			write(t, filepath.Join(folder, "machines", "i-1.json"), goodRecord)
			write(t, filepath.Join(folder, "apps", "app-1", "data", "note"), "")
			write(t, filepath.Join(victim, "precious"), "")
			c.change(t, folder)
			before := listed(t, victim)
			p, err := newPlane(t, folder)
			if p != nil {
				must.Do(t, p.Close())
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "from a copy")) {
				t.Errorf("New: got error %v, want %q", err, c.want)
			}
			if after := listed(t, victim); after != before {
				t.Errorf("the other folder: got\n%s\nwant\n%s", after, before)
			}
			if _, err := os.Stat(filepath.Join(folder, "apps", "app-1")); err != nil && !strings.HasPrefix(name, "a link at") {
				t.Errorf("the app's data is gone: %v", err)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}

// listed describes everything in a folder, with modes and times.
func listed(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	must.Do(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			all.WriteString(path + " " + info.Mode().String() + " " + info.ModTime().String() + "\n")
		}
		return err
	}))
	return all.String()
}
