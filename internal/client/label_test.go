package client

import "testing"

// A service may trim a name, and store tags in lower case and in another order. A record
// that lacks the tags, or has the letters of a name in another case, does not show the
// change.
func TestLabelThatARecordShows(t *testing.T) {
	name, untrimmed, tags, mixed := "shop", " shop ", []string{"prod"}, []string{"Prod ", "EU"}
	for what, row := range map[string]struct {
		change InstanceChange
		record Instance
		want   bool
	}{
		"the same":        {InstanceChange{Name: &name, Tags: &tags}, Instance{Name: "shop", Tags: Some(tags)}, true},
		"a trimmed name":  {InstanceChange{Name: &untrimmed}, Instance{Name: "shop"}, true},
		"tags in a form":  {InstanceChange{Tags: &mixed}, Instance{Tags: Some([]string{"eu", "prod"})}, true},
		"a hidden field":  {InstanceChange{Tags: &tags}, Instance{Name: "shop"}, false},
		"other tags":      {InstanceChange{Tags: &tags}, Instance{Tags: Some([]string{"old"})}, false},
		"another name":    {InstanceChange{Name: &name}, Instance{Name: "Shop", Tags: Some([]string{})}, false},
		"only one of two": {InstanceChange{Name: &name, Tags: &tags}, Instance{Name: "shop", Tags: Some([]string{})}, false},
	} {
		if got := row.change.isShown(row.record); got != row.want {
			t.Errorf("%s: got shown %t, want %t", what, got, row.want)
		}
	}
}
