package client

import "testing"

func TestNew(t *testing.T) {
	const base, key = "https://hosting.example/api/v1", "key-of-the-test"
	for _, row := range []struct {
		base, key string
		want      bool
	}{
		{base, key, true},
		{"http://hosting.example/api/v1", key, false},
		{base, key + "\n", false},
	} {
		if _, err := New(Options{BaseURL: row.base, APIKey: row.key}); (err == nil) != row.want {
			t.Errorf("New(%q, %q): got error %v, want success: %t", row.base, row.key, err, row.want)
		}
	}
}
