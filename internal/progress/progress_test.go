package progress_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/progress"
)

func open(t *testing.T, path string) *progress.File {
	t.Helper()
	f, err := progress.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// read returns all lines of a file.
func read(t *testing.T, path string) (lines []progress.Line) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := progress.Read(t.Context(), file, false, func(l progress.Line) { lines = append(lines, l) }); err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestLinesAreReadAsWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "progress")
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	want := []progress.Line{
		{Time: at, Type: "hosting_instance", Name: "shop", ID: "i-1", Operation: "create", JobID: "job-1", Status: "running", Percent: 40, EstimatedEnd: at.Add(time.Minute)},
		{Time: at, Type: "hosting_app", Name: "web", ID: "i-1/web", Operation: "build", BuildID: "b-1", Status: "failed", Log: "no space"},
	}
	f := open(t, path)
	for _, l := range want {
		f.Append(l)
	}
	if diff := cmp.Diff(want, read(t, path)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// Several processes append to one file without mixing their lines.
func TestLinesOfSeveralWritersStayWhole(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "progress")
	const writers, each = 4, 200
	var all sync.WaitGroup
	for range writers {
		f := open(t, path)
		all.Go(func() {
			for n := range each {
				f.Append(progress.Line{Operation: "create", Status: strings.Repeat("x", 50), Percent: n % 100})
			}
		})
	}
	all.Wait()
	if got := len(read(t, path)); got != writers*each {
		t.Errorf("lines: got %d, want %d", got, writers*each)
	}
}

// Read skips text that is not a line, such as the rest of one from a full disk.
func TestReadSkipsPartsOfLines(t *testing.T) {
	t.Parallel()
	text := `{"operation":"create","status":"running"}` + "\n" + `{"operation":"crea` + "\n" + "\nnonsense\n{}\n" + `{"operation":"create","status":"done"}` + "\n"
	var got []string
	if err := progress.Read(t.Context(), strings.NewReader(text), false, func(l progress.Line) { got = append(got, l.Status) }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"running", "done"}, got); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

// A reader that follows a file sees lines that are written later.
func TestReadFollows(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "progress")
	f := open(t, path)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ctx, stop := context.WithCancel(t.Context())
	f.Append(progress.Line{Operation: "create", Status: "running"})
	seen := 0
	err = progress.Read(ctx, file, true, func(progress.Line) {
		if seen++; seen == 1 {
			f.Append(progress.Line{Operation: "create", Status: "done"})
			return
		}
		stop()
	})
	if err != nil || seen != 2 {
		t.Errorf("lines: got %d and %v, want 2", seen, err)
	}
}

// Without a file, nothing is written and nothing fails.
func TestNoFile(t *testing.T) {
	t.Parallel()
	var none *progress.File
	none.Append(progress.Line{Operation: "create"})
	if _, err := progress.Open(filepath.Join(t.TempDir(), "missing", "progress")); err == nil {
		t.Error("Open in a missing folder: got no error, want one")
	}
}
