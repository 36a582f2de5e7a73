package postgres

// Ports that the service serves: direct for sessions, pooled for ordinary
// transactions.
const (
	DirectPort = 5432
	PooledPort = 6432
)
