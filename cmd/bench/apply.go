package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// An applied is the cost of an apply.
type applied struct {
	requests, conflicts int
	chain, span, wall   time.Duration
}

// against returns the ratio of the time from the first request to the last and the shortest
// possible time. The latter is the longest chain, once for each round that the limit of
// parallelism requires.
func (a applied) against(rounds int) float64 {
	return a.span.Seconds() / (a.chain.Seconds() * float64(rounds))
}

// apply measures applies against the duration of their jobs and builds. The fake's clock has
// its real speed, because the provider's polls depend on it.
func (b *bench) apply() (*table, error) {
	t := &table{
		Name: "apply", Title: "first to last request, against the longest chain of jobs and builds",
		Columns: []column{{Name: "what"}, {Name: "parallelism"}, {Name: "requests"}, {Name: "409"}, {"chain s", 2}, {Name: "rounds"}, {"first to last request s", 2}, {"wall s", 2}, {"ratio", 3}},
	}
	conflicts := 0
	b.say("apply: the guestbook.")
	guestbook, real, err := b.applyGuestbook()
	if err != nil {
		return nil, fmt.Errorf("the guestbook: %w", err)
	}
	conflicts += guestbook.conflicts
	t.add("guestbook", 10, guestbook.requests, guestbook.conflicts, seconds(guestbook.chain), 1, seconds(guestbook.span), seconds(guestbook.wall), guestbook.against(1))
	if !real {
		t.note("PostgreSQL is not installed, so the guestbook has no table: that script has nothing to run on.")
	}
	t.Targets = append(t.Targets, atMost("the guestbook against its longest chain", guestbook.against(1), 1.05, ""))

	const n = 30
	for _, parallelism := range []int{10, 30} {
		b.say("apply: %d instances, %d at a time.", n, parallelism)
		a, err := b.applyInstances(n, parallelism)
		if err != nil {
			return nil, fmt.Errorf("%d instances, %d at a time: %w", n, parallelism, err)
		}
		conflicts += a.conflicts
		rounds := (n + parallelism - 1) / parallelism
		t.add(fmt.Sprintf("%d instances", n), parallelism, a.requests, a.conflicts, seconds(a.chain), rounds, seconds(a.span), seconds(a.wall), a.against(rounds))
		if parallelism == n {
			t.Targets = append(t.Targets, atMost(fmt.Sprintf("%d instances at once against their longest chain", n), a.against(1), 1.05, ""))
		}
	}
	t.Targets = append(t.Targets, atMost("answers 409", float64(conflicts), 0, ""))
	t.note("The longest chain is of one instance's jobs and builds as they ran. Terraform begins no more than its parallelism at once, so that many rounds are its least.")
	return t, nil
}

// applyGuestbook applies examples/guestbook. real reports whether its Postgres runs.
func (b *bench) applyGuestbook() (_ applied, real bool, err error) {
	module := filepath.Join(b.tree, "examples", "guestbook")
	repository := "instance-hosting/guestbook"
	real = true
	f, err := b.startFake(1, nil, "--data-plane", "on", "--repo", repository+"="+filepath.Join(module, "app"))
	if err != nil {
		b.say("apply: without a data plane, as %s", err)
		real = false
		if f, err = b.startFake(1, nil); err != nil {
			return applied{}, real, err
		}
	}
	defer func() { err = errors.Join(err, f.stop()) }()
	files := map[string]string{"terraform.tfvars": fmt.Sprintf(`plan                = "free"
region              = "eu-central"
repo                = %q
webhook_url         = "https://events.invalid/guestbook"
deletion_protection = false
create_table        = %t
`, repository, real)}
	for _, pattern := range []string{"*.tf", "*.sql"} {
		names, err := filepath.Glob(filepath.Join(module, pattern))
		if err != nil {
			return applied{}, real, err
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return applied{}, real, err
			}
			files[filepath.Base(name)] = string(text)
		}
	}
	a, err := b.applied(f, files, 10)
	return a, real, err
}

// applyInstances applies n instances without other resources.
func (b *bench) applyInstances(n, parallelism int) (_ applied, err error) {
	f, err := b.startFake(1, nil)
	if err != nil {
		return applied{}, err
	}
	defer func() { err = errors.Join(err, f.stop()) }()
	return b.applied(f, configuration{kind: ofHosting, shape: byForEach, members: contents["alone"], n: n}.files(), parallelism)
}

// applied applies files on an empty fake.
func (b *bench) applied(f *fake, files map[string]string, parallelism int) (applied, error) {
	if err := f.slow(b.ctx, nil); err != nil {
		return applied{}, err
	}
	w, err := b.newWorkspace(b.programs.provider, f.environment())
	if err != nil {
		return applied{}, err
	}
	defer w.remove()
	if err := w.write(files); err != nil {
		return applied{}, err
	}
	took, err := w.run(b.ctx, "apply", "-auto-approve", "-input=false", "-no-color", "-parallelism="+strconv.Itoa(parallelism))
	if err != nil {
		return applied{}, err
	}
	sent, err := f.requests(b.ctx, took.began)
	if err != nil {
		return applied{}, err
	}
	works, err := f.works(b.ctx)
	if err != nil {
		return applied{}, err
	}
	return applied{
		requests: len(sent), conflicts: answered(sent, http.StatusConflict),
		chain: longestChain(works), span: span(sent), wall: took.wall,
	}, nil
}

// works returns the jobs and builds of the fake's log, all of which have ended.
func (f *fake) works(ctx context.Context) ([]work, error) {
	type logged struct {
		InstanceID string     `json:"instance_id"`
		Operation  string     `json:"operation"`
		Started    *time.Time `json:"real_started_at"`
		Finished   *time.Time `json:"real_finished_at"`
	}
	var answer struct{ Jobs, Builds []logged }
	if err := f.control(ctx, http.MethodGet, "jobs", nil, &answer); err != nil {
		return nil, err
	}
	var works []work
	for _, l := range append(answer.Jobs, answer.Builds...) {
		if l.Started == nil || l.Finished == nil {
			return nil, fmt.Errorf("the job %s of %s has not ended, and the apply has", l.Operation, l.InstanceID)
		}
		works = append(works, work{l.InstanceID, *l.Started, *l.Finished})
	}
	return works, nil
}
