package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestOutputLines(t *testing.T) {
	t.Parallel()
	lines := must.Get(outputLines([]byte(`{
		"url": {"sensitive": false, "type": "string", "value": "https://a.example.test"},
		"cidrs": {"sensitive": false, "type": ["set", "string"], "value": [
			"127.0.0.1/32"
		]},
		"key": {"sensitive": false, "type": "string", "value": "ä01234567890123456789012345678901234567890123456"},
		"longer": {"sensitive": false, "type": "string", "value": "ä012345678901234567890123456789012345678901234567"},
		"secret": {"sensitive": true, "type": "string", "value": "hunter2"}
	}`)))(t)
	want := []string{
		`cidrs = ["127.0.0.1/32"]`,
		`key = "ä01234567890123456789012345678901234567890123456"`,
		`longer = "ä01234567890123456789012… (51 characters)`,
		`secret = (sensitive, 7 characters)`,
		`url = "https://a.example.test"`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

func TestOutputLinesWithoutValue(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"url": {"value": null}}`, `{"url": {"value": ""}}`, `{"url": {}}`, `[]`, ``,
	} {
		if lines, err := outputLines([]byte(text)); err == nil {
			t.Errorf("%s: got %q, want an error", text, lines)
		}
	}
}
