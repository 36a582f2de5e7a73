package portal

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// offer is a plan that a form can choose: its memory in MB and its price in words.
type offer struct {
	MemoryMB int
	Price    string
}

// memorySum is the memory in MB that the engines of a form use, and the chosen plan. The
// page's script adds it up again as the form is filled in.
type memorySum struct {
	// Fixed is the memory of engines that the form does not change.
	Fixed, Used int
	Plan        offer
}

// Over reports whether the engines do not fit into the plan.
func (m memorySum) Over() bool { return m.Used > m.Plan.MemoryMB }

// Sum returns the sum for the values of the form, or nil if it chooses neither plan nor
// engines.
func (f *form) Sum() *memorySum {
	if f.Sums == nil {
		return nil
	}
	sum := *f.Sums
	sum.Used = sum.Fixed
	for _, one := range f.Fields {
		if one.Floor > 0 && one.Checked {
			sum.Used += f.budget(one)
		}
		if len(one.Plans) > 0 {
			sum.Plan = one.Plans[cmp.Or(one.Value, one.Choices[0].Value)]
		}
	}
	return &sum
}

// engineMemory returns the memory in MB of an instance's engines.
func engineMemory(in *core.InstanceRecord) int {
	sum := 0
	for _, e := range in.Engines {
		sum += e.MemoryMB
	}
	return sum
}

// budget returns the memory of an engine: the number in its field, or the engine's floor.
func (f *form) budget(engine *field) int {
	at := slices.IndexFunc(f.Fields, func(one *field) bool { return one.Name == engine.Name+".memory_mb" })
	if at < 0 {
		return engine.Floor
	}
	typed, err := strconv.Atoi(strings.TrimSpace(f.Fields[at].Value))
	if err != nil {
		return engine.Floor
	}
	return typed
}

// offerOf returns a plan as forms show it.
func offerOf(p core.Plan) offer {
	price := "Free"
	if p.PriceCents > 0 {
		price = money(p.PriceCents, p.Currency) + " a month"
	}
	return offer{MemoryMB: p.MemoryMB, Price: price}
}

// planField returns a field that chooses a plan, with the prices.
func planField(plans []core.Plan, chosen, help string) *field {
	f := &field{Name: "plan", Label: "Plan", Kind: choice, Value: chosen, Help: help, Plans: map[string]offer{}}
	for _, p := range plans {
		one := offerOf(p)
		f.Plans[p.ID] = one
		f.Choices = append(f.Choices, option{p.ID, fmt.Sprintf("%s: %d MB, %d GB disk, %s", cmp.Or(p.Name, p.ID), p.MemoryMB, p.DiskGB, one.Price)})
	}
	return f
}
