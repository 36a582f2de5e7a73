package planning

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestIsMadeAnew(t *testing.T) {
	p, object := New(), Object{"allowlist", "i-1"}
	if p.IsMadeAnew(object) {
		t.Error("an object that was not created: got it made, want it not made")
	}
	if p.HasMade(object); !p.IsMadeAnew(object) {
		t.Error("an object that was created: got it not made, want it made")
	}
}

func TestIsDropped(t *testing.T) {
	p, object := New(), Object{"extension pgcrypto in database main", "i-1"}
	if p.IsDropped(object) {
		t.Error("an object that was not deleted: got it dropped")
	}
	if p.HasDropped(object); !p.IsDropped(object) {
		t.Error("an object that was deleted: got it not dropped")
	}
	if p.HasMade(object); p.IsDropped(object) {
		t.Error("an object that was created since: got it dropped")
	}
}

func TestIsKept(t *testing.T) {
	p, kept, asked := New(), Object{"app web1", "i-1"}, Object{"app web", "i-1"}
	p.NoteKept(kept, asked)
	for _, object := range []Object{kept, asked} {
		if got, was, ok := p.IsKept(object); !ok || got != kept || was != asked {
			t.Errorf("%v: got %v, %v, %t, want %v, %v", object, got, was, ok, kept, asked)
		}
	}
	if got, _, ok := p.IsKept(Object{"app web", "i-2"}); ok {
		t.Errorf("an app of another instance: got it kept as %v", got)
	}
	p.ForgetKept(kept)
	if got, _, ok := p.IsKept(asked); ok {
		t.Errorf("an app that is not tainted: got it kept as %v", got)
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

// TestIsEnding checks which instances a plan ends, as the objects on them are planned.
func TestIsEnding(t *testing.T) {
	for name, row := range map[string]struct {
		plan func(*Planned)
		want bool
	}{
		"not planned":             {func(*Planned) {}, false},
		"kept":                    {func(p *Planned) { p.Keeps("i-1") }, false},
		"destroyed":               {func(p *Planned) { p.Ends("i-1") }, true},
		"kept, and then replaced": {func(p *Planned) { p.Keeps("i-1"); p.Ends("i-1") }, true},
		"another one":             {func(p *Planned) { p.Keeps("i-1"); p.Ends("i-2") }, false},
		"in the state, and one of its name is created": {func(p *Planned) { p.NoteState("i-1", "web"); p.ReplacesTainted("web") }, true},
		"in the state, and another one is created":     {func(p *Planned) { p.NoteState("i-1", "web"); p.ReplacesTainted("shop") }, false},
		"kept, and one of its name is created":         {func(p *Planned) { p.NoteState("i-1", "web"); p.Keeps("i-1"); p.ReplacesTainted("web") }, false},
		"one of its name is created, and kept":         {func(p *Planned) { p.NoteState("i-1", "web"); p.ReplacesTainted("web"); p.Keeps("i-1") }, false},
	} {
		p := New()
		if row.plan(p); p.IsEnding("i-1") != row.want {
			t.Errorf("%s: got %t, want %t", name, p.IsEnding("i-1"), row.want)
		}
	}
}
