package core

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

type sample struct {
	Name   string
	Length time.Duration
	At     time.Time
	Bytes  []byte
	Map    map[string]*int
	Raw    json.RawMessage
	List   []string `json:"list,omitempty"`
}

// Everything that encoding/json writes is read.
func TestDecodeReadsWhatWasWritten(t *testing.T) {
	t.Parallel()
	one := 1
	for _, want := range []sample{
		{},
		{"a\x00\u2028<", time.Hour, time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), []byte{0, 255}, map[string]*int{"": &one, "x": nil}, json.RawMessage(`{"a":[1]}`), []string{"b"}},
	} {
		text := must.Get(json.Marshal(want))(t)
		var got sample
		if err := Decode(text, &got); err != nil {
			t.Errorf("%s: %s", text, err)
			continue
		}
		if want.Raw == nil {
			want.Raw = json.RawMessage("null") // as encoding/json reads it
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: the value that Decode reads differs (-want +got):\n%s", text, diff)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                                 "EOF",
		`{"Name": "a"`:                     "EOF",
		`{} {}`:                            "after top-level value",
		`{"Colour": 1}`:                    `unknown object member name "Colour"`,
		`{"name": "a"}`:                    `unknown object member name "name"`,
		`{"Name": "a", "Name": "b"}`:       `duplicate object member name "Name"`,
		`{"Map": {"a": 1, "a": 2}}`:        `duplicate object member name "a"`,
		`{"Raw": {"a": 1, "a": 2}}`:        `duplicate object member name "a"`,
		`{"Name": 1}`:                      "unmarshal JSON number into Go string",
		"{\"Name\": \"\xff\"}":             "invalid UTF-8",
		`{"Length": 92233720368547758070}`: "out of range",
	} {
		var got sample
		if err := Decode([]byte(text), &got); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want one with %q", text, err, want)
		}
	}
}
