package postgres

import (
	"slices"
	"testing"
)

func TestLiteralsOf(t *testing.T) {
	for sql, want := range map[string][]string{
		"SELECT 1":                      nil,
		"SELECT ''":                     nil,
		"ALTER ROLE a PASSWORD 'p-1'":   {"p-1"},
		"VALUES ('a', 'b')":             {"a", "b"},
		"VALUES ('it''s')":              {"it''s", "it's"},
		`VALUES (E'it\'s', E'a\\b')`:    {`a\\b`, `a\b`, "it's", `it\'s`},
		"VALUES ('two\nlines')":         {"two\nlines"},
		"DO $$ SELECT 'in' $$":          {" SELECT 'in' ", "in"},
		"VALUES ($secret$x$secret$)":    {"x"},
		`VALUES ('a\', 'b')`:            {`a\`, "b"},
		"-- don't\nPASSWORD 'p'":        {"p"},
		"/* don't\n */ PASSWORD 'p'":    {"p"},
		`ALTER ROLE "a'b" PASSWORD 'p'`: {"p"},
		"SELECT '', 'p'":                {"p"},
		"VALUES ('only one quote":       nil,
		"SELECT $1, $2 -- parameters":   nil,
		"CREATE ROLE a PASSWORD 'ä\"b'": {`ä"b`},
	} {
		if got := literalsOf(sql); !slices.Equal(got, want) {
			t.Errorf("literalsOf(%s): got %q, want %q", sql, got, want)
		}
	}
}
