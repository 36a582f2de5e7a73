package dataplane

import (
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/appruntime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// keptMachine is the record of a machine in a kept folder. It has the settings that the
// next run needs in addition to the data. It is replaced as a whole. Anything that it does
// not list is deleted at the next start. So new things are created before they are
// recorded, and removed from the record before they are deleted.
type keptMachine struct {
	// Inside is the loopback address, which never changes.
	Inside string `json:"inside"`
	// The ports are the preferred ones of the next run.
	Ports       postgres.Ports `json:"ports"`
	RedisPort   int            `json:"redis_port,omitempty"`
	NATSPort    int            `json:"nats_port,omitempty"`
	CouchDBPort int            `json:"couchdb_port,omitempty"`
	AuthPort    int            `json:"auth_port,omitempty"`
	// Data has the engines with data, sorted. A start without their data is refused.
	Data []string `json:"data,omitempty"`
	// Apps has the deployed apps, by name.
	Apps map[string]appruntime.Kept `json:"apps,omitempty"`
	// Builds has the builds that have ended and are not deployed.
	Builds []builtRecord `json:"builds,omitempty"`
}

type builtRecord struct {
	App string `json:"app"`
	appruntime.KeptBuild
}

// recordEnding is the suffix of a record's file name.
const recordEnding = ".json"

func (p *Plane) recordOf(instanceID string) string {
	return filepath.Join(p.records, instanceID+recordEnding)
}

// note writes the machine's record, if records are kept.
func (p *Plane) note(m *machine) error {
	if !p.stays {
		return nil
	}
	// The lock ensures that the last record written has the latest state.
	m.noting.Lock()
	defer m.noting.Unlock()
	r := keptMachine{Apps: map[string]appruntime.Kept{}}
	p.mu.Lock()
	leaving := m.leaving
	r.Inside, r.Ports = m.inside, m.postgresPorts
	r.Data = slices.Sorted(maps.Keys(m.data))
	r.RedisPort, r.NATSPort, r.CouchDBPort, r.AuthPort = m.ports[core.EngineRedis], m.ports[core.EngineNATS], m.ports[core.EngineCouchDB], m.authPort
	for key, built := range p.builds {
		if key.instance == m.id {
			r.Builds = append(r.Builds, builtRecord{App: key.app, KeptBuild: built.Kept()})
		}
	}
	p.mu.Unlock()
	if leaving {
		return nil
	}
	for _, name := range p.apps.Apps(m.id) {
		if a := p.apps.Find(name); a != nil {
			r.Apps[name.App] = a.Kept()
		}
	}
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return workdir.WriteFile(p.recordOf(m.id), append(text, '\n'))
}

// forgetData records that an engine has no data any more, before the data is deleted.
func (p *Plane) forgetData(m *machine, engine string) error {
	p.mu.Lock()
	had := m.data[engine]
	delete(m.data, engine)
	p.mu.Unlock()
	if !had {
		return nil
	}
	return p.note(m)
}

// denote deletes the machine's record and prevents new ones.
func (p *Plane) denote(m *machine) error {
	p.setLeaving(m, true)
	if !p.stays {
		return nil
	}
	m.noting.Lock()
	defer m.noting.Unlock()
	return workdir.Discard(p.recordOf(m.id))
}

// noteAgain writes the record of a machine that could not be removed.
func (p *Plane) noteAgain(m *machine) error {
	p.setLeaving(m, false)
	return p.note(m)
}

func (p *Plane) setLeaving(m *machine, leaving bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m.leaving = leaving
}

// forget removes the machine of an earlier run with this id, if there is one.
func (p *Plane) forget(id string) error {
	p.mu.Lock()
	r, there := p.kept[id]
	delete(p.kept, id)
	p.mu.Unlock()
	if !there {
		return nil
	}
	err := workdir.Discard(p.recordOf(id))
	if err != nil {
		return err
	}
	for _, a := range r.Apps {
		err = errors.Join(err, p.apps.Discard(a.Folder))
		if a.Build != nil {
			err = errors.Join(err, p.apps.Discard(a.Build.Folder))
		}
	}
	for _, b := range r.Builds {
		err = errors.Join(err, p.apps.Discard(b.Folder))
	}
	for engine := range dataFolders {
		err = errors.Join(err, workdir.Discard(p.dataOf(id, engine)))
	}
	return errors.Join(err, workdir.Discard(p.backupsOf(id)))
}

// deploys reports whether the build in a folder is deployed according to the record.
func (r keptMachine) deploys(folder string) bool {
	for _, a := range r.Apps {
		if a.Build != nil && a.Build.Folder == folder {
			return true
		}
	}
	return false
}

// unwanted returns the names of the recorded apps that the machine should no longer have.
func (r keptMachine) unwanted(wanted core.DesiredMachine) map[string]bool {
	names := map[string]bool{}
	for name := range r.Apps {
		names[name] = true
	}
	for _, b := range r.Builds {
		names[b.App] = true
	}
	if wanted.HasEngine(core.EngineApps) {
		for _, a := range wanted.Apps {
			delete(names, a.Name)
		}
	}
	return names
}
