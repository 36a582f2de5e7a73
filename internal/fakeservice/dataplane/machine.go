package dataplane

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/authengine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/couchdb"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/nats"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/redis"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// machine is the running part of one instance.
type machine struct {
	id string
	// turn is held by a call that changes the machine.
	turn chan struct{}
	// noting is held by a call that writes the machine's record.
	noting sync.Mutex

	// inside is the machine's own loopback address, at which programs on the machine
	// reach the engines. It never changes.
	inside string

	// The Plane's lock guards the following fields. They only change during a turn.
	endpoints core.Endpoints
	// servers has the running engines with data of their own, by name.
	servers map[string]engine
	auth    *authengine.Engine
	// postgresPorts and the following are the current or previous ports of the engines. ports
	// has those of the engines with one. authPort is set from the engine's start until its
	// accounts are deleted.
	postgresPorts postgres.Ports
	ports         map[string]int
	authPort      int
	// data has the engines that have data in the Plane's folder, running or not.
	data map[string]bool
	// leaving is set while the machine is being removed.
	leaving, removed bool
}

func (p *Plane) newMachine(id, inside string) *machine {
	return &machine{
		id: id, turn: make(chan struct{}, 1), inside: inside, endpoints: core.Endpoints{Host: p.public.Name(inside)},
		servers: map[string]engine{}, ports: map[string]int{}, data: map[string]bool{},
	}
}

// machine returns a machine, or nil.
func (p *Plane) machine(id string) *machine {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.machines[id]
}

// addMachine makes a machine unless it exists.
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
	m := p.newMachine(id, loopback.Address(ctx, postgres.DirectPort, postgres.PooledPort, redis.Port, nats.Port, couchdb.Port))
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

// enter waits for the turn at a machine.
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

// enterByID waits for the turn at an existing machine.
func (p *Plane) enterByID(ctx context.Context, id string) (*machine, func(), error) {
	m := p.machine(id)
	if m == nil {
		return nil, nil, errGone(id)
	}
	leave, err := p.enter(ctx, m)
	return m, leave, err
}

// enterWanted waits for the turn at an existing machine and then asks for its desired
// state, which may change during the turns of other calls.
func (p *Plane) enterWanted(ctx context.Context, id string) (*machine, core.DesiredMachine, func(), error) {
	m, leave, err := p.enterByID(ctx, id)
	if err != nil {
		return nil, core.DesiredMachine{}, nil, err
	}
	entered := false
	defer func() {
		if !entered {
			leave()
		}
	}()
	wanted, err := p.controlPlane.DesiredMachine(id)
	if err != nil {
		return nil, core.DesiredMachine{}, nil, errGone(id)
	}
	entered = true
	return m, wanted, leave, nil
}

func errGone(id string) error {
	return &core.Failure{Code: "machine_gone", Detail: fmt.Sprintf("the machine of the instance %s is not there any more", id)}
}

// Apply brings the machine to its desired state.
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

// apply brings the machine to its desired state. The caller must hold the turn.
func (p *Plane) apply(ctx context.Context, m *machine, wanted core.DesiredMachine) error {
	// The auth engine and the apps need the engines before them.
	for _, apply := range []func(context.Context, *machine, core.DesiredMachine) error{p.applyEngines, p.applyAuth, p.applyApps} {
		if err := apply(ctx, m, wanted); err != nil {
			return errors.Join(failure(err), p.note(m))
		}
	}
	return p.note(m)
}

// Remove removes the machine with its data and its backups.
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
	// Anything without a record is deleted at the next start at the latest.
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

// removeAll removes everything of a machine, in the reverse order of its creation. The
// caller must hold the turn.
func (p *Plane) removeAll(m *machine) error {
	err := errors.Join(p.removeApps(m), p.removeAuth(m))
	for _, engine := range []string{core.EngineCouchDB, core.EngineNATS, core.EngineRedis, core.EnginePostgres} {
		err = errors.Join(err, p.removeServer(m, engine))
	}
	return errors.Join(err, workdir.Discard(p.backupsOf(m.id)))
}

// Restart restarts an engine. It does nothing for an engine that is only a record.
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

// replaced is called after an engine was stopped and started, with the resulting error.
func (p *Plane) replaced(ctx context.Context, m *machine, wanted core.DesiredMachine, e namedEngine, err error) error {
	if err != nil || e.name != core.EnginePostgres {
		return failure(err)
	}
	return p.reconnect(ctx, m, wanted)
}

// reconnect updates the programs that use Postgres, because its inside port may have
// changed with a restart.
func (p *Plane) reconnect(ctx context.Context, m *machine, wanted core.DesiredMachine) error {
	return errors.Join(p.applyAuth(ctx, m, wanted), p.applyApps(ctx, m, wanted), p.note(m))
}

// Reset empties an engine, or all of them if engine is "".
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
	// The accounts are in Postgres, so they are deleted with its data.
	if m.auth != nil && (emptied(core.EngineAuth) || emptied(core.EnginePostgres)) {
		return failure(m.auth.Reset(ctx))
	}
	return nil
}

// backupsOf returns the folder of a machine's backups.
func (p *Plane) backupsOf(instanceID string) string {
	return filepath.Join(p.folder, backupsFolder, instanceID)
}
