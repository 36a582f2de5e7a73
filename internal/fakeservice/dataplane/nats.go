package dataplane

import (
	"context"
	"path/filepath"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/nats"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// applyNATS brings the machine's NATS to its desired state. The caller must hold the
// turn.
func (p *Plane) applyNATS(ctx context.Context, m *machine, wanted core.DesiredMachine) error {
	if !wanted.HasEngine(core.EngineNATS) {
		return p.removeNATS(m)
	}
	allowlist, err := allowlistOf(wanted)
	if err != nil {
		return err
	}
	settings := nats.Settings{
		Password: wanted.Credentials.NATS, MemoryMB: wanted.Engines[core.EngineNATS].MemoryMB,
		DiskGB: wanted.Limits.DiskGB, Allowlist: allowlist,
	}
	if m.nats != nil {
		return m.nats.Configure(ctx, settings)
	}
	options := nats.Options{
		Folder: p.natsOf(m.id), Public: p.public, Host: m.inside, Port: m.natsPort, Settings: settings, Logger: p.log,
		Notify: func(e nats.Event) { p.controlPlane.Emit(e.Kind, m.id, map[string]any{"stream": e.Stream}) },
	}
	if options.Certificate, options.Key, err = p.certificate(m, wanted); err != nil {
		return err
	}
	server, err := nats.Open(ctx, options)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m.data[core.EngineNATS] = true
	m.nats, m.natsPort, m.endpoints.NATSPort = server, server.Port(), server.Port()
	return nil
}

// removeNATS removes NATS with its streams, even if it does not run. The caller must hold
// the turn.
func (p *Plane) removeNATS(m *machine) error {
	if err := p.forgetData(m, core.EngineNATS); err != nil {
		return err
	}
	server := m.nats
	p.mu.Lock()
	m.nats, m.endpoints.NATSPort = nil, 0
	p.mu.Unlock()
	if server == nil {
		return workdir.Discard(p.natsOf(m.id))
	}
	return server.Remove()
}

// natsOf returns the folder of a machine's NATS.
func (p *Plane) natsOf(instanceID string) string {
	return filepath.Join(p.folder, natsFolder, instanceID)
}
