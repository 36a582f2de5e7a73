package redis

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
)

// The two users. A client that connects without a name is the first.
const (
	customerName = "default"
	adminName    = "hosting"
)

// all allows every key, channel and command.
var all = []any{"~*", "&*", "+@all"}

// customer returns the command that sets up the customer's user: a client with the password
// may work with the data. Migrate is denied because it would connect to other servers.
func (s *Server) customer() []any {
	return append([]any{"ACL", "SETUSER", customerName, "reset", "on", hashed(s.settings.Password)},
		append(all[:len(all):len(all)], "-@admin", "-migrate")...)
}

// userLines returns the content of the ACL file. It contains no password.
func (s *Server) userLines() string {
	line := func(words []any) string { return strings.TrimSuffix(fmt.Sprintln(words...), "\n") }
	own := append([]any{"user", adminName, "on", hashed(s.password)}, all...)
	// The first words of the command differ from those of the file's line.
	customer := append([]any{"user"}, s.customer()[2:]...)
	return line(own) + "\n" + line(customer) + "\n"
}

// hashed returns a password in Redis' hashed form.
func hashed(password string) string {
	sum := sha256.Sum256([]byte(password))
	return "#" + hex.EncodeToString(sum[:])
}

// memory returns the maximum size of the data.
func (s *Server) memory() string { return fmt.Sprintf("%dmb", s.settings.MemoryMB) }

// writeConfiguration writes the files that the server reads when it starts. They are next
// to the data folder, which a restore replaces.
func (s *Server) writeConfiguration() error {
	var text strings.Builder
	for _, setting := range [][2]string{
		{"port", "0"},
		{"unixsocket", s.socket()},
		{"unixsocketperm", "700"},
		{"dir", s.data()},
		{"dbfilename", snapshotFile},
		{"aclfile", s.users()},
		{"maxmemory", s.memory()},
		{"maxmemory-policy", "noeviction"},
		// Each write is in the log before it is answered, so a killed server loses nothing.
		// Only a crash of the machine would.
		{"appendonly", "yes"},
		{"appendfsync", "no"},
		{"appenddirname", logFolder},
		{"appendfilename", logName},
		{"save", ""},
	} {
		fmt.Fprintf(&text, "%s %s\n", setting[0], quote(setting[1]))
	}
	if err := s.account.WriteFile(s.configuration(), text.String()); err != nil {
		return err
	}
	return s.account.WriteFile(s.users(), s.userLines())
}

// admin returns a client for the package's user.
func (s *Server) admin() *redis.Client {
	return redis.NewClient(&redis.Options{
		Dialer:   func(ctx context.Context, _, _ string) (net.Conn, error) { return process.DialSocket(ctx, s.socket()) },
		Username: adminName, Password: s.password,
		// Callers retry by themselves, and never send two commands concurrently. A snapshot
		// has no time limit.
		MaxRetries: -1, PoolSize: 1, DialTimeout: patience, ReadTimeout: patience, DisableIdentity: true,
	})
}

func (s *Server) path(name string) string { return filepath.Join(s.folder, name) }
func (s *Server) data() string            { return s.path("data") }
func (s *Server) socket() string          { return filepath.Join(s.run, "redis.sock") }
func (s *Server) configuration() string   { return s.path("redis.conf") }
func (s *Server) users() string           { return s.path("users.acl") }

// quote makes one word of a text in a configuration.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
