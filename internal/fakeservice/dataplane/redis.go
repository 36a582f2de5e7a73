package dataplane

import (
	"context"
	"net/netip"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/redis"
)

// applyRedis brings the machine's Redis to its desired state. Without a redis-server, the
// engine is only a record. The caller must hold the turn.
func (p *Plane) applyRedis(ctx context.Context, m *machine, wanted core.DesiredMachine, allowlist []netip.Prefix) error {
	const name = core.EngineRedis
	if p.redis.Path == "" {
		return nil
	}
	settings := redis.Settings{Password: wanted.Credentials.Redis, MemoryMB: wanted.Engines[name].MemoryMB, Allowlist: allowlist}
	return applyServer(ctx, p, m, wanted, name, settings, func(certificate, key string) (server[redis.Settings], error) {
		run, err := p.sandboxed(m, name)
		if err != nil {
			return nil, err
		}
		return redis.Open(ctx, redis.Options{
			Program: p.redis, Folder: p.dataOf(m.id, name), Run: run, Public: p.public, Host: m.inside, Port: m.ports[name], Settings: settings,
			Certificate: certificate, Key: key, Sandbox: p.sandbox, Logger: p.log,
		})
	})
}
