package transport

import "testing"

func TestPlainText(t *testing.T) {
	for name, row := range map[string]struct{ text, want string }{
		"none":                         {"npm ERR!\n\tmissing", "npm ERR!\n\tmissing"},
		"empty":                        {"", ""},
		"colours":                      {"\x1b[31mred\x1b[0m \x1b[1;38;5;208mbold\x1b[m", "red bold"},
		"movements":                    {"a\x1b[2J\x1b[10;20Hb\x1b[?25l", "ab"},
		"a title":                      {"a\x1b]0;title\x07b", "ab"},
		"a title, ended otherwise":     {"a\x1b]2;title\x1b\\b", "ab"},
		"a link":                       {"\x1b]8;;https://a.test\x07text\x1b]8;;\x07", "text"},
		"a title without an end":       {"a\x1b]0;title", "a0;title"},
		"of eight bits":                {"\u009b31mred\u009d0;title\u009cb", "redb"},
		"short ones":                   {"\x1bcreset\x1b(Bset\x1b7", "resetset"},
		"cut off":                      {"a\x1b[31", "a31"},
		"an escape at the end":         {"a\x1b", "a"},
		"line endings":                 {"a\r\nb\r\n", "a\nb\n"},
		"a bell, a backspace, a null":  {"a\x07b\x08c\x00d\x7f", "abcd"},
		"the direction of writing":     {"a\u202eb\u2066c\u200fd", "abcd"},
		"letters, emoji and a joiner":  {"é 世界 👩\u200d💻", "é 世界 👩\u200d💻"},
		"sequences within a sequence":  {"\x1b[3\x1b[0m1mred", "31mred"},
		"what looks like the sequence": {"[31mred", "[31mred"},
	} {
		if got := PlainText(row.text); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
		if got := PlainText(PlainText(row.text)); got != PlainText(row.text) {
			t.Errorf("%s, twice: got %q, want %q", name, got, PlainText(row.text))
		}
	}
}
