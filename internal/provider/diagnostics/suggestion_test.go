package diagnostics

import "testing"

func TestNearest(t *testing.T) {
	engines := []string{"postgres", "redis", "couchdb", "nats", "apps", "auth"}
	for word, want := range map[string]string{
		"postgress":  "postgres",
		"postgresql": "postgres",
		"Postgres":   "postgres",
		"psotgres":   "postgres",
		"rediss":     "redis",
		"atuh":       "auth",
		"app":        "apps",
		"nat":        "nats",
		"mysql":      "",
		"x":          "",
		"":           "",
	} {
		got, ok := nearest(word, engines)
		if got != want || ok != (want != "") {
			t.Errorf("nearest(%q) = %q, %v, want %q", word, got, ok, want)
		}
	}
	for word, want := range map[string]string{"de": "DE", "FR": "", "F": ""} {
		if got, _ := nearest(word, []string{"DE", "FI"}); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
	if got, _ := nearest("eu-est", []string{"eu-east", "eu-west"}); got != "eu-east" {
		t.Errorf("the nearest of two that are equally near: got %q, want the first", got)
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0},
		{"abc", "abd", 1}, {"abc", "ab", 1}, {"ab", "abc", 1}, {"ab", "ba", 1}, {"running", "rnning", 1}, {"kitten", "sitting", 3}, {"ä", "ö", 1},
	} {
		if got := editDistance(c.from, c.to); got != c.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", c.from, c.to, got, c.want)
		}
	}
}

func TestNoSuch(t *testing.T) {
	for _, c := range []struct {
		word  string
		known []string
		want  string
	}{
		{"smal", []string{"free", "small"}, `There is no plan "smal"; did you mean "small"? There are: free, small.`},
		{"huge", []string{"free", "small"}, `There is no plan "huge"; there are: free, small.`},
		{"huge", nil, `There is no plan "huge"; there are none at all.`},
	} {
		if got := NoSuch("plan", c.word, c.known); got != c.want {
			t.Errorf("NoSuch: got %q, want %q", got, c.want)
		}
	}
}
