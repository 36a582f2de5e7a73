package main

import (
	"errors"
	"strings"
	"testing"
)

func TestIsolation(t *testing.T) {
	t.Parallel()
	missing := errors.New("bubblewrap is missing")
	for name, row := range map[string]struct {
		why   error
		root  bool
		wants []string
	}{
		"a sandbox":          {nil, true, []string{"run in bubblewrap"}},
		"a sandbox, no root": {nil, false, []string{"run in bubblewrap"}},
		"none, as root":      {missing, true, []string{"NOT ISOLATED: bubblewrap is missing.", "users of their own"}},
		"none":               {missing, false, []string{"NOT ISOLATED: bubblewrap is missing.", "read and change that user's files"}},
	} {
		said := isolation(row.why, row.root)
		for _, want := range row.wants {
			if !strings.Contains(said, want) {
				t.Errorf("%s: got %q, want %q in it", name, said, want)
			}
		}
	}
}
