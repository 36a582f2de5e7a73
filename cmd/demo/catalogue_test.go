package main

import "testing"

func TestChoose(t *testing.T) {
	t.Parallel()
	plans := []plan{{ID: "tiny", MemoryMB: 512}, {ID: "free", MemoryMB: 4096}, {ID: "big", PriceCents: 900, MemoryMB: 8192}}
	regions := []region{{ID: "north"}, {ID: "south"}}

	got, err := choose(plans, regions)
	if want := (catalogue{plan: "free", region: "north"}); err != nil || got != want {
		t.Errorf("choose: got %v and error %v, want %v", got, err, want)
	}
	if got, err := choose(plans[2:], regions); err == nil {
		t.Errorf("choose with paid plans only: got %v, want an error", got)
	}
	if got, err := choose(plans, nil); err == nil {
		t.Errorf("choose without a region: got %v, want an error", got)
	}
}
