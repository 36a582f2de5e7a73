package portal

import (
	"net/url"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// caFile is the file name of the CA certificate in snippets.
const caFile = "ca.pem"

// connectionShown is a connection record. Its secrets are hidden unless Revealed is set.
type connectionShown struct {
	core.ConnectionRecord
	Revealed bool
}

// Psql returns a command that opens the database, or "" without Postgres. While secrets are
// hidden, it has no password, so psql asks for it.
func (s connectionShown) Psql() string {
	if s.Engines.Postgres == nil {
		return ""
	}
	address := s.Engines.Postgres.OwnerURL
	if !s.Revealed {
		address = withoutPassword(address)
	}
	return "PGSSLROOTCERT=" + caFile + " psql " + shellQuoted(address)
}

// DotEnv returns the lines of a .env file with the addresses of the engines that are on.
func (s connectionShown) DotEnv() string {
	var text strings.Builder
	line := func(name, value string) { text.WriteString(name + "=" + shellQuoted(value) + "\n") }
	if e := s.Engines.Postgres; e != nil {
		line("DATABASE_URL", e.OwnerURL)
		line("PGSSLROOTCERT", caFile)
	}
	for _, e := range []struct {
		name string
		*core.URLConnection
	}{{"REDIS_URL", s.Engines.Redis}, {"COUCHDB_URL", s.Engines.CouchDB}, {"NATS_URL", s.Engines.NATS}} {
		if e.URLConnection != nil {
			line(e.name, e.URL)
		}
	}
	if e := s.Engines.Auth; e != nil {
		line("AUTH_URL", e.URL)
		line("AUTH_ANON_KEY", e.AnonKey)
		line("AUTH_SERVICE_KEY", e.ServiceKey)
	}
	return text.String()
}

func withoutPassword(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.User = url.User(u.User.Username())
	return u.String()
}

// shellQuoted quotes a word for a shell and for a .env file.
func shellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func showConnection(c *call) (*page, error) { return c.connection(false) }

func (c *call) connection(reveal bool) (*page, error) {
	p, err := c.instancePage("/connection", "connection")
	if err != nil {
		return nil, err
	}
	record, err := c.Service.Connection(c.context(), c.instance())
	if err != nil {
		p.Waiting = sentence(core.ProblemOf(err).Detail)
		return p, nil
	}
	p.Data = connectionShown{ConnectionRecord: record, Revealed: reveal}
	if !reveal {
		p.Forms = []*form{button("reveal", instancePath(p.Instance.ID, "connection"), "Show the secrets")}
	}
	return p, nil
}

func revealConnection(c *call) (outcome, error) {
	p, err := c.connection(true)
	if err == nil && p.Waiting != "" {
		err = core.Refuse(core.JobRunning, "%s", p.Waiting)
	}
	return outcome{show: p}, err
}
