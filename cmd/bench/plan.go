package main

import (
	"errors"
	"slices"
)

// The subjects of the table plan.
const (
	ours       = "hosting"
	theFloor   = "terraform_data"
	theProgram = "prior state at once"
)

// plan measures plans without changes, together with their floors.
func (b *bench) plan() (*table, error) {
	t := &table{
		Name: "plan", Title: "nothing to change; least of the repeats, CPU for each resource",
		Columns: []column{
			{Name: "instances"}, {Name: "shape"}, {Name: "n"}, {Name: "resources"}, {Name: "provider"}, {Name: "requests"},
			{"wall s", 2}, {"spread %", 0}, {"CLI ms", 2}, {"provider ms", 2}, {"peak MiB", 0}, {"ours/this", 2},
		},
	}
	subjects := []subject{
		{name: ours, kind: ofHosting, program: b.programs.provider},
		{name: theProgram, kind: ofHosting, program: b.programs.reference},
		{name: theFloor, kind: ofData},
	}
	var all []*planned
	sizes := b.sizes
	if len(sizes) == 0 {
		sizes = []int{10, 100, 1000}
	}
	for _, content := range b.contents {
		for _, n := range sizes {
			b.say("plan: preparing %d instances, %s.", n, content)
			p, err := b.prepare(contents[content], n, subjects)
			if err != nil {
				return nil, err
			}
			for _, in := range b.shapes {
				b.say("plan: %d instances, %s, by %s.", n, content, in)
				results, err := b.plans(p, in, content)
				if err != nil {
					return nil, errors.Join(err, p.fake.stop())
				}
				all = append(all, results...)
			}
			if err := p.fake.stop(); err != nil {
				return nil, err
			}
		}
	}
	for _, r := range all {
		values := []any{r.content, string(r.shape), r.n, r.resources(), r.name, r.requests, r.wall.least(), r.wall.spread(), r.per(r.cli), nil, nil, nil}
		if r.kind == ofHosting {
			values[9], values[10] = r.per(r.provider), slices.Max(r.peak)
		}
		if r.name != ours {
			values[11] = ratio(beside(all, r, ours).wall.least(), r.wall.least())
		}
		t.add(values...)
	}
	t.Targets = planTargets(all)
	return t, nil
}

// The result of another subject for the same configuration.
func beside(all []*planned, r *planned, name string) *planned {
	for _, other := range all {
		if other.name == name && other.content == r.content && other.shape == r.shape && other.n == r.n {
			return other
		}
	}
	return &planned{}
}

// planTargets returns the targets of plans, whatever their shape.
func planTargets(all []*planned) []target {
	large := func(content string, of func(*planned) float64) []float64 {
		var values []float64
		for _, r := range all {
			if r.name == ours && r.content == content && r.n == 1000 {
				if value := of(r); value > 0 {
					values = append(values, value)
				}
			}
		}
		return values
	}
	cpu := func(r *planned) float64 { return r.per(r.provider) }
	peak := func(r *planned) float64 { return slices.Max(r.peak) }
	overFloor := func(name string) func(*planned) float64 {
		return func(r *planned) float64 {
			value, _ := ratio(r.wall.least(), beside(all, r, name).wall.least()).(float64)
			return value
		}
	}
	// Lookups that start 30 s after the first may request the list's pages again.
	const oftener = ", without 6 for each started 30 s past the first"
	requests := func(r *planned) float64 { return float64(r.requests - 6*int(slices.Max(r.wall)/30)) }
	return []target{
		worst("provider's CPU for each of 1,000 instances alone", large("alone", cpu), 2, " ms"),
		worst("provider's CPU for each resource of 1,000 instances with five children", large("full", cpu), 2.5, " ms"),
		worst("wall of 1,000 instances alone, against the prior state at once", large("alone", overFloor(theProgram)), 1.5, ""),
		worst("requests of 1,000 instances alone"+oftener, large("alone", requests), 8, ""),
		worst("requests of 1,000 instances with app and three settings"+oftener, large("settings", requests), 2020, ""),
		worst("requests of 1,000 instances with app, three settings and database"+oftener, large("full", requests), 3020, ""),
		worst("provider's peak memory with 1,000 instances alone", large("alone", peak), 60, " MiB"),
		worst("provider's peak memory with 5,000 resources or more", slices.Concat(large("settings", peak), large("full", peak)), 60, " MiB"),
	}
}
