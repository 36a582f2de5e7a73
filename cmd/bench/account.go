package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/cmd/bench/usage"
)

// account measures the cost of a large account in the client only.
func (b *bench) account() (t *table, err error) {
	const n = 10_000
	t = &table{
		Name: "account", Title: fmt.Sprintf("the client alone in an account of %d instances, pages of 200", n),
		Columns: []column{{Name: "what"}, {Name: "instances"}, {Name: "requests"}, {"wall s", 2}, {"held MiB", 1}},
	}
	b.say("account: preparing %d instances.", n)
	setup, err := setupFor(contents["alone"], n)
	if err != nil {
		return nil, err
	}
	f, err := b.startFake(1, setup)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.stop()) }()
	if err := f.slow(b.ctx, nil); err != nil {
		return nil, err
	}
	b.say("account: reading.")
	began := time.Now()
	command := exec.CommandContext(b.ctx, b.programs.account)
	command.Env = append(inherited(os.Environ()), f.environment()...)
	command.Stderr = os.Stderr
	text, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("the program account: %w", err)
	}
	var phases []struct {
		Name      string        `json:"name"`
		Began     time.Time     `json:"began"`
		Wall      time.Duration `json:"wall_ns"`
		Instances int           `json:"instances"`
		Live      int64         `json:"live_bytes"`
	}
	if err := json.Unmarshal(text, &phases); err != nil {
		return nil, err
	}
	sent, err := f.requests(b.ctx, began)
	if err != nil {
		return nil, err
	}
	for _, p := range phases {
		requests := 0
		for _, r := range sent {
			if !r.RealAt.Before(p.Began) && r.RealAt.Before(p.Began.Add(p.Wall)) {
				requests++
			}
		}
		t.add(p.Name, p.Instances, requests, seconds(p.Wall), mebibytes(p.Live))
	}
	took := usage.Of(command.ProcessState)
	t.note("All of it took %.2f s of CPU and %.0f MiB at most. Held is what the client and what it gave hold afterwards; lookups are ten at once, each phase by a client that had read nothing.", took.CPU.Seconds(), mebibytes(took.Peak))
	return t, nil
}
