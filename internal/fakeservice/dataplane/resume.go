package dataplane

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/appruntime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
)

// resumedAtOnce is the number of machines that start concurrently.
const resumedAtOnce = 4

// Resume restarts the kept machines that are listed, and removes the other kept ones.
func (p *Plane) Resume(ctx context.Context, instanceIDs []string) (err error) {
	defer rescue.Error(p.log, "run the machines again", &err)
	p.mu.Lock()
	kept := maps.Clone(p.kept)
	p.mu.Unlock()
	var mu sync.Mutex
	var errs []error
	failed := func(id string, err error) {
		if err == nil {
			return
		}
		p.log.Error("a machine does not run again", "instance", id, "error", err)
		mu.Lock()
		defer mu.Unlock()
		errs = append(errs, fmt.Errorf("instance %s: %w", id, err))
	}
	listed := map[string]keptMachine{}
	for id, r := range kept {
		if !slices.Contains(instanceIDs, id) {
			// A reset or a restore of a snapshot that was cut off leaves such a machine. So does
			// an older records.db.
			p.log.Warn("the records have no such instance, so its machine is removed with its data", "instance", id)
			failed(id, p.forget(id))
			continue
		}
		listed[id] = r
		p.mu.Lock()
		delete(p.kept, id)
		m := p.newMachine(id, r.Inside)
		m.postgresPorts, m.authPort = r.Ports, r.AuthPort
		m.ports[core.EngineRedis], m.ports[core.EngineNATS], m.ports[core.EngineCouchDB] = r.RedisPort, r.NATSPort, r.CouchDBPort
		for engine := range dataFolders {
			if p.hasData(id, engine) {
				m.data[engine] = true
			}
		}
		p.machines[id] = m
		p.mu.Unlock()
	}
	slots := make(chan struct{}, resumedAtOnce)
	var starting sync.WaitGroup
	for id, r := range listed {
		starting.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			failed(id, p.resume(ctx, id, r))
		})
	}
	starting.Wait()
	return errors.Join(errs...)
}

// resume restarts a machine.
func (p *Plane) resume(ctx context.Context, id string, r keptMachine) (err error) {
	defer rescue.Error(p.log, "run a machine again", &err)
	m, leave, err := p.enterByID(ctx, id)
	if err != nil {
		return err
	}
	defer leave()
	wanted, wantedErr := p.controlPlane.DesiredMachine(id)
	// Even if other steps fail, reopen registers the apps and builds, so that they can be
	// removed.
	reopened := p.reopen(m, r)
	if wantedErr != nil {
		return errors.Join(wantedErr, reopened)
	}
	for name := range r.unwanted(wanted) {
		reopened = errors.Join(reopened, p.removeApp(m, name))
	}
	err = p.apply(ctx, m, wanted)
	if err != nil {
		p.tellAppsFailed(m, wanted, err)
	}
	return errors.Join(err, reopened)
}

// reopen registers the kept apps and builds. It starts nothing.
func (p *Plane) reopen(m *machine, r keptMachine) error {
	var errs []error
	for name, k := range r.Apps {
		if _, err := p.apps.Reopen(appruntime.Name{Instance: m.id, App: name}, k); err != nil {
			errs = append(errs, fmt.Errorf("the app %s: %w", name, err))
			p.tellAppFailed(m.id, name, err)
		}
	}
	for _, b := range r.Builds {
		if r.deploys(b.Folder) {
			continue
		}
		built, err := p.apps.OpenBuild(b.KeptBuild)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.mu.Lock()
		p.builds[buildKey{m.id, b.App, b.ID}] = built
		p.mu.Unlock()
	}
	return errors.Join(errs...)
}

// tellAppsFailed reports that the apps do not run because an engine that they need does
// not. It skips apps that were started anyway, which report their status themselves.
func (p *Plane) tellAppsFailed(m *machine, wanted core.DesiredMachine, why error) {
	for _, a := range wanted.Apps {
		running := p.apps.Find(appruntime.Name{Instance: m.id, App: a.Name})
		if running != nil && running.Deployed() && !running.Begun() {
			p.tellAppFailed(m.id, a.Name, why)
		}
	}
}

func (p *Plane) tellAppFailed(instanceID, name string, why error) {
	defer rescue.Log(p.log, "tell how an app does")
	p.controlPlane.AppFailed(instanceID, name, core.AppFailure{Exited: true, Log: why.Error()})
}
