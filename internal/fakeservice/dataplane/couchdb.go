package dataplane

import (
	"context"
	"net/netip"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/couchdb"
)

// applyCouchDB brings the machine's CouchDB to its desired state. Without Node.js or the
// npm packages, the engine is only a record. The caller must hold the turn.
func (p *Plane) applyCouchDB(ctx context.Context, m *machine, wanted core.DesiredMachine, allowlist []netip.Prefix) error {
	const name = core.EngineCouchDB
	if p.couchdb.Node == "" {
		return nil
	}
	settings := couchdb.Settings{Password: wanted.Credentials.CouchDB, MemoryMB: wanted.Engines[name].MemoryMB, Allowlist: allowlist}
	return applyServer(ctx, p, m, wanted, name, settings, func(certificate, key string) (server[couchdb.Settings], error) {
		run, err := p.sandboxed(m, name)
		if err != nil {
			return nil, err
		}
		return couchdb.Open(ctx, couchdb.Options{
			Program: p.couchdb, Folder: p.dataOf(m.id, name), Run: run, Public: p.public, Host: m.inside, Port: m.ports[name], Settings: settings,
			Certificate: certificate, Key: key, Sandbox: p.sandbox, Logger: p.log,
			Notify: func(e couchdb.Event) { p.controlPlane.Emit(e.Kind, m.id, map[string]any{"database": e.Database}) },
		})
	})
}
