package appruntime

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// The log of a build says that git fetched no submodules and no files of Git LFS. A folder
// without git has all its files.
func TestWhatIsNotFetched(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ file, text, want string }{
		"nothing":    {"README", "filter=lfs", ""},
		"submodules": {".gitmodules", "", "The repository has submodules. They are not fetched"},
		"LFS":        {".gitattributes", "*.png filter=lfs diff=lfs merge=lfs -text\n", "The repository has files in Git LFS. They are not fetched"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, commit := gitRepository(t)
			must.Do(t, os.WriteFile(filepath.Join(folder, row.file), []byte(row.text), 0o644))
			commit("one")
			said := func(folder string) string {
				r := open(t, func(o *Options) { o.Repositories["octo/app"] = folder })
				log := NewBuildLog()
				b := must.Get(r.Build(t.Context(), "octo/app", "main", nil, log))(t)
				must.Report(t, b.Discard())
				return log.String()
			}
			if got := said(folder); !strings.Contains(got, row.want) || row.want == "" && strings.Contains(got, "not fetched") {
				t.Errorf("the log: got %s, want %q", got, row.want)
			}
			must.Do(t, os.RemoveAll(filepath.Join(folder, ".git")))
			if got := said(folder); strings.Contains(got, "not fetched") {
				t.Errorf("the log of a folder without git: got %s, want no note", got)
			}
		})
	}
}
