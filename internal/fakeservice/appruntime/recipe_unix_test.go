//go:build unix

package appruntime

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// Only a regular file of the repository is a recipe. This program reads it with its own
// rights, so a link could make it show the builds a file that they may not read, or read
// without end.
func TestRecipeIsARegularFile(t *testing.T) {
	t.Parallel()
	outside := write(t, map[string]string{"secret": `{"secret-word": "x"}`})
	must.Do(t, syscall.Mkfifo(filepath.Join(outside, "pipe"), 0o600))
	const irregular = "hosting.json is not a regular file"
	for name, row := range map[string]struct {
		make func(file string) error
		want string
	}{
		"a link to a file":            {func(file string) error { return os.Symlink(filepath.Join(outside, "secret"), file) }, irregular},
		"a link to a pipe":            {func(file string) error { return os.Symlink(filepath.Join(outside, "pipe"), file) }, irregular},
		"a link to an endless device": {func(file string) error { return os.Symlink("/dev/zero", file) }, irregular},
		"a link to nothing":           {func(file string) error { return os.Symlink("nothing", file) }, irregular},
		"a folder":                    {func(file string) error { return os.Mkdir(file, 0o755) }, irregular},
		"a large file": {func(file string) error {
			return os.WriteFile(file, []byte(`{"start": "true"}`+strings.Repeat(" ", largestRecipe)), 0o600)
		}, "hosting.json is larger than 64 KB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := write(t, map[string]string{"go.mod": "module x\n"})
			must.Do(t, row.make(filepath.Join(folder, RecipeFile)))
			r := open(t, func(o *Options) { o.Repositories = map[string]string{"octo/app": folder} })
			_, err := r.Build(t.Context(), "octo/app", "main", nil, NewBuildLog())
			if failed := (*BuildError)(nil); !errors.As(err, &failed) || !strings.HasSuffix(failed.Log, "The build failed: "+row.want) {
				t.Errorf("the build: got error %v, want a BuildError that ends with %q", err, row.want)
			}
			if found, err := r.Inspect(t.Context(), "octo/app", "main"); err != nil || found.Missing != row.want {
				t.Errorf("Inspect: got %+v and error %v, want missing %q", found, err, row.want)
			}
		})
	}
}
