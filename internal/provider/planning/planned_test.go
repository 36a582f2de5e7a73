package planning

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestConflicts(t *testing.T) {
	one, other := Object{"allowlist", "i-1"}, Object{"allowlist", "i-2"}
	const (
		kept = iota
		taken
		added
		destroyed
		gone
	)
	type call struct {
		object Object
		as     int
	}
	for name, c := range map[string]struct {
		calls []call
		want  Conflict // returned by the last call
	}{
		"one that is kept":                         {[]call{{one, kept}}, NoConflict},
		"one that is created":                      {[]call{{one, added}}, NoConflict},
		"two objects":                              {[]call{{one, kept}, {other, added}}, NoConflict},
		"one that is kept, planned twice":          {[]call{{one, kept}, {one, kept}}, NoConflict},
		"two that are created":                     {[]call{{one, added}, {one, added}}, TwoNew},
		"one that is created beside one kept":      {[]call{{one, kept}, {one, added}}, KeptAndNew},
		"one kept beside one that is created":      {[]call{{one, added}, {one, kept}}, KeptAndNew},
		"two that are created beside one kept":     {[]call{{one, added}, {one, kept}, {one, added}}, KeptAndNew},
		"one kept, planned twice, and one created": {[]call{{one, kept}, {one, kept}, {one, added}}, KeptAndNew},
		"one destroyed beside one kept":            {[]call{{one, kept}, {one, destroyed}}, KeptAndDestroyed},
		"one kept beside one destroyed":            {[]call{{one, destroyed}, {one, kept}}, KeptAndDestroyed},
		"one kept and another object destroyed":    {[]call{{one, kept}, {other, destroyed}}, NoConflict},
		"one that takes the place of another":      {[]call{{one, destroyed}, {one, taken}}, NoConflict},
		"one destroyed, and taken by another":      {[]call{{one, taken}, {one, destroyed}}, NoConflict},
		"one that is created beside one that took": {[]call{{one, taken}, {one, added}}, KeptAndNew},
		"one destroyed beside two created":         {[]call{{one, added}, {one, added}, {one, destroyed}}, NoConflict},
		"one that is destroyed, planned twice":     {[]call{{one, destroyed}, {one, destroyed}}, NoConflict},
		"one that is gone, and planned anew":       {[]call{{one, kept}, {one, gone}, {one, added}}, NoConflict},
		"one that is gone beside one created":      {[]call{{one, added}, {one, kept}, {one, gone}, {one, added}}, TwoNew},
		"one taken by another that is gone":        {[]call{{one, taken}, {other, gone}, {one, added}}, NoConflict},
		"one kept, and taken by another that left": {[]call{{one, kept}, {one, taken}, {other, gone}, {one, added}}, KeptAndNew},
		"objects that are not known":               {[]call{{Object{}, kept}, {Object{}, added}}, NoConflict},
	} {
		p, got := New(), NoConflict
		for _, call := range c.calls {
			switch call.as {
			case kept:
				got = p.Keeps(call.object)
			case taken:
				got = p.Takes(call.object, other)
			case added:
				got = p.Adds(call.object)
			case destroyed:
				got = p.Destroys(call.object)
			case gone:
				p.Forgets(call.object)
			}
		}
		if got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	var unconfigured *Planned
	for range 2 {
		if unconfigured.Adds(one) != NoConflict {
			t.Error("adds without the provider's configuration: got a conflict, want none")
		}
	}
}

func TestMakes(t *testing.T) {
	p, object := New(), Object{"allowlist", "i-1"}
	if !p.Makes(object) || p.Makes(object) {
		t.Error("two creations of one object: got another result, want only the first accepted")
	}
	if before := p.IsMadeAnew(object); before {
		t.Error("a creation in progress: got the object made, want it not made yet")
	}
	if p.HasMade(object); !p.IsMadeAnew(object) || p.Makes(object) {
		t.Error("an object that was made: got it unknown, want it made")
	}
	if p.FailsToMake(object); p.IsMadeAnew(object) || !p.Makes(object) {
		t.Error("a creation that failed: got the object made, want it forgotten")
	}
}

// TestCreatedInstance checks what an app can know of its instance while the instance has no
// id.
func TestCreatedInstance(t *testing.T) {
	type budgets = map[string]int64
	free := Instance{Plan: "free", Engines: budgets{"redis": 64}}
	for name, row := range map[string]struct {
		planned []Instance
		want    Instance
		known   bool
	}{
		"none":                 {},
		"one":                  {[]Instance{free}, free, true},
		"one, planned twice":   {[]Instance{free, free}, free, true},
		"a plan not known":     {[]Instance{{Engines: budgets{}}}, Instance{Engines: budgets{}}, true},
		"engines not known":    {[]Instance{{Plan: "free"}}, Instance{Plan: "free"}, true},
		"two plans":            {[]Instance{free, {Plan: "small", Engines: budgets{"redis": 64}}}, Instance{}, false},
		"two budgets":          {[]Instance{free, {Plan: "free", Engines: budgets{"redis": 96}}}, Instance{}, false},
		"engines of one known": {[]Instance{{Plan: "free"}, {Plan: "free", Engines: budgets{}}}, Instance{}, false},
	} {
		p := New()
		p.NoteInstance(types.StringValue("i-4f2a"), "large", nil)
		for _, instance := range row.planned {
			p.NoteInstance(types.StringUnknown(), instance.Plan, instance.Engines)
		}
		got, known := p.CreatedInstance()
		if diff := cmp.Diff(row.want, got, cmp.AllowUnexported(Instance{})); diff != "" || known != row.known {
			t.Errorf("%s: got known %t, want %t; difference (-want +got):\n%s", name, known, row.known, diff)
		}
	}
}
