package base

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
		b := Resource{Data{Planned: NewPlanned()}}
		if row.applied {
			b.BeginApply(context.Background(), "create")
		}
		var diags diag.Diagnostics
		diags.AddWarning("a warning", "")
		diags.AddError("an error", "")
		if b.DropRepeatedWarnings(row.exists, &diags); len(diags) != row.want || !diags.HasError() {
			t.Errorf("%s: got %v, want %d diagnostics with an error", name, diags, row.want)
		}
	}
	var unconfigured Resource
	unconfigured.BeginApply(context.Background(), "create")
	unconfigured.DropRepeatedWarnings(true, &diag.Diagnostics{})
}

func TestConflicts(t *testing.T) {
	one, other := ManagedObject{"allowlist", "i-1"}, ManagedObject{"allowlist", "i-2"}
	const (
		kept = iota
		taken
		added
		destroyed
		gone
	)
	type call struct {
		object ManagedObject
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
		"two that are created":                     {[]call{{one, added}, {one, added}}, twoNew},
		"one that is created beside one kept":      {[]call{{one, kept}, {one, added}}, keptAndNew},
		"one kept beside one that is created":      {[]call{{one, added}, {one, kept}}, keptAndNew},
		"two that are created beside one kept":     {[]call{{one, added}, {one, kept}, {one, added}}, keptAndNew},
		"one kept, planned twice, and one created": {[]call{{one, kept}, {one, kept}, {one, added}}, keptAndNew},
		"one destroyed beside one kept":            {[]call{{one, kept}, {one, destroyed}}, keptAndDestroyed},
		"one kept beside one destroyed":            {[]call{{one, destroyed}, {one, kept}}, keptAndDestroyed},
		"one kept and another object destroyed":    {[]call{{one, kept}, {other, destroyed}}, NoConflict},
		"one that takes the place of another":      {[]call{{one, destroyed}, {one, taken}}, NoConflict},
		"one destroyed, and taken by another":      {[]call{{one, taken}, {one, destroyed}}, NoConflict},
		"one that is created beside one that took": {[]call{{one, taken}, {one, added}}, keptAndNew},
		"one destroyed beside two created":         {[]call{{one, added}, {one, added}, {one, destroyed}}, NoConflict},
		"one that is destroyed, planned twice":     {[]call{{one, destroyed}, {one, destroyed}}, NoConflict},
		"one that is gone, and planned anew":       {[]call{{one, kept}, {one, gone}, {one, added}}, NoConflict},
		"one that is gone beside one created":      {[]call{{one, added}, {one, kept}, {one, gone}, {one, added}}, twoNew},
		"one taken by another that is gone":        {[]call{{one, taken}, {other, gone}, {one, added}}, NoConflict},
		"one kept, and taken by another that left": {[]call{{one, kept}, {one, taken}, {other, gone}, {one, added}}, keptAndNew},
		"objects that are not known":               {[]call{{ManagedObject{}, kept}, {ManagedObject{}, added}}, NoConflict},
	} {
		p, got := NewPlanned(), NoConflict
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
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	var unconfigured *Planned
	for range 2 {
		if unconfigured.adds(one) != NoConflict {
			t.Error("adds without the provider's configuration: got a conflict, want none")
		}
	}
}

func TestMakes(t *testing.T) {
	p, object := NewPlanned(), ManagedObject{"allowlist", "i-1"}
	if !p.Makes(object) || p.Makes(object) {
		t.Error("the second creation of an object is not told from the first")
	}
	if before := p.IsMadeAnew(object); before {
		t.Error("a creation that may fail counts")
	}
	if p.HasMade(object); !p.IsMadeAnew(object) || p.Makes(object) {
		t.Error("an object that was made is not known")
	}
	if p.FailsToMake(object); p.IsMadeAnew(object) || !p.Makes(object) {
		t.Error("a creation that failed counts")
	}
}

// TestCreatedInstance checks what an app can know of its instance while the instance has no
// id.
func TestCreatedInstance(t *testing.T) {
	type budgets = map[string]int64
	free := PlannedInstance{Plan: "free", Engines: budgets{"redis": 64}}
	for name, row := range map[string]struct {
		planned []PlannedInstance
		want    PlannedInstance
		known   bool
	}{
		"none":                 {},
		"one":                  {[]PlannedInstance{free}, free, true},
		"one, planned twice":   {[]PlannedInstance{free, free}, free, true},
		"a plan not known":     {[]PlannedInstance{{Engines: budgets{}}}, PlannedInstance{Engines: budgets{}}, true},
		"engines not known":    {[]PlannedInstance{{Plan: "free"}}, PlannedInstance{Plan: "free"}, true},
		"two plans":            {[]PlannedInstance{free, {Plan: "small", Engines: budgets{"redis": 64}}}, PlannedInstance{}, false},
		"two budgets":          {[]PlannedInstance{free, {Plan: "free", Engines: budgets{"redis": 96}}}, PlannedInstance{}, false},
		"engines of one known": {[]PlannedInstance{{Plan: "free"}, {Plan: "free", Engines: budgets{}}}, PlannedInstance{}, false},
	} {
		p := NewPlanned()
		p.NoteInstance(types.StringValue("i-4f2a"), "large", nil)
		for _, instance := range row.planned {
			p.NoteInstance(types.StringUnknown(), instance.Plan, instance.Engines)
		}
		got, known := p.CreatedInstance()
		if diff := cmp.Diff(row.want, got, cmp.AllowUnexported(PlannedInstance{})); diff != "" || known != row.known {
			t.Errorf("%s: got known %t, want %t; difference (-want +got):\n%s", name, known, row.known, diff)
		}
	}
}
