package main

import (
	"cmp"
	"errors"
	"fmt"
)

// repeatsOf returns the number of runs for a number of resources. Small runs are repeated
// more often, because disturbances have more weight in them.
func repeatsOf(resources int) int {
	switch {
	case resources <= 100:
		return 5
	case resources <= 600:
		return 3
	}
	return 2
}

// A subject is a provider whose plans are measured.
type subject struct {
	name    string
	kind    kind
	program string
	// prior is the state, by module.
	prior state
}

// prepared is a fake with n instances and their contents, and subjects with matching
// states.
type prepared struct {
	configuration
	fake     *fake
	subjects []subject
}

// prepare starts the fake and makes the states. One row is really applied, on a separate
// fake. The others are copies of it, which a refresh then makes correct.
func (b *bench) prepare(members []member, n int, subjects []subject) (*prepared, error) {
	setup, err := setupFor(members, n)
	if err != nil {
		return nil, err
	}
	p := &prepared{configuration: configuration{kind: ofHosting, shape: byModule, members: members, n: n}}
	if p.fake, err = b.startFake(10_000, setup); err != nil {
		return nil, err
	}
	made := map[string]state{} // by program: the same serves several subjects
	for _, s := range subjects {
		source := s.program
		if source == b.programs.reference {
			source = b.programs.provider // it cannot apply, and uses the states of the provider whose floor it is
		}
		prior, ok := made[source]
		if !ok {
			prior, err = b.priorState(p, s.kind, source)
			if err != nil {
				return nil, errors.Join(fmt.Errorf("prepare %d instances for %s: %w", n, s.name, err), p.fake.stop())
			}
			made[source] = prior
		}
		s.prior = prior
		p.subjects = append(p.subjects, s)
	}
	if err := p.fake.slow(b.ctx, nil); err != nil {
		return nil, errors.Join(err, p.fake.stop())
	}
	return p, nil
}

// priorState returns the state of the fake's content, as written by a provider.
func (b *bench) priorState(p *prepared, k kind, program string) (state, error) {
	sample, id, err := b.sampleState(configuration{kind: k, shape: byModule, members: p.members, n: 1}, program)
	if err != nil {
		return state{}, err
	}
	prior, err := sample.spread(id, p.n)
	if err != nil || k == ofData {
		return prior, err
	}
	w, err := b.newWorkspace(program, p.fake.environment())
	if err != nil {
		return state{}, err
	}
	defer w.remove()
	if err := w.configure(p.configuration, &prior); err != nil {
		return state{}, err
	}
	if _, err := w.run(b.ctx, "apply", "-refresh-only", "-auto-approve", "-input=false", "-no-color"); err != nil {
		return state{}, err
	}
	return w.prior()
}

// sampleState applies one row, and returns the id of its instance.
func (b *bench) sampleState(c configuration, program string) (_ state, id string, err error) {
	var setup []byte
	if c.members[0] != theInstance { // another configuration has the instance
		if setup, err = setupFor(contents["alone"], 1); err != nil {
			return state{}, "", err
		}
	}
	f, err := b.startFake(10_000, setup)
	if err != nil {
		return state{}, "", err
	}
	defer func() { err = errors.Join(err, f.stop()) }()
	w, err := b.newWorkspace(program, f.environment())
	if err != nil {
		return state{}, "", err
	}
	defer w.remove()
	if err := w.configure(c, nil); err != nil {
		return state{}, "", err
	}
	if _, err := w.run(b.ctx, "apply", "-auto-approve", "-input=false", "-no-color"); err != nil {
		return state{}, "", err
	}
	sample, err := w.prior()
	if err != nil || c.members[0] != theInstance {
		return sample, idOf(0), err
	}
	id, err = sample.idOfFirst(c.typeAndName(theInstance))
	return sample, id, err
}

// A planned is the cost of one subject's plans, each a series of runs.
type planned struct {
	configuration
	name, content       string
	requests, starts    int
	wall, cli, provider series
	peak                series
}

// plans measures the plans of each subject in turn, so that disturbances of the machine
// affect all of them.
func (b *bench) plans(p *prepared, in shape, content string) (results []*planned, err error) {
	var workspaces []*workspace
	defer func() {
		for _, w := range workspaces {
			w.remove()
		}
	}()
	for _, s := range p.subjects {
		c := p.configuration
		c.kind, c.shape = s.kind, in
		prior, err := s.prior.as(in)
		if err != nil {
			return nil, err
		}
		w, err := b.newWorkspace(s.program, p.fake.environment())
		if err != nil {
			return nil, err
		}
		workspaces = append(workspaces, w)
		if err := w.configure(c, &prior); err != nil {
			return nil, err
		}
		results = append(results, &planned{configuration: c, name: s.name, content: content})
	}
	for range cmp.Or(b.repeats, repeatsOf(p.resources())) {
		for i, w := range workspaces {
			if err := results[i].measure(b, w, p.fake); err != nil {
				return nil, fmt.Errorf("%s, %d instances %s by %s: %w", results[i].name, p.n, content, in, err)
			}
		}
	}
	return results, nil
}

// measure adds one run.
func (r *planned) measure(b *bench, w *workspace, f *fake) error {
	t, err := w.planNothing(b.ctx)
	if err != nil {
		return err
	}
	sent, err := f.requests(b.ctx, t.began)
	if err != nil {
		return err
	}
	r.requests, r.starts = max(r.requests, len(sent)), t.starts
	r.wall = append(r.wall, seconds(t.wall))
	r.cli, r.provider = append(r.cli, milliseconds(t.cli)), append(r.provider, milliseconds(t.provider))
	r.peak = append(r.peak, mebibytes(t.peak))
	return nil
}

// per returns the minimum of a series per resource.
func (r *planned) per(s series) float64 { return s.least() / float64(r.resources()) }

// configure writes a configuration into the workspace, and its state unless that is nil.
func (w *workspace) configure(c configuration, prior *state) error {
	files := c.files()
	if prior != nil {
		text, err := prior.text()
		if err != nil {
			return err
		}
		files["terraform.tfstate"] = text
	}
	if err := w.write(files); err != nil || c.shape != byModule {
		return err
	}
	_, err := w.run(w.bench.ctx, "get")
	return err
}

// prior returns the workspace's state.
func (w *workspace) prior() (state, error) {
	text, err := w.state()
	if err != nil {
		return state{}, err
	}
	return readState(text)
}
