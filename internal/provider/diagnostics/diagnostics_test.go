package diagnostics

import "testing"

func TestSentence(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"it failed":                "It failed.",
		"It failed.":               "It failed.",
		"memory_mb: 64 is too low": "memory_mb: 64 is too low.",
		"octo/web is not visible":  "octo/web is not visible.",
		"änderung abgelehnt":       "Änderung abgelehnt.",
		"éteint":                   "Éteint.",
		"ǆ is a letter":            "ǅ is a letter.",
		"実行できません":                  "実行できません.",
		"\xff is no letter":        "\xff is no letter.",
		"see:\n\n  a log":          "see:\n\n  a log",
	} {
		if got := Sentence(text); got != want {
			t.Errorf("Sentence(%q) = %q, want %q", text, got, want)
		}
	}
}
