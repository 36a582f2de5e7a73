package postgres

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestCompareDatabaseNote checks that only another creation proves another database.
func TestCompareDatabaseNote(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a, b, imported := "a", "b", ""
	for name, c := range map[string]struct {
		noted, now, next databaseNote
		another, later   bool
	}{
		"nothing is known":                {},
		"the first read":                  {now: databaseNote{&a, at}, next: databaseNote{&a, at}},
		"the same":                        {noted: databaseNote{&a, at}, now: databaseNote{&a, at}, next: databaseNote{&a, at}},
		"another creation":                {noted: databaseNote{&a, at}, now: databaseNote{&b, at}, next: databaseNote{&a, at}, another: true},
		"a creation after an import":      {noted: databaseNote{&imported, at}, now: databaseNote{&b, at}, next: databaseNote{&imported, at}, another: true},
		"an import after a creation":      {noted: databaseNote{&a, at}, now: databaseNote{&imported, at}, next: databaseNote{&a, at}},
		"not read":                        {noted: databaseNote{&a, at}, next: databaseNote{&a, at}},
		"a later time":                    {noted: databaseNote{&a, at}, now: databaseNote{&a, at.Add(time.Second)}, next: databaseNote{&a, at.Add(time.Second)}, later: true},
		"a later time of any creation":    {noted: databaseNote{nil, at}, now: databaseNote{nil, at.Add(time.Hour)}, next: databaseNote{nil, at.Add(time.Hour)}, later: true},
		"an earlier time":                 {noted: databaseNote{&a, at}, now: databaseNote{&a, at.Add(-time.Hour)}, next: databaseNote{&a, at}},
		"a fraction of a second":          {noted: databaseNote{&a, at}, now: databaseNote{&a, at.Add(time.Millisecond)}, next: databaseNote{&a, at}},
		"a time that is no longer shown":  {noted: databaseNote{&a, at}, now: databaseNote{Creation: &a}, next: databaseNote{&a, at}},
		"a time that is shown only later": {noted: databaseNote{Creation: &a}, now: databaseNote{&a, at}, next: databaseNote{&a, at}},
	} {
		next, another, later := c.noted.compare(c.now)
		if diff := cmp.Diff(c.next, next); diff != "" || another != c.another || later != c.later {
			t.Errorf("%s: got another %t, later %t, want %t, %t; the note, want - got +:\n%s", name, another, later, c.another, c.later, diff)
		}
	}
}
