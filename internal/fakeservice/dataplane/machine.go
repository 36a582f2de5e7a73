package dataplane

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/authengine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/nats"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/redis"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/scratch"
)

// machine is what runs of one instance.
type machine struct {
	id string
	// turn is held by whoever changes the machine.
	turn chan struct{}
	// noting is held by whoever writes down how the machine is.
	noting sync.Mutex

	// inside is the machine's own loopback address, by which what runs on it finds
	// the rest. It never changes.
	inside string

	// What follows is guarded by the Plane's lock, and changed with the turn.
	endpoints core.Endpoints
	postgres  *postgres.Cluster
	redis     *redis.Server
	nats      *nats.Server
	auth      *authengine.Engine
	// ports, redisPort, natsPort and authPort are where the engines are, or were in an
	// earlier run. An authPort is there from the engine's start until its accounts are
	// gone.
	ports                         postgres.Ports
	redisPort, natsPort, authPort int
	// leaving is set while the machine is being removed.
	leaving, removed bool
}

func (p *Plane) newMachine(id, inside string) *machine {
	return &machine{id: id, turn: make(chan struct{}, 1), inside: inside, endpoints: core.Endpoints{Host: p.outside.Name(inside)}}
}

// machine returns a machine, or nil.
func (p *Plane) machine(id string) *machine {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.machines[id]
}

// addMachine makes a machine if there is none.
func (p *Plane) addMachine(ctx context.Context, id string) error {
	if p.machine(id) != nil {
		return nil
	}
	p.adding.Lock()
	defer p.adding.Unlock()
	if p.machine(id) != nil {
		return nil
	}
	if err := p.forget(id); err != nil {
		return err
	}
	m := p.newMachine(id, loopback.Address(ctx, postgres.DirectPort, postgres.PooledPort, redis.Port, nats.Port))
	if err := p.note(m); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed
	}
	p.machines[id] = m
	return nil
}

