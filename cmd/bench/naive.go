package main

import (
	"errors"
	"slices"
)

// planNaive measures plans with the provider's optimizations switched off, one at a time.
func (b *bench) planNaive() (*table, error) {
	t := &table{
		Name: "plan-naive", Title: "instances alone by module, with what is switched off by HOSTING_BENCH_WITHOUT",
		Columns: []column{
			{Name: "n"}, {Name: "without"}, {Name: "requests"}, {"wall s", 2}, {"spread %", 0},
			{"CLI ms", 2}, {"provider ms", 2}, {"peak MiB", 0}, {"wall/with", 2}, {"CPU/with", 2},
		},
	}
	optimizations := []string{"logs", "contexts", "shortcuts", "coalescing"}
	without := func(name, words string) subject {
		s := subject{name: name, kind: ofHosting, program: b.programs.provider}
		if words != "" {
			s.environment = []string{"HOSTING_BENCH_WITHOUT=" + words}
		}
		return s
	}
	subjects := []subject{without("nothing", "")}
	for _, one := range optimizations {
		subjects = append(subjects, without(one, one))
	}
	subjects = append(subjects, without("any of them", "logs,contexts,shortcuts,coalescing"))
	sizes := b.sizes
	if len(sizes) == 0 {
		sizes = []int{300}
	}
	for _, n := range sizes {
		b.say("plan-naive: %d instances.", n)
		p, err := b.prepare(contents["alone"], n, subjects)
		if err != nil {
			return nil, err
		}
		results, err := b.plans(p, byModule, "alone")
		if err := errors.Join(err, p.fake.stop()); err != nil {
			return nil, err
		}
		with := results[0]
		for _, r := range results {
			t.add(n, r.name, r.requests, r.wall.least(), r.wall.spread(), r.per(r.cli), r.per(r.provider), slices.Max(r.peak),
				ratio(r.wall.least(), with.wall.least()), ratio(r.per(r.cli)+r.per(r.provider), with.per(with.cli)+with.per(with.provider)))
		}
	}
	return t, nil
}
