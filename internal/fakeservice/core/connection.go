package core

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
)

// Ports of Postgres: direct for sessions, pooled for ordinary transactions. A data plane
// uses other ports if these are taken.
const (
	directPort = 5432
	pooledPort = 6432
)

// Ports of the other engines, unless a data plane had to use a different port.
const (
	redisPort   = 6379
	couchDBPort = 6984
	natsPort    = 4222
)

// ConnectionRecord has the addresses and credentials of an instance. No other record has
// credentials, except that of a new webhook endpoint.
type ConnectionRecord struct {
	Host          string            `json:"host"`
	CACertificate string            `json:"ca_certificate"`
	Engines       ConnectionEngines `json:"engines"`
}

// ConnectionEngines has the engines that are on, except apps, which has no address.
type ConnectionEngines struct {
	Postgres *PostgresConnection `json:"postgres,omitempty"`
	Redis    *URLConnection      `json:"redis,omitempty"`
	CouchDB  *URLConnection      `json:"couchdb,omitempty"`
	NATS     *URLConnection      `json:"nats,omitempty"`
	Auth     *AuthConnection     `json:"auth,omitempty"`
}

// PostgresConnection is the connection record of postgres. The URLs contain passwords.
type PostgresConnection struct {
	OwnerURL    string `json:"owner_url"`
	ReadOnlyURL string `json:"readonly_url"`
	Database    string `json:"database"`
	DirectPort  int    `json:"direct_port"`
	// PooledPort is omitted if there is no pooler.
	PooledPort int `json:"pooled_port,omitempty"`
}

// URLConnection is the connection record of an engine with one URL, which contains a
// password.
type URLConnection struct {
	URL string `json:"url"`
}

// AuthConnection is the connection record of the auth engine. The service key is a
// secret.
type AuthConnection struct {
	URL        string `json:"url"`
	AnonKey    string `json:"anon_key"`
	ServiceKey string `json:"service_key"`
}

// Connection returns the connection record of an instance.
func (s *Service) Connection(ctx context.Context, id string) (ConnectionRecord, error) {
	return lookAt(ctx, s, id, func(st *state, in *instance) (ConnectionRecord, error) {
		switch {
		case in.Status == StatusCreating:
			return ConnectionRecord{}, jobRunning("the instance %q is creating and has no connection record yet", in.ID)
		case in.Host == "":
			return ConnectionRecord{}, notFound("the instance %q never ran and has no connection record", in.ID)
		}
		return ConnectionRecord{in.Host, in.Secrets.CA.Certificate, st.connectionEngines(in)}, nil
	})
}

// connectionEngines returns the records of the engines that are on, with the passwords
// that the machine is about to have: during a rotation, the old ones no longer work.
func (st *state) connectionEngines(in *instance) ConnectionEngines {
	var engines ConnectionEngines
	at, secrets := st.endpoints(in), st.desiredMachine(in).Credentials
	for name := range in.Engines {
		switch name {
		case EnginePostgres:
			engines.Postgres = &PostgresConnection{
				OwnerURL:    postgresURL(in.Host, at.PostgresDirectPort, ownerRole, secrets.PostgresOwner),
				ReadOnlyURL: postgresURL(in.Host, at.PostgresDirectPort, readOnlyRole, secrets.PostgresReadOnly),
				Database:    DefaultDatabase, DirectPort: at.PostgresDirectPort, PooledPort: at.PostgresPooledPort,
			}
		case EngineRedis:
			engines.Redis = &URLConnection{engineURL("rediss", "default", secrets.Redis, in.Host, cmp.Or(at.RedisPort, redisPort))}
		case EngineCouchDB:
			engines.CouchDB = &URLConnection{engineURL("https", "admin", secrets.CouchDB, in.Host, cmp.Or(at.CouchDBPort, couchDBPort))}
		case EngineNATS:
			engines.NATS = &URLConnection{engineURL("tls", "service", secrets.NATS, in.Host, cmp.Or(at.NATSPort, natsPort))}
		case EngineAuth:
			engines.Auth = &AuthConnection{at.AuthURL, secrets.AuthAnonKey, secrets.AuthServiceKey}
		}
	}
	return engines
}

func postgresURL(host string, port int, user, password string) string {
	u := url.URL{
		Scheme:   "postgresql",
		User:     url.UserPassword(user, password),
		Host:     host + ":" + strconv.Itoa(port),
		Path:     "/" + DefaultDatabase,
		RawQuery: "sslmode=verify-full",
	}
	return u.String()
}

func engineURL(scheme, user, password, host string, port int) string {
	u := url.URL{Scheme: scheme, User: url.UserPassword(user, password), Host: host + ":" + strconv.Itoa(port)}
	return u.String()
}
