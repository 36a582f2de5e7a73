package fakeservice

import (
	"net/http"
	"net/url"
	"strconv"
)

// Ports of Postgres: direct for sessions, pooled for ordinary transactions. A
// data plane uses others where these are taken.
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
	ca, err := in.secrets.authority(in.ID)
	if err != nil {
		return fail(err)
	}
	engines := map[string]any{}
	for name := range in.Engines {
		if view := st.connectionOf(in, name); view != nil {
			engines[name] = view
		}
	}
	return answer(http.StatusOK, map[string]any{"host": in.Host, "ca_certificate": ca.PEM(), "engines": engines})
}

// connectionOf is an engine's part of the record. The apps engine has none.
func (st *state) connectionOf(in *instance, engine string) map[string]any {
	s := &in.secrets
	switch engine {
	case EnginePostgres:
		at := st.endpoints(in)
		view := map[string]any{
			"owner_url":    postgresURL(in.Host, at.PostgresDirectPort, ownerRole, s.owner),
			"readonly_url": postgresURL(in.Host, at.PostgresDirectPort, readOnlyRole, s.readonly),
			"database":     defaultDatabase,
			"direct_port":  at.PostgresDirectPort,
		}
		if at.PostgresPooledPort != 0 {
			view["pooled_port"] = at.PostgresPooledPort
		}
		return view
	case EngineRedis:
		return map[string]any{"url": engineURL("rediss", "default", s.redis, in.Host, 6379)}
	case EngineCouchDB:
		return map[string]any{"url": engineURL("https", "admin", s.couchdb, in.Host, 6984)}
	case EngineNATS:
		return map[string]any{"url": engineURL("tls", "service", s.nats, in.Host, 4222)}
	case EngineAuth:
		return map[string]any{
			"url":         st.endpoints(in).AuthURL,
			"anon_key":    s.anonKey,
			"service_key": s.serviceKey,
		}
	}
	return nil
}

func postgresURL(host string, port int, user, password string) string {
	u := url.URL{
		Scheme:   "postgresql",
		User:     url.UserPassword(user, password),
		Host:     host + ":" + strconv.Itoa(port),
		Path:     "/" + defaultDatabase,
		RawQuery: "sslmode=verify-full",
	}
	return u.String()
}

func engineURL(scheme, user, password, host string, port int) string {
	u := url.URL{Scheme: scheme, User: url.UserPassword(user, password), Host: host + ":" + strconv.Itoa(port)}
	return u.String()
}
