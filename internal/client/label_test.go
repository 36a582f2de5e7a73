package client

import "testing"

// A service may trim a name, and store tags in lower case and in another order. A record
// that lacks the tags, or has the letters of a name in another case, does not show the
// change.
func TestLabelThatARecordShows(t *testing.T) {
	name, tags := Some("shop"), Some([]string{"prod"})
	for what, row := range map[string]struct {
		change, record InstanceSettings
		want           bool
	}{
		"the same":        {InstanceSettings{name, tags}, InstanceSettings{name, tags}, true},
		"a trimmed name":  {InstanceSettings{Name: Some(" shop ")}, InstanceSettings{Name: name}, true},
		"tags in a form":  {InstanceSettings{Tags: Some([]string{"Prod ", "EU"})}, InstanceSettings{Tags: Some([]string{"eu", "prod"})}, true},
		"a hidden field":  {InstanceSettings{Tags: tags}, InstanceSettings{Name: name}, false},
		"other tags":      {InstanceSettings{Tags: tags}, InstanceSettings{Tags: Some([]string{"old"})}, false},
		"another name":    {InstanceSettings{Name: name}, InstanceSettings{Name: Some("Shop"), Tags: Some([]string{})}, false},
		"only one of two": {InstanceSettings{name, tags}, InstanceSettings{Name: name, Tags: Some([]string{})}, false},
	} {
		if got := IsEmpty(Missing(row.change.stored(), row.record.stored())); got != row.want {
			t.Errorf("%s: got shown %t, want %t", what, got, row.want)
		}
	}
}
