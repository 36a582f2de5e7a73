package main

import (
	"context"
	"os"
)

// start measures the time from the launch of the provider until it can be reached, what it
// takes to answer with its schema, and the size of its program. The fastest of ten starts
// counts, because the machine may disturb a single one.
func (b *bench) start(ctx context.Context, report func(result)) error {
	program, err := os.Stat(b.provider())
	if err != nil {
		return err
	}
	f, err := startFake(1, nil)
	if err != nil {
		return err
	}
	defer f.close()
	w, err := b.newWorkspace(f, configuration(instance, 1))
	if err != nil {
		return err
	}
	for range b.count {
		best := taken{}
		for i := range 10 {
			t, err := w.measure(ctx, "providers", "schema", "-json")
			if err != nil {
				return err
			}
			if i == 0 || t.ready < best.ready {
				best = t
			}
		}
		report(result{name: "Start", wall: best.ready, metrics: map[string]float64{
			"program-MB":  float64(program.Size()) / 1e6,
			"provider-ms": best.provider.Seconds() * 1000,
			"peak-MiB":    best.peak,
			"schema-KiB":  float64(len(best.output)) / 1024,
		}})
	}
	return nil
}
