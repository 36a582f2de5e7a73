package main

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// crowdLimit is the service's limit for all processes together.
var crowdLimit = rateLimit{PerSecond: 50, Burst: 10}

// crowd measures whole plans that share one limit of requests. The CLI makes the plans,
// each with its own provider. Because the service's limit is per account, a team's
// pipelines share it in the same way. The plans refresh only apps, which take two requests
// each, so that the limit determines their duration.
func (b *bench) crowd() (t *table, err error) {
	n := 200
	if len(b.sizes) > 0 {
		n = b.sizes[len(b.sizes)-1]
	}
	t = &table{
		Name: "crowd", Title: fmt.Sprintf("plans of %d apps at once that share %g requests per second, bursts of %d", n, crowdLimit.PerSecond, crowdLimit.Burst),
		Columns: []column{{Name: "processes"}, {Name: "errors"}, {Name: "served"}, {Name: "429"}, {"ideal s", 2}, {"first to last request s", 2}, {"wall s", 2}, {"ratio", 3}},
	}
	b.say("crowd: preparing %d apps.", n)
	p, err := b.prepare(contents["apps"], n, []subject{{name: ours, kind: ofHosting, program: b.programs.provider}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.fake.stop()) }()
	failures := 0
	ofFour := unmeasured("time of four processes, against the ideal", 1.2, "")
	for _, processes := range []int{1, 2, 4, 8} {
		b.say("crowd: %d processes.", processes)
		r, err := b.crowded(p, processes)
		if err != nil {
			return nil, err
		}
		failures += r.errors
		against := r.span.Seconds() / r.ideal.Seconds()
		if processes == 4 {
			ofFour = atMost(ofFour.Claim, against, ofFour.Most, "")
		}
		t.add(processes, r.errors, r.served, r.limited, seconds(r.ideal), seconds(r.span), seconds(r.wall), against)
		for _, failure := range r.said {
			t.note("With %d processes, one ended so: %s", processes, failure)
		}
	}
	t.note("Ideal is what was served and is beyond the burst, at the limit. The ratio is the time from the first request to the last against it.")
	t.Targets = []target{atMost("plans that failed", float64(failures), 0, ""), ofFour}
	return t, nil
}

// crowding is the result of concurrent plans.
type crowding struct {
	errors, served, limited int
	ideal, span, wall       time.Duration
	said                    []string
}

func (b *bench) crowded(p *prepared, processes int) (crowding, error) {
	prior := p.subjects[0].prior
	var workspaces []*workspace
	defer func() {
		for _, w := range workspaces {
			w.remove()
		}
	}()
	for range processes {
		w, err := b.newWorkspace(b.programs.provider, p.fake.environment())
		if err != nil {
			return crowding{}, err
		}
		workspaces = append(workspaces, w)
		if err := w.configure(p.configuration, &prior); err != nil {
			return crowding{}, err
		}
	}
	// Removing the limit first fills the bucket.
	if err := errors.Join(p.fake.slow(b.ctx, nil), p.fake.slow(b.ctx, &crowdLimit)); err != nil {
		return crowding{}, err
	}
	began := time.Now()
	ended := make([]error, processes)
	var group errgroup.Group
	for i, w := range workspaces {
		group.Go(func() error {
			_, ended[i] = w.planNothing(b.ctx)
			return nil
		})
	}
	_ = group.Wait() // ended has the result of each
	r := crowding{wall: time.Since(began)}
	if b.ctx.Err() != nil {
		return r, b.ctx.Err()
	}
	sent, err := p.fake.requests(b.ctx, began)
	if err != nil {
		return r, err
	}
	for _, err := range ended {
		if err != nil {
			r.errors++
			r.said = append(r.said, tail(err.Error()))
		}
	}
	slices.Sort(r.said)
	r.said = slices.Compact(r.said)
	r.limited = answered(sent, http.StatusTooManyRequests)
	r.served = len(sent) - r.limited
	r.ideal, r.span = idealTime(r.served, crowdLimit), span(sent)
	return r, nil
}

// idealTime returns the minimum time from the first request to the last under a limit.
func idealTime(requests int, limit rateLimit) time.Duration {
	beyond := max(requests-limit.Burst, 0)
	return time.Duration(float64(beyond) / limit.PerSecond * float64(time.Second))
}
