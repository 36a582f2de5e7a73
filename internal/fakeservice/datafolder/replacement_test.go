package datafolder

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestReplacement(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, row := range map[string]struct {
		fill, start error
		want        string
		steps       []string
	}{
		"it succeeds":     {want: "new", steps: []string{"stop", "start new"}},
		"it has no data":  {fill: broken, want: "old", steps: []string{"stop", "stop", "start old"}},
		"it cannot start": {start: broken, want: "old", steps: []string{"stop", "start new", "stop", "start old"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "data")
			write := func(text string) error {
				return errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "x"), []byte(text), 0o600))
			}
			read := func() string {
				text, _ := os.ReadFile(filepath.Join(folder, "x"))
				return string(text)
			}
			must.Do(t, write("old"))
			var steps []string
			err := Replacement{
				Folder: folder,
				Stop:   func() { steps = append(steps, "stop") },
				Fill:   func(context.Context) error { return errors.Join(write("new"), row.fill) },
				Start: func(context.Context) error {
					steps = append(steps, "start "+read())
					if read() == "new" {
						return row.start
					}
					return nil
				},
			}.Do(t.Context())
			if errors.Is(err, broken) != (row.want == "old") || read() != row.want || !slices.Equal(steps, row.steps) {
				t.Errorf("got data %q, steps %q and error %v, want %q and %q", read(), steps, err, row.want, row.steps)
			}
			if entries, err := os.ReadDir(filepath.Dir(folder)); err != nil || len(entries) != 1 {
				t.Errorf("the parent folder: got entries %v and error %v, want the data folder only", entries, err)
			}
		})
	}
}

// An interrupted replacement is reverted, and a complete one is left unchanged.
func TestRecover(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "data")
	if err := Recover(folder); err != nil {
		t.Errorf("Recover of a missing folder: got error %v, want nil", err)
	}
	for _, path := range []string{folder, before(folder), discarded(folder)} {
		must.Do(t, errors.Join(os.Mkdir(path, 0o700), os.WriteFile(filepath.Join(path, filepath.Base(path)), nil, 0o600)))
	}
	for range 2 {
		must.Do(t, Recover(folder))
		if _, err := os.Stat(filepath.Join(folder, "data.before")); err != nil {
			t.Errorf("the data from before: got error %v, want it in its place again", err)
		}
		if entries, err := os.ReadDir(filepath.Dir(folder)); err != nil || len(entries) != 1 {
			t.Errorf("the parent folder: got entries %v and error %v, want the data folder only", entries, err)
		}
	}
}
