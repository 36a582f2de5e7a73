package client

import (
	"context"
	"errors"
	"net/http"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// A Connection contains the addresses and credentials of an instance's engines
// (SERVICE.md#connections). URLs with a password and the service key are secrets. After
// reading a Connection, the client hides them in its logs and errors.
type Connection struct {
	Host          string            `json:"host"`
	CACertificate string            `json:"ca_certificate"` // PEM of the box CA
	Engines       ConnectionEngines `json:"engines"`
}

// ConnectionEngines has a record for each engine that is on.
type ConnectionEngines struct {
	Postgres *PostgresConnection `json:"postgres"`
	Redis    *URLConnection      `json:"redis"`
	CouchDB  *URLConnection      `json:"couchdb"`
	NATS     *URLConnection      `json:"nats"`
	Auth     *AuthConnection     `json:"auth"`
}

// A PostgresConnection describes how to connect to the postgres engine.
type PostgresConnection struct {
	OwnerURL    string `json:"owner_url"`    // secret
	ReadOnlyURL string `json:"readonly_url"` // secret
	Database    string `json:"database"`
	DirectPort  Whole  `json:"direct_port"`
	PooledPort  Whole  `json:"pooled_port"` // 0 if there is no pooler
}

// A URLConnection describes how to connect to redis, couchdb or nats.
type URLConnection struct {
	URL string `json:"url"` // secret
}

// An AuthConnection describes how to connect to the auth engine.
type AuthConnection struct {
	URL        string `json:"url"`         // ends in /auth/v1
	AnonKey    string `json:"anon_key"`    // browser-safe
	ServiceKey string `json:"service_key"` // secret
}

// Connection reads the connection record of an instance.
func (c *Client) Connection(ctx context.Context, instanceID string) (Connection, error) {
	connection, err := get[Connection](ctx, c, "instances", instanceID, "connection")
	if err == nil && connection == (Connection{}) {
		err = c.sender.Foreign(transport.Request{Method: http.MethodGet, Path: []string{"instances", instanceID, "connection"}}, "the answer is not a connection record")
	}
	if err != nil {
		return Connection{}, err
	}
	for _, secret := range connection.secretURLs() {
		c.secrets.AddURL(secret)
	}
	if auth := connection.Engines.Auth; auth != nil {
		c.secrets.Add(auth.ServiceKey)
	}
	return connection, nil
}

// CompleteConnection reads the connection record of an instance that has run, until the record
// is complete or reads can no longer lag. A refusal because the instance is being created
// comes from a lagging replica, so the read is repeated.
func (c *Client) CompleteConnection(ctx context.Context, id string, complete func(Connection) bool) (Connection, error) {
	var refusal error
	record, err := ReadBack(ctx, c, func(ctx context.Context) (Connection, error) {
		record, err := c.Connection(ctx, id)
		if refusal = nil; errors.Is(err, ErrJobRunning) {
			refusal, err = err, nil
		}
		return record, err
	}, func(record Connection) bool { return refusal == nil && complete(record) })
	if err == nil {
		err = refusal
	}
	return record, err
}

// Lists reports whether the connection record has each of the given engines that it can
// describe.
func (c Connection) Lists(engines Engines) bool {
	for name, listed := range map[string]bool{
		"postgres": c.Engines.Postgres != nil, "redis": c.Engines.Redis != nil, "couchdb": c.Engines.CouchDB != nil,
		"nats": c.Engines.NATS != nil, "auth": c.Engines.Auth != nil,
	} {
		if _, on := engines[name]; on && !listed {
			return false
		}
	}
	return true
}

func (c Connection) secretURLs() []string {
	var urls []string
	if p := c.Engines.Postgres; p != nil {
		urls = append(urls, p.OwnerURL, p.ReadOnlyURL)
	}
	for _, engine := range []*URLConnection{c.Engines.Redis, c.Engines.CouchDB, c.Engines.NATS} {
		if engine != nil {
			urls = append(urls, engine.URL)
		}
	}
	return urls
}
