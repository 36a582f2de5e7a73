package postgres

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// newServer prepares a Server in a folder that every user can pass through.
func newServer(t *testing.T) *Server {
	t.Helper()
	programs := must.Get(Locate(t.Context(), ""))(t)
	sandbox, _ := process.FindSandbox(t.Context(), os.Getenv("PATH")) // without one, the servers run outside
	s := must.Get(NewServer(Options{Binaries: programs, Folder: filepath.Join(machine.PassableFolder(t, ""), "s"), Sandbox: sandbox}))(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %s", err)
		}
	})
	return s
}

// settings returns valid settings for an address, with a self-signed certificate.
func settings(t *testing.T, host string) Settings {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.ParseIP(host)}}
	certificate := must.Get(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	private := must.Get(x509.MarshalPKCS8PrivateKey(key))(t)
	return Settings{
		Host:          host,
		Certificate:   string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})),
		Key:           string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
		OwnerPassword: "owner's", ReadOnlyPassword: `read"only\`, Connections: 5,
	}
}

func newCluster(t *testing.T, s *Server, host string) *Cluster {
	t.Helper()
	return must.Get(s.NewCluster(t.Context(), "c-"+strconv.Itoa(len(s.clusters)), settings(t, host)))(t)
}

// ask runs a statement as the owner and returns its one value.
func ask(t *testing.T, c *Cluster, sql string) any {
	t.Helper()
	result, err := c.Query(t.Context(), OwnerRole, DefaultDatabase, sql)
	if err != nil {
		t.Fatalf("%s: %s", sql, err)
	}
	if len(result.Rows) == 0 {
		return nil
	}
	return result.Rows[0][0]
}

// A backup that cannot be restored leaves everything as it was.
func TestRestoreOfRubbish(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := newCluster(t, s, loopback.Address(t.Context(), DirectPort, PooledPort))
	ask(t, c, "CREATE TABLE kept (n INT)")
	rubbish := filepath.Join(t.TempDir(), "rubbish")
	must.Do(t, os.Mkdir(rubbish, 0o700))
	for _, folder := range []string{rubbish, filepath.Join(rubbish, "nothing")} {
		if err := c.Restore(t.Context(), folder); err == nil {
			t.Errorf("Restore of %s: got no error, want one", folder)
		}
		ask(t, c, "SELECT * FROM kept")
	}
	if _, err := os.Stat(c.path("data.before")); err == nil {
		t.Error("the data that was set aside is still there")
	}
}

// A caller that gives up waiting for the lock has changed nothing.
func TestResetThatIsGivenUp(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	s := newServer(t)
	c := newCluster(t, s, loopback.Address(t.Context(), DirectPort, PooledPort))
	ask(t, c, "CREATE TABLE kept (n INT)")
	ctx, cancel := context.WithCancel(t.Context())
	_, release, err := c.lock.Acquire(t.Context()) // another caller's lock
	if err != nil {
		t.Fatal(err)
	}
	gaveUp := make(chan error, 1)
	go func() { gaveUp <- c.Reset(ctx) }()
	cancel()
	if err := <-gaveUp; err == nil {
		t.Error("Reset with an ended context: got no error, want one")
	}
	release()
	ask(t, c, "SELECT * FROM kept")
}

// If the service's ports are taken, the cluster uses other ports.
func TestPortsThatAreTaken(t *testing.T) {
	t.Parallel()
	// Another test may listen on every address at a port in the meantime.
	var host string
	machine.Until(t, "both ports of an address are taken here", func() bool {
		host = loopback.Address(t.Context(), DirectPort, PooledPort)
		for _, port := range []int{DirectPort, PooledPort} {
			taken, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
			if err != nil {
				return false
			}
			t.Cleanup(func() { _ = taken.Close() })
		}
		return true
	})
	c := newCluster(t, newServer(t), host)
	if c.DirectPort() == DirectPort || c.DirectPort() == 0 || c.PooledPort() == PooledPort {
		t.Errorf("the ports: got %d and %d, want others than %d and %d", c.DirectPort(), c.PooledPort(), DirectPort, PooledPort)
	}
	ask(t, c, "SELECT 1")
}

// The inside port requires TLS and a password like the others, and stays the same.
func TestInsidePort(t *testing.T) {
	t.Parallel()
	c := newCluster(t, newServer(t), loopback.Address(t.Context(), DirectPort, PooledPort))
	port := c.InsidePort()
	connect := func(tls, password string) error {
		config := must.Get(pgconn.ParseConfig("host=" + c.settings.Host + " sslmode=" + tls))(t)
		config.Port, config.Fallbacks = uint16(c.InsidePort()), nil
		config.User, config.Password, config.Database = OwnerRole, password, DefaultDatabase
		conn, err := pgconn.ConnectConfig(t.Context(), config)
		if err == nil {
			err = conn.Close(t.Context())
		}
		return err
	}
	if err := connect("require", c.settings.OwnerPassword); err != nil {
		t.Errorf("the inside port: got error %v, want none", err)
	}
	for _, wrong := range [][2]string{{"disable", c.settings.OwnerPassword}, {"require", "wrong"}} {
		if _, state, refused := IsSQLError(connect(wrong[0], wrong[1])); !refused || !strings.HasPrefix(state, "28") {
			t.Errorf("a connection with sslmode %s and a password: got SQL state %q, want one of class 28", wrong[0], state)
		}
	}
	must.Do(t, c.Restart(t.Context()))
	if now := c.InsidePort(); now != port {
		t.Errorf("the port after a restart: got %d, want %d", now, port)
	}
}

// Every method of a closed cluster returns an error that says so.
func TestClosedCluster(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := newCluster(t, s, loopback.Address(t.Context(), DirectPort, PooledPort))
	for range 2 {
		must.Report(t, c.Close())
	}
	if err := c.Restart(t.Context()); err == nil {
		t.Error("Restart of a closed cluster: got no error, want one")
	}
	if _, err := c.Query(t.Context(), OwnerRole, DefaultDatabase, "SELECT 1"); err == nil {
		t.Error("Query of a closed cluster: got no error, want one")
	}
	must.Report(t, s.Close())
	if _, err := s.NewCluster(t.Context(), "late", settings(t, "127.0.0.1")); err == nil {
		t.Error("NewCluster of a closed server: got no error, want one")
	}
}
