package main

import "errors"

// catalogue is the demo's choice of the fake's plans and regions.
type catalogue struct {
	plan, region string
}

// plan and region are the parts of the service's answers that the demo reads.
type plan struct {
	ID         string `json:"id"`
	PriceCents int    `json:"price_cents"`
	MemoryMB   int    `json:"memory_mb"`
}

type region struct {
	ID string `json:"id"`
}

// choose takes the largest free plan, because a paid one would wait for its checkout, and
// the first region.
func choose(plans []plan, regions []region) (catalogue, error) {
	best := plan{MemoryMB: -1}
	for _, plan := range plans {
		if plan.PriceCents == 0 && plan.MemoryMB > best.MemoryMB {
			best = plan
		}
	}
	if best.ID == "" {
		return catalogue{}, errors.New("no plan is free")
	}
	if len(regions) == 0 {
		return catalogue{}, errors.New("there is no region")
	}
	return catalogue{plan: best.ID, region: regions[0].ID}, nil
}
