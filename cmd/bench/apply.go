package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// together is the number of instances that are applied at the same time.
const together = 30

// apply measures applies of several instances against the duration of their jobs. The
// fake's clock has its real speed, because the provider's polls depend on it.
func (b *bench) apply(ctx context.Context, report func(result)) error {
	files := configuration(contents["alone"], together)
	for range b.count {
		for _, parallelism := range []int{10, together} {
			r, err := b.applied(ctx, files, parallelism, together/parallelism)
			if err != nil {
				return err
			}
			r.name = fmt.Sprintf("Apply/parallelism=%d", parallelism)
			report(r)
		}
	}
	return nil
}

// wait measures what an apply of examples/guestbook waits for, other than its jobs and its
// build. The fake has no database, so the guestbook creates no table.
func (b *bench) wait(ctx context.Context, report func(result)) error {
	const module = "examples/guestbook"
	files := map[string]string{"terraform.tfvars": `plan                = "free"
region              = "eu-central"
repo                = "instance-hosting/guestbook"
webhook_url         = "https://events.invalid/guestbook"
deletion_protection = false
create_table        = false
`}
	for _, pattern := range []string{"*.tf", "*.sql"} {
		names, err := filepath.Glob(filepath.Join(module, pattern))
		if err != nil {
			return err
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			files[filepath.Base(name)] = string(text)
		}
	}
	for range b.count {
		r, err := b.applied(ctx, files, 10, 1)
		if err != nil {
			return err
		}
		r.name = "Wait/guestbook"
		report(r)
	}
	return nil
}

// applied applies files on an empty fake. The CLI begins no more than its parallelism at
// once, so the least time is the longest chain of jobs and builds in each of the rounds.
func (b *bench) applied(ctx context.Context, files map[string]string, parallelism, rounds int) (r result, err error) {
	f, err := startFake(1, nil)
	if err != nil {
		return r, err
	}
	defer f.close()
	w, err := b.newWorkspace(f, files)
	if err != nil {
		return r, err
	}
	took, err := w.run(ctx, "apply", "-auto-approve", "-input=false", "-no-color", "-parallelism="+strconv.Itoa(parallelism))
	if err != nil {
		return r, err
	}
	sent := f.Requests()
	conflicts := 0
	for _, s := range sent {
		if s.Status == http.StatusConflict {
			conflicts++
		}
	}
	least := longestChain(f.works()) * time.Duration(rounds)
	span := sent[len(sent)-1].RealAt.Sub(sent[0].RealAt)
	r.wall = took.wall
	r.metrics = map[string]float64{"requests": float64(len(sent)), "conflicts": float64(conflicts), "of-chain": span.Seconds() / least.Seconds()}
	return r, nil
}

// works returns the jobs and builds of the fake's log, all of which have ended.
func (f *fake) works() (all []work) {
	for _, j := range f.Jobs() {
		all = append(all, work{j.InstanceID, j.StartedAt, j.FinishedAt})
	}
	for _, one := range f.Instances() {
		for _, a := range f.Apps(one.ID) {
			for _, b := range a.Builds {
				all = append(all, work{one.ID, b.StartedAt, b.FinishedAt})
			}
		}
	}
	return all
}
