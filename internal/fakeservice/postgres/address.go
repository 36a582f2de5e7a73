package postgres

import (
	"context"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
)

// Ports that the service serves: direct for sessions, pooled for ordinary
// transactions.
const (
	DirectPort = 5432
	PooledPort = 6432
)

// FindAddress finds a loopback address at which both ports are free, so that
// many instances have the service's own ports on one machine.
func FindAddress(ctx context.Context) string { return loopback.Address(ctx, DirectPort, PooledPort) }
