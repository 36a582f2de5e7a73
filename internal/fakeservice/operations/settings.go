package operations

import (
	"context"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

func setEngines(_ context.Context, s Service, in struct {
	onInstance
	Engines map[string]core.EngineBudget `json:"engines" jsonschema:"every engine that is to be on, by name: postgres, redis, couchdb, nats, apps, auth"`
}) (core.Accepted, error) {
	return s.SetEngines(in.InstanceID, in.Engines)
}

func restartEngine(_ context.Context, s Service, in struct {
	onInstance
	Engine string `json:"engine" jsonschema:"the name of the engine"`
}) (core.Accepted, error) {
	return s.RestartEngine(in.InstanceID, in.Engine)
}

func setAllowlist(_ context.Context, s Service, in struct {
	onInstance
	Allowlist []string `json:"allowlist" jsonschema:"addresses and CIDR blocks that may connect"`
}) (core.Accepted, error) {
	return s.SetAllowlist(in.InstanceID, in.Allowlist)
}

// consoleModes maps the words that a caller may use to the modes of the service.
var consoleModes = map[string]string{"off": "off", "read-only": "ro", "read-write": "rw", "ro": "ro", "rw": "rw"}

func setConsole(_ context.Context, s Service, in struct {
	onInstance
	Mode string `json:"mode" jsonschema:"off, read-only (ro) or read-write (rw)"`
}) (core.Accepted, error) {
	return s.SetConsole(in.InstanceID, consoleModes[in.Mode])
}

func updateAuthSettings(_ context.Context, s Service, in struct {
	onInstance
	core.AuthSettingsChange
}) (core.Accepted, error) {
	return s.UpdateAuthSettings(in.InstanceID, in.AuthSettingsChange)
}
