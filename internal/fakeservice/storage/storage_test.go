package storage_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/storage"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestFileKeepsEntries(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "records.db")
	for _, step := range []struct{ found, write map[string][]byte }{
		{map[string][]byte{}, map[string][]byte{"a": []byte("1"), "b": []byte("2")}},
		{map[string][]byte{"a": []byte("1"), "b": []byte("2")}, map[string][]byte{"a": []byte("3"), "b": nil, "c": {}}},
		{map[string][]byte{"a": []byte("3"), "c": {}}, nil},
	} {
		f := must.Get(storage.Open(path))(t)
		found := must.Get(f.Read())(t)
		if difference := cmp.Diff(step.found, found); difference != "" {
			t.Errorf("the entries of the file differ (-want +got):\n%s", difference)
		}
		must.Do(t, f.Write(step.write))
		must.Do(t, f.Close())
	}
}

func TestFileIsOnesOwn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "records.db")
	f := must.Get(storage.Open(path))(t)
	defer f.Close()
	if second, err := storage.Open(path); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second opening: got %v and error %v, want one with \"in use\"", second, err)
	}
}

// A file that was cut or overwritten anywhere causes an error, not a panic.
func TestDamagedFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "records.db")
	f := must.Get(storage.Open(path))(t)
	entries := map[string][]byte{}
	for n := range 2000 {
		entries[strings.Repeat("k", 100)+strconv.Itoa(n)] = bytes.Repeat([]byte("v"), 100)
	}
	must.Do(t, errors.Join(f.Write(entries), f.Close()))
	whole := must.Get(os.ReadFile(path))(t)
	read := func(content []byte) error {
		damaged := filepath.Join(t.TempDir(), "records.db")
		must.Do(t, os.WriteFile(damaged, content, 0o600))
		f, err := storage.Open(damaged)
		if err != nil {
			return err
		}
		found, err := f.Read()
		if err == nil && len(found) < len(entries) {
			err = fmt.Errorf("%d entries were found", len(found))
		}
		return errors.Join(err, f.Close())
	}
	must.Do(t, read(whole))
	for _, cut := range []int{1, 100, 4096, 8192, 12288, len(whole) / 2, len(whole) * 9 / 10} {
		if err := read(whole[:cut]); err == nil {
			t.Errorf("read of a file of %d bytes, cut to %d: got no error, want one", len(whole), cut)
		}
	}
	for page := range 4 {
		overwritten := bytes.Clone(whole)
		copy(overwritten[page*4096:], bytes.Repeat([]byte{0xa5}, len(whole)/2))
		if err := read(overwritten); err == nil {
			t.Errorf("read of a file that is overwritten from page %d: got no error, want one", page)
		}
	}
}
