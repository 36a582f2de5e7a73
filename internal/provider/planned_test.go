package provider

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestWithoutRepeats(t *testing.T) {
	for name, row := range map[string]struct {
		applied, exists bool
		want            int
	}{
		"a plan, or an apply before its first change": {false, true, 2},
		"an apply after its first change":             {true, true, 1},
		"what an apply creates":                       {true, false, 2},
	} {
		b := resourceBase{resourceData{planned: newPlanned()}}
		if row.applied {
			b.applying(context.Background(), "create")
		}
		var diags diag.Diagnostics
		diags.AddWarning("a warning", "")
		diags.AddError("an error", "")
		if b.withoutRepeats(row.exists, &diags); len(diags) != row.want || !diags.HasError() {
			t.Errorf("%s: %v", name, diags)
		}
	}
	var unconfigured resourceBase
	unconfigured.applying(context.Background(), "create")
	unconfigured.withoutRepeats(true, &diag.Diagnostics{})
}

func TestConflicts(t *testing.T) {
	one, other := managedObject{"allowlist", "i-1"}, managedObject{"allowlist", "i-2"}
	const (
		kept = iota
		taken
		added
		destroyed
		gone
	)
	type call struct {
		object managedObject
		as     int
	}
	for name, c := range map[string]struct {
		calls []call
		want  conflict // returned by the last call
	}{
		"one that is kept":                         {[]call{{one, kept}}, noConflict},
		"one that is created":                      {[]call{{one, added}}, noConflict},
		"two objects":                              {[]call{{one, kept}, {other, added}}, noConflict},
		"one that is kept, planned twice":          {[]call{{one, kept}, {one, kept}}, noConflict},
		"two that are created":                     {[]call{{one, added}, {one, added}}, twoNew},
		"one that is created beside one kept":      {[]call{{one, kept}, {one, added}}, keptAndNew},
		"one kept beside one that is created":      {[]call{{one, added}, {one, kept}}, keptAndNew},
		"two that are created beside one kept":     {[]call{{one, added}, {one, kept}, {one, added}}, keptAndNew},
		"one kept, planned twice, and one created": {[]call{{one, kept}, {one, kept}, {one, added}}, keptAndNew},
		"one destroyed beside one kept":            {[]call{{one, kept}, {one, destroyed}}, keptAndDestroyed},
		"one kept beside one destroyed":            {[]call{{one, destroyed}, {one, kept}}, keptAndDestroyed},
		"one kept and another object destroyed":    {[]call{{one, kept}, {other, destroyed}}, noConflict},
		"one that takes the place of another":      {[]call{{one, destroyed}, {one, taken}}, noConflict},
		"one destroyed, and taken by another":      {[]call{{one, taken}, {one, destroyed}}, noConflict},
		"one that is created beside one that took": {[]call{{one, taken}, {one, added}}, keptAndNew},
		"one destroyed beside two created":         {[]call{{one, added}, {one, added}, {one, destroyed}}, noConflict},
		"one that is destroyed, planned twice":     {[]call{{one, destroyed}, {one, destroyed}}, noConflict},
		"one that is gone, and planned anew":       {[]call{{one, kept}, {one, gone}, {one, added}}, noConflict},
		"one that is gone beside one created":      {[]call{{one, added}, {one, kept}, {one, gone}, {one, added}}, twoNew},
		"one taken by another that is gone":        {[]call{{one, taken}, {other, gone}, {one, added}}, noConflict},
		"one kept, and taken by another that left": {[]call{{one, kept}, {one, taken}, {other, gone}, {one, added}}, keptAndNew},
		"objects that are not known":               {[]call{{managedObject{}, kept}, {managedObject{}, added}}, noConflict},
	} {
		p, got := newPlanned(), noConflict
		for _, call := range c.calls {
			switch call.as {
			case kept:
				got = p.keeps(call.object)
			case taken:
				got = p.takes(call.object, other)
			case added:
				got = p.adds(call.object)
			case destroyed:
				got = p.destroys(call.object)
			case gone:
				p.forgets(call.object)
			}
		}
		if got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	var unconfigured *planned
	for range 2 {
		if unconfigured.adds(one) != noConflict {
			t.Error("without the provider's configuration nothing is told")
		}
	}
}

func TestMakes(t *testing.T) {
	p, object := newPlanned(), managedObject{"allowlist", "i-1"}
	if !p.makes(object) || p.makes(object) {
		t.Error("the second creation of an object is not told from the first")
	}
	if before := p.isMadeAnew(object); before {
		t.Error("a creation that may fail counts")
	}
	if p.hasMade(object); !p.isMadeAnew(object) || p.makes(object) {
		t.Error("an object that was made is not known")
	}
	if p.failsToMake(object); p.isMadeAnew(object) || !p.makes(object) {
		t.Error("a creation that failed counts")
	}
}

// TestCreatedInstance checks what an app can know of its instance while the instance has no
// id.
func TestCreatedInstance(t *testing.T) {
	type budgets = map[string]int64
	free := plannedInstance{plan: "free", engines: budgets{"redis": 64}}
	for name, row := range map[string]struct {
		planned []plannedInstance
		want    plannedInstance
		known   bool
	}{
		"none":                 {},
		"one":                  {[]plannedInstance{free}, free, true},
		"one, planned twice":   {[]plannedInstance{free, free}, free, true},
		"a plan not known":     {[]plannedInstance{{engines: budgets{}}}, plannedInstance{engines: budgets{}}, true},
		"engines not known":    {[]plannedInstance{{plan: "free"}}, plannedInstance{plan: "free"}, true},
		"two plans":            {[]plannedInstance{free, {plan: "small", engines: budgets{"redis": 64}}}, plannedInstance{}, false},
		"two budgets":          {[]plannedInstance{free, {plan: "free", engines: budgets{"redis": 96}}}, plannedInstance{}, false},
		"engines of one known": {[]plannedInstance{{plan: "free"}, {plan: "free", engines: budgets{}}}, plannedInstance{}, false},
	} {
		p := newPlanned()
		p.noteInstance(types.StringValue("i-4f2a"), "large", nil)
		for _, instance := range row.planned {
			p.noteInstance(types.StringUnknown(), instance.plan, instance.engines)
		}
		got, known := p.createdInstance()
		if diff := cmp.Diff(row.want, got, cmp.AllowUnexported(plannedInstance{})); diff != "" || known != row.known {
			t.Errorf("%s: got known %t, want %t; difference (-want +got):\n%s", name, known, row.known, diff)
		}
	}
}
