package appruntime

import (
	"archive/tar"
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A repository with more than the limit is not built: neither what git fetches nor its
// files may fill the disk. An empty file takes a block of it, too.
func TestRepositoryThatIsTooLarge(t *testing.T) {
	t.Parallel()
	random := make([]byte, 2<<20)
	_, _ = rand.Read(random)
	many := map[string][]byte{}
	for i := range 300 {
		many[fmt.Sprintf("empty-%d", i)] = nil
	}
	for name, files := range map[string]map[string][]byte{
		"zeros":          {"large": make([]byte, 2<<20)},
		"random bytes":   {"large": random},
		"many files":     many,
		"files together": {"one": make([]byte, 600<<10), "two": make([]byte, 600<<10)},
	} {
		for _, git := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, git %t", name, git), func(t *testing.T) {
				t.Parallel()
				folder, commit := gitRepository(t)
				for name, content := range files {
					must.Do(t, os.WriteFile(filepath.Join(folder, name), content, 0o600))
				}
				want := "the repository has more than 1 MB"
				if git {
					commit("1")
				} else if err := os.RemoveAll(filepath.Join(folder, ".git")); err != nil {
					t.Fatal(err)
				}
				if git && name == "random bytes" {
					want = "File too large" // git's own message
				}
				r := open(t, func(o *Options) { o.Repositories["octo/app"], o.LargestSource = folder, 1<<20 })
				_, err := r.Build(t.Context(), "octo/app", "main", nil, NewBuildLog())
				if failed := (*BuildError)(nil); !errors.As(err, &failed) || !strings.Contains(failed.Log, want) {
					t.Errorf("the build: got error %v, want a BuildError with %q", err, want)
				}
				if left := glob(t, r, "build-*"); len(left) > 0 {
					t.Errorf("files of the build: got %v, want none", left)
				}
			})
		}
	}
}

// The files of a git repository do not pass through the memory of this program. The test
// does not run in parallel, because it measures the whole process.
func TestRepositoryNeedsNoMemory(t *testing.T) {
	folder, commit := gitRepository(t)
	const size = 64 << 20
	must.Do(t, os.WriteFile(filepath.Join(folder, "large"), make([]byte, size), 0o600))
	commit("1")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	must.Get((source{folder, "main", 2 * size}).copyTo(t.Context(), t.TempDir(), os.Environ()))(t)
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > size/4 {
		t.Errorf("memory of the copy of %d MB: got %d MB, want at most %d MB", size>>20, taken>>20, size/4>>20)
	}
}

// A short archive cannot make more folders than its limit allows, nor folders so deep that
// removing them takes long.
func TestUnpackLimits(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		file string
		most int64
		want string
	}{
		"many folders":     {strings.Repeat("d/", 200) + "f", 100 * block, "the repository has more than"},
		"as many as fit":   {strings.Repeat("d/", 200) + "f", 201 * block, ""},
		"deep folders":     {strings.Repeat("d/", 100_000) + "f", 2 << 30, "too long a name"},
		"a little deep":    {strings.Repeat("d/", 300) + "f", 2 << 30, "too long a name"},
		"a very long name": {strings.Repeat(strings.Repeat("d", 200)+"/", 30) + "f", 2 << 30, "too long a name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var archive bytes.Buffer
			writer := tar.NewWriter(&archive)
			must.Do(t, errors.Join(writer.WriteHeader(&tar.Header{Name: row.file, Typeflag: tar.TypeReg, Mode: 0o644}), writer.Close()))
			folder := t.TempDir()
			err := unpack(&archive, folder, row.most)
			if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
				t.Errorf("unpack: got error %v, want %q", err, row.want)
			}
			made := 0
			err = filepath.WalkDir(folder, func(string, fs.DirEntry, error) error { made++; return nil })
			if err != nil || int64(made-1) > row.most/block || made > 300 {
				t.Errorf("the unpacked folders: got %d and error %v, want at most %d and fewer than 300", made-1, err, row.most/block)
			}
		})
	}
}
