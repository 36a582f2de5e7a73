package storage_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/storage"
)

func TestFileKeepsEntries(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "records.db")
	for _, step := range []struct{ found, write map[string][]byte }{
		{map[string][]byte{}, map[string][]byte{"a": []byte("1"), "b": []byte("2")}},
		{map[string][]byte{"a": []byte("1"), "b": []byte("2")}, map[string][]byte{"a": []byte("3"), "b": nil, "c": {}}},
		{map[string][]byte{"a": []byte("3"), "c": {}}, nil},
	} {
		f, err := storage.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		found, err := f.Read()
		if err != nil {
			t.Fatal(err)
		}
		if difference := cmp.Diff(step.found, found); difference != "" {
			t.Errorf("the file holds something else:\n%s", difference)
		}
		if err := f.Write(step.write); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFileIsOnesOwn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "records.db")
	f, err := storage.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if second, err := storage.Open(path); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second opening gave %v, %v", second, err)
	}
}
