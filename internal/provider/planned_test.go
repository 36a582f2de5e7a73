package provider

import "testing"

func TestManages(t *testing.T) {
	one, other := managedObject{"allowlist", "i-1"}, managedObject{"allowlist", "i-2"}
	type call struct {
		thing   managedObject
		changes bool
	}
	for name, c := range map[string]struct {
		calls []call
		twice bool // as the last call tells
	}{
		"one":                               {[]call{{one, true}}, false},
		"two things":                        {[]call{{one, true}, {other, true}}, false},
		"two that are created":              {[]call{{one, true}, {one, true}}, true},
		"a second that is created":          {[]call{{one, false}, {one, true}}, true},
		"a first that is created":           {[]call{{one, true}, {one, false}}, true},
		"two that stay":                     {[]call{{one, false}, {one, false}}, false},
		"two that stay, and one that comes": {[]call{{one, false}, {one, false}, {one, true}}, true},
	} {
		p, twice := newPlanned(), false
		for _, call := range c.calls {
			twice = p.manages(call.thing, call.changes)
		}
		if twice != c.twice {
			t.Errorf("%s: %v", name, twice)
		}
	}
	var unconfigured *planned
	for range 2 {
		if unconfigured.manages(one, true) {
			t.Error("without the provider's configuration nothing is told")
		}
	}
}
