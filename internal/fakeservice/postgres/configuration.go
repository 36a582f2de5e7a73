package postgres

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/unprivileged"
)

// reservedConnections are for the package itself, beside those of the plan.
const reservedConnections = 5

// identities is the name of the map of who gets in by the socket.
const identities = "fake"

// identityMap lets whoever runs the fake be each role of ours, and the pooler
// those of the customer.
func identityMap(a unprivileged.Account) string {
	var text strings.Builder
	for _, role := range []string{superuser, OwnerRole, ReadOnlyRole} {
		fmt.Fprintf(&text, "%s %s %s\n", identities, quoteName(a.Caller), role)
		if a.Name != a.Caller && role != superuser {
			fmt.Fprintf(&text, "%s %s %s\n", identities, quoteName(a.Name), role)
		}
	}
	return text.String()
}

// writeConfiguration writes what the server reads when it starts. It lies
// beside the data folder, which a restore replaces.
func (c *Cluster) writeConfiguration() error {
	rules := strings.Join([]string{
		// The folder of the socket is closed to others. Whoever gets there all
		// the same has to be one of the two users of the map.
		"local all all peer map=" + identities,
		"hostssl all " + superuser + " all reject",
		// A connection without TLS matches no line and is refused.
		"hostssl all all all scram-sha-256",
	}, "\n")
	settings := [][2]any{
		{"data_directory", c.data()},
		{"hba_file", c.path("pg_hba.conf")},
		{"ident_file", c.path("pg_ident.conf")},
		{"listen_addresses", c.settings.Host},
		{"port", c.InsidePort()},
		{"unix_socket_directories", c.sockets()},
		{"max_connections", max(1, c.settings.Connections) + reservedConnections},
		{"superuser_reserved_connections", reservedConnections},
		{"ssl", "on"},
		{"ssl_cert_file", c.path("server.crt")},
		{"ssl_key_file", c.path("server.key")},
		{"password_encryption", "scram-sha-256"},
		// A killed server loses nothing without these: what it has written is
		// with the system. Only a crash of the machine would lose it, and of data
		// that is kept that is not promised.
		{"fsync", "off"},
		// Backups copy the log too, so it is kept for as long as one may take.
		{"wal_keep_size", "64MB"},
		{"min_wal_size", "2MB"},
		{"max_wal_size", "64MB"},
		// Many of these run side by side on a small machine.
		{"shared_buffers", "16MB"},
		{"max_wal_senders", 0},
		{"max_worker_processes", 4},
		{"max_logical_replication_workers", 0},
		{"jit", "off"},
		// Shared memory of a killed server lies in its own folder.
		{"dynamic_shared_memory_type", "mmap"},
		{"timezone", "UTC"},
		{"log_timezone", "UTC"},
		// Statements may hold passwords.
		{"log_min_error_statement", "panic"},
	}
	var text strings.Builder
	for _, s := range settings {
		fmt.Fprintf(&text, "%s = %s\n", s[0], quote(fmt.Sprint(s[1])))
	}
	for name, content := range map[string]string{
		"postgresql.conf": text.String(),
		"pg_hba.conf":     rules + "\n",
		"pg_ident.conf":   identityMap(c.server.account),
		"server.crt":      c.settings.Certificate,
		"server.key":      c.settings.Key,
	} {
		if err := c.server.account.WriteFile(c.path(name), content); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) path(name string) string { return filepath.Join(c.folder, name) }
func (c *Cluster) data() string            { return c.path("data") }

// sockets is the folder of the cluster's own for them.
func (c *Cluster) sockets() string {
	return filepath.Join(c.server.runs, filepath.Base(c.folder), "run")
}

// quote makes a literal of a text, for SQL and for the configuration alike.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// quoteName makes an identifier of a name.
func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
