package fakeservice

import (
	"net/http"
	"net/url"
	"strconv"
)

// Ports of Postgres: direct for sessions, pooled for ordinary transactions.
const (
	directPort = 5432
	pooledPort = 6432
)

// getConnection answers the connection record: the one answer, besides that of
// a new webhook endpoint, that holds secrets.
func (st *state) getConnection(c *call) response {
	in, err := st.lookup(c)
	if err != nil {
		return fail(err)
	}
	switch {
	case in.Status == StatusCreating:
		return fail(jobRunning("the instance %q is creating and has no connection record yet", in.ID))
	case in.Host == "":
		return fail(notFound("the instance %q never ran and has no connection record", in.ID))
	}
	ca, err := in.secrets.authority(in.ID, in.CreatedAt)
	if err != nil {
		return fail(err)
	}
	engines := map[string]any{}
	for name := range in.Engines {
		if view := connectionOf(in, name); view != nil {
			engines[name] = view
		}
	}
	return answer(http.StatusOK, map[string]any{"host": in.Host, "ca_certificate": ca.pem, "engines": engines})
}

// connectionOf is an engine's part of the record. The apps engine has none.
func connectionOf(in *instance, engine string) map[string]any {
	s := &in.secrets
	switch engine {
	case enginePostgres:
		return map[string]any{
			"owner_url":    postgresURL(in.Host, "owner", s.owner),
			"readonly_url": postgresURL(in.Host, "readonly", s.readonly),
			"database":     defaultDatabase,
			"direct_port":  directPort,
			"pooled_port":  pooledPort,
		}
	case engineRedis:
		return map[string]any{"url": engineURL("rediss", "default", s.redis, in.Host, 6379)}
	case engineCouchDB:
		return map[string]any{"url": engineURL("https", "admin", s.couchdb, in.Host, 6984)}
	case engineNATS:
		return map[string]any{"url": engineURL("tls", "service", s.nats, in.Host, 4222)}
	case engineAuth:
		return map[string]any{
			"url":         "https://" + in.Host + "/auth/v1",
			"anon_key":    s.anonKey,
			"service_key": s.serviceKey,
		}
	}
	return nil
}

func postgresURL(host, user, password string) string {
	u := url.URL{
		Scheme:   "postgresql",
		User:     url.UserPassword(user, password),
		Host:     host + ":" + strconv.Itoa(directPort),
		Path:     "/" + defaultDatabase,
		RawQuery: "sslmode=verify-full",
	}
	return u.String()
}

func engineURL(scheme, user, password, host string, port int) string {
	u := url.URL{Scheme: scheme, User: url.UserPassword(user, password), Host: host + ":" + strconv.Itoa(port)}
	return u.String()
}
