package dataplane

import (
	"context"
	"os"
	"path/filepath"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/couchdb"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// applyCouchDB brings the machine's CouchDB to its desired state. Without Node.js or the
// npm packages, the engine is only a record. The caller must hold the turn.
func (p *Plane) applyCouchDB(ctx context.Context, m *machine, wanted core.DesiredMachine) error {
	if !wanted.HasEngine(core.EngineCouchDB) {
		return p.removeCouchDB(m)
	}
	if p.couchdb.Node == "" {
		return nil
	}
	allowlist, err := allowlistOf(wanted)
	if err != nil {
		return err
	}
	settings := couchdb.Settings{
		Password: wanted.Credentials.CouchDB, MemoryMB: wanted.Engines[core.EngineCouchDB].MemoryMB, Allowlist: allowlist,
	}
	if m.couchdb != nil {
		return m.couchdb.Configure(ctx, settings)
	}
	options := couchdb.Options{
		Program: p.couchdb, Folder: p.couchdbOf(m.id), Public: p.public, Host: m.inside, Port: m.couchdbPort, Settings: settings,
		Sandbox: p.sandbox, Logger: p.log,
		Notify: func(e couchdb.Event) { p.controlPlane.Emit(e.Kind, m.id, map[string]any{"database": e.Database}) },
	}
	if p.stays {
		options.Run = filepath.Join(p.sockets.Path(), couchdbFolder+"-"+m.id)
	}
	// CouchDB runs as a different user and needs access to its folder.
	if err := os.MkdirAll(filepath.Dir(options.Folder), workdir.Passable()); err != nil {
		return err
	}
	if options.Certificate, options.Key, err = p.certificate(m, wanted); err != nil {
		return err
	}
	server, err := couchdb.Open(ctx, options)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m.data[core.EngineCouchDB] = true
	m.couchdb, m.couchdbPort, m.endpoints.CouchDBPort = server, server.Port(), server.Port()
	return nil
}

// removeCouchDB removes CouchDB with its data, even if it does not run. The caller must hold
// the turn.
func (p *Plane) removeCouchDB(m *machine) error {
	if err := p.forgetData(m, core.EngineCouchDB); err != nil {
		return err
	}
	server := m.couchdb
	p.mu.Lock()
	m.couchdb, m.endpoints.CouchDBPort = nil, 0
	p.mu.Unlock()
	if server == nil {
		return workdir.Discard(p.couchdbOf(m.id))
	}
	return server.Remove()
}

// couchdbOf returns the folder of a machine's CouchDB.
func (p *Plane) couchdbOf(instanceID string) string {
	return filepath.Join(p.folder, couchdbFolder, instanceID)
}
