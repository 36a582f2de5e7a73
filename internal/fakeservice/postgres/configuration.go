package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/engineaccount"
)

// reservedConnections is the number of connections for this package, in addition to the
// plan's.
const reservedConnections = 5

// identities is the name of the map of users who may connect through the socket.
const identities = "fake"

// identityMap lets the user who runs the fake act as each of the package's roles, and the
// pooler as the customer's roles.
func identityMap(a engineaccount.Account) string {
	var text strings.Builder
	for _, role := range []string{superuser, OwnerRole, ReadOnlyRole} {
		fmt.Fprintf(&text, "%s %s %s\n", identities, quoteName(a.Caller), role)
		if a.Name != a.Caller && role != superuser {
			fmt.Fprintf(&text, "%s %s %s\n", identities, quoteName(a.Name), role)
		}
	}
	return text.String()
}

// usersFile is the /etc/passwd of a server in a sandbox. The server needs the names of the
// users who connect through the socket.
const usersFile = "passwd"

// users returns the content of usersFile.
func users(a engineaccount.Account) string {
	text := fmt.Sprintf("%s:x:%d:%d::/:/bin/sh\n", a.Caller, os.Geteuid(), os.Getegid())
	if a.Name != a.Caller {
		text += fmt.Sprintf("%s:x:%d:%d::/:/bin/sh\n", a.Name, a.UID, a.GID)
	}
	return text
}

// writeConfiguration writes the files that the server reads when it starts. They are next
// to the data folder, which a restore replaces.
func (c *Cluster) writeConfiguration() error {
	rules := strings.Join([]string{
		// The folder of the socket is closed to other users. A user who gets in anyway must
		// be one of the two in the map.
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
		// A killed server loses nothing without fsync: the system has its writes. Only a
		// crash of the machine would lose them, and kept data is not promised to survive
		// that.
		{"fsync", "off"},
		// Backups copy the log too, so it is kept for the duration of a backup.
		{"wal_keep_size", "64MB"},
		{"min_wal_size", "2MB"},
		{"max_wal_size", "64MB"},
		// Many of these servers run at the same time on a small machine.
		{"shared_buffers", "16MB"},
		{"max_wal_senders", 0},
		{"max_worker_processes", 4},
		{"max_logical_replication_workers", 0},
		{"jit", "off"},
		// A killed server's shared memory is in its own folder.
		{"dynamic_shared_memory_type", "mmap"},
		{"timezone", "UTC"},
		{"log_timezone", "UTC"},
		// Statements may contain passwords.
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
		usersFile:         users(c.server.account),
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

// sockets returns the cluster's own folder for its sockets.
func (c *Cluster) sockets() string {
	return filepath.Join(c.server.runs, filepath.Base(c.folder), "run")
}

// quote makes a literal of a text, for SQL and for the configuration alike.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// quoteName makes an identifier of a name.
func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
