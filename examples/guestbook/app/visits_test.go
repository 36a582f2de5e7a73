package main

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestVisitsAreCounted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "visits")
	first := &counter{file: file}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := first.next(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	// Another process continues the count.
	if n, err := (&counter{file: file}).next(); n != 21 || err != nil {
		t.Errorf("the number of the visit after 20: got %d (%v), want 21", n, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".visits-*")); len(left) > 0 {
		t.Errorf("temporary files: got %v, want none", left)
	}
}

// A file without a number is not overwritten.
func TestVisitsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "visits")
	if err := os.WriteFile(file, []byte("many"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := (&counter{file: file}).next(); err == nil {
		t.Errorf("a visit with a broken file: got the number %d, want an error", n)
	}
	if _, err := (&counter{file: filepath.Join(t.TempDir(), "no", "visits")}).next(); err == nil {
		t.Error("next: got no error although the folder is missing, want one")
	}
}
