package progress

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The line after a half line is whole: a disk was full, and has space again.
func TestLineAfterAHalfLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "progress")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.file.Close()
	if _, err := f.file.WriteString(`{"time":`); err != nil {
		t.Fatal(err)
	}
	f.half = true
	f.Append(Line{Operation: "create", Status: "running"})
	f.Append(Line{Operation: "create", Status: StatusDone})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := Read(t.Context(), bytes.NewReader(text), false, func(l Line) { got = append(got, l.Status) }); err != nil {
		t.Fatal(err)
	}
	if want := []string{"running", StatusDone}; !slices.Equal(got, want) {
		t.Errorf("statuses: got %q, want %q", got, want)
	}
}
