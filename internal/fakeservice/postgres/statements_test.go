package postgres

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string][]string{
		"":                                   nil,
		" ; ;; ":                             nil,
		"SELECT 1":                           {"SELECT 1"},
		"SELECT 1; SELECT 2;":                {"SELECT 1", "SELECT 2"},
		"SELECT ';', 'it''s;'; x":            {"SELECT ';', 'it''s;'", "x"},
		`SELECT "a;""b"; x`:                  {`SELECT "a;""b"`, "x"},
		`SELECT E'\';'; x`:                   {`SELECT E'\';'`, "x"},
		`SELECT '\'; x`:                      {`SELECT '\'`, "x"},
		`SELECT name'\'; x`:                  {`SELECT name'\'`, "x"},
		"DO $$ BEGIN; END $$; x":             {"DO $$ BEGIN; END $$", "x"},
		"DO $a$ $$;$b$ $a$; x":               {"DO $a$ $$;$b$ $a$", "x"},
		"SELECT a$b$; x$b$":                  {"SELECT a$b$", "x$b$"},
		"SELECT $1; x":                       {"SELECT $1", "x"},
		"-- ;\nSELECT 1; x":                  {"-- ;\nSELECT 1", "x"},
		"/* ; /* ; */ ; */ SELECT 1; x":      {"/* ; /* ; */ ; */ SELECT 1", "x"},
		"SELECT 'no end; x":                  {"SELECT 'no end; x"},
		"SELECT '日本;'; x":                    {"SELECT '日本;'", "x"},
		"SELECT 2e'1;'; SELECT $tag$no end;": {"SELECT 2e'1;'", "SELECT $tag$no end;"},
	} {
		if diff := cmp.Diff(want, split(sql)); diff != "" {
			t.Errorf("split(%q) (-want +got):\n%s", sql, diff)
		}
	}
}
