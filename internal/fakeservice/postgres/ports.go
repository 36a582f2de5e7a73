package postgres

// The service's standard ports: direct for sessions, pooled for ordinary transactions.
const (
	DirectPort = 5432
	PooledPort = 6432
)