// enter takes the turn at a machine, when its present holder leaves.
func (p *Plane) enter(ctx context.Context, m *machine) (leave func(), err error) {
	select {
	case m.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.life.Done():
		return nil, errClosed
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.removed || p.closed {
		<-m.turn
		return nil, errGone(m.id)
	}
	return func() { <-m.turn }, nil
}

// enterByID takes the turn at a machine that is there.
func (p *Plane) enterByID(ctx context.Context, id string) (*machine, func(), error) {
	m := p.machine(id)
	if m == nil {
		return nil, nil, errGone(id)
	}
	leave, err := p.enter(ctx, m)
	return m, leave, err
}

// enterWanted takes the turn at a machine that is there, and then asks how it is to be:
// while others had their turn, that may have changed.
func (p *Plane) enterWanted(ctx context.Context, id string) (*machine, core.Machine, func(), error) {
	m, leave, err := p.enterByID(ctx, id)
	if err != nil {
		return nil, core.Machine{}, nil, err
	}
	entered := false
	defer func() {
		if !entered {
			leave()
		}
	}()
	wanted, err := p.controlPlane.Machine(id)
	if err != nil {
		return nil, core.Machine{}, nil, errGone(id)
	}
	entered = true
	return m, wanted, leave, nil
}

func errGone(id string) error {
	return &core.Failure{Code: "machine_gone", Detail: fmt.Sprintf("the machine of the instance %s is not there any more", id)}
}

// Apply makes the machine so.
func (p *Plane) Apply(ctx context.Context, instanceID string) (err error) {
	defer rescue.Error(p.log, "change a machine", &err)
	if err := p.addMachine(ctx, instanceID); err != nil {
		return err
	}
	m, wanted, leave, err := p.enterWanted(ctx, instanceID)
	if err != nil {
		return err
	}
	defer leave()
	return p.apply(ctx, m, wanted)
}

// apply makes the machine so. The turn is held.
func (p *Plane) apply(ctx context.Context, m *machine, wanted core.Machine) error {
	// Auth comes after what it needs, and what an app uses before the app.
	for _, apply := range []func(context.Context, *machine, core.Machine) error{
		p.applyPostgres, p.applyRedis, p.applyNATS, p.applyAuth, p.applyApps,
	} {
		if err := apply(ctx, m, wanted); err != nil {
			return errors.Join(failure(err), p.note(m))
		}
	}
	return p.note(m)
}

// Remove takes the machine away with its data and its backups.
func (p *Plane) Remove(ctx context.Context, instanceID string) (err error) {
	defer rescue.Error(p.log, "remove a machine", &err)
	m := p.machine(instanceID)
	if m == nil {
		return nil
	}
	leave, err := p.enter(ctx, m)
	if err != nil {
		return err
	}
	defer leave()
	// What is not noted goes with the next start at the latest.
	if err := p.denote(m); err != nil {
		return err
	}
	if err := p.removeAll(m); err != nil {
		return errors.Join(err, p.noteAgain(m))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m.removed = true
	delete(p.machines, instanceID)
	return nil
}

// removeAll takes away all that a machine has, in the reverse order of its making. The turn
// is held.
func (p *Plane) removeAll(m *machine) error {
	return errors.Join(p.removeApps(m), p.removeAuth(m), p.removeNATS(m), p.removeRedis(m), p.removePostgres(m), scratch.Discard(p.backupsOf(m.id)))
}

// Restart restarts an engine. Those that do not run for real take no notice.
func (p *Plane) Restart(ctx context.Context, instanceID, engine string) (err error) {
	defer rescue.Error(p.log, "restart an engine", &err)
	m, wanted, leave, err := p.enterWanted(ctx, instanceID)
	if err != nil {
		return err
	}
	defer leave()
	switch {
	case engine == core.EngineAuth && m.auth != nil:
		return failure(m.auth.Restart(ctx))
	case engine == core.EngineApps:
		return errors.Join(p.restartApps(ctx, m, wanted), p.note(m))
	}
	for _, e := range m.engines() {
		if e.name == engine {
			return p.replaced(ctx, m, wanted, e, e.Restart(ctx))
		}
	}
	return nil
}

// replaced is called after an engine was stopped and started again, with the error of that.
func (p *Plane) replaced(ctx context.Context, m *machine, wanted core.Machine, e namedEngine, err error) error {
	if err != nil || e.name != core.EnginePostgres {
		return failure(err)
	}
	return p.reconnect(ctx, m, wanted)
}

// reconnect tells what uses Postgres where it is now: its inside port may be
// another one after a restart.
func (p *Plane) reconnect(ctx context.Context, m *machine, wanted core.Machine) error {
	return errors.Join(p.applyAuth(ctx, m, wanted), p.applyApps(ctx, m, wanted), p.note(m))
}

// Reset empties an engine, or all of them when none is named.
func (p *Plane) Reset(ctx context.Context, instanceID, engine string) (err error) {
	defer rescue.Error(p.log, "reset a machine", &err)
	m, wanted, leave, err := p.enterWanted(ctx, instanceID)
	if err != nil {
		return err
	}
	defer leave()
	emptied := func(name string) bool { return engine == "" || engine == name }
	if emptied(core.EngineApps) {
		if err := p.resetApps(ctx, m, wanted); err != nil {
			return err
		}
	}
	for _, e := range m.engines() {
		if !emptied(e.name) {
			continue
		}
		if err := p.replaced(ctx, m, wanted, e, e.Reset(ctx)); err != nil {
			return err
		}
	}
	// Accounts are in Postgres, so they go with it.
	if m.auth != nil && (emptied(core.EngineAuth) || emptied(core.EnginePostgres)) {
		return failure(m.auth.Reset(ctx))
	}
	return nil
}

// backupsOf is the folder of a machine's backups.
func (p *Plane) backupsOf(instanceID string) string {
	return filepath.Join(p.folder, "backups", instanceID)
}
