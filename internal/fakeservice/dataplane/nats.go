package dataplane

import (
	"context"
	"net/netip"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/nats"
)

// applyNATS brings the machine's NATS to its desired state. The caller must hold the turn.
func (p *Plane) applyNATS(ctx context.Context, m *machine, wanted core.DesiredMachine, allowlist []netip.Prefix) error {
	const name = core.EngineNATS
	settings := nats.Settings{Password: wanted.Credentials.NATS, MemoryMB: wanted.Engines[name].MemoryMB, DiskGB: wanted.Limits.DiskGB, Allowlist: allowlist}
	return applyServer(ctx, p, m, wanted, name, settings, func(certificate, key string) (server[nats.Settings], error) {
		return nats.Open(ctx, nats.Options{
			Folder: p.dataOf(m.id, name), Public: p.public, Host: m.inside, Port: m.ports[name], Settings: settings,
			Certificate: certificate, Key: key, Logger: p.log,
			Notify: func(e nats.Event) { p.controlPlane.Emit(e.Kind, m.id, map[string]any{"stream": e.Stream}) },
		})
	})
}
