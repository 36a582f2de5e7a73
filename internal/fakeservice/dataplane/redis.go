package dataplane

import (
	"context"
	"os"
	"path/filepath"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/redis"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// applyRedis brings the machine's Redis to its desired state. Without a redis-server, the
// engine is only a record. The caller must hold the turn.
func (p *Plane) applyRedis(ctx context.Context, m *machine, wanted core.DesiredMachine) error {
	if !wanted.HasEngine(core.EngineRedis) {
		return p.removeRedis(m)
	}
	if p.redis.Path == "" {
		return nil
	}
	allowlist, err := allowlistOf(wanted)
	if err != nil {
		return err
	}
	settings := redis.Settings{
		Password: wanted.Credentials.Redis, MemoryMB: wanted.Engines[core.EngineRedis].MemoryMB, Allowlist: allowlist,
	}
	if m.redis != nil {
		return m.redis.Configure(ctx, settings)
	}
	options := redis.Options{
		Program: p.redis, Folder: p.redisOf(m.id), Public: p.public, Host: m.inside, Port: m.redisPort, Settings: settings,
		Sandbox: p.sandbox, Logger: p.log,
	}
	if p.stays {
		options.Run = filepath.Join(p.sockets.Path(), redisFolder+"-"+m.id)
	}
	// Redis runs as a different user and needs access to its folder.
	if err := os.MkdirAll(filepath.Dir(options.Folder), workdir.Passable()); err != nil {
		return err
	}
	if options.Certificate, options.Key, err = p.certificate(m, wanted); err != nil {
		return err
	}
	server, err := redis.Open(ctx, options)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m.data[core.EngineRedis] = true
	m.redis, m.redisPort, m.endpoints.RedisPort = server, server.Port(), server.Port()
	return nil
}

// removeRedis removes Redis with its data, even if it does not run. The caller must hold
// the turn.
func (p *Plane) removeRedis(m *machine) error {
	if err := p.forgetData(m, core.EngineRedis); err != nil {
		return err
	}
	server := m.redis
	p.mu.Lock()
	m.redis, m.endpoints.RedisPort = nil, 0
	p.mu.Unlock()
	if server == nil {
		return workdir.Discard(p.redisOf(m.id))
	}
	return server.Remove()
}

// redisOf returns the folder of a machine's Redis.
func (p *Plane) redisOf(instanceID string) string {
	return filepath.Join(p.folder, redisFolder, instanceID)
}
