package redis

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/enginelock"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestProgramOf(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]int{
		"Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=ae4d7c971a948f0\n": 7,
		"Redis server v=10.2.0 sha=1": 10,
		"Redis server v=6.0.16 sha=1": 0,
		"something else":              0,
	} {
		program, err := programOf("/bin/redis-server", said)
		missing := (*MissingError)(nil)
		if program.Version != want || errors.As(err, &missing) != (want == 0) {
			t.Errorf("programOf(%q): got %+v and error %v, want version %d", said, program, err, want)
		}
		if want == 0 && !strings.Contains(err.Error(), "apt-get install redis-server") {
			t.Errorf("programOf(%q): got error %v, want one with apt-get install redis-server", said, err)
		}
	}
}

// options returns valid options for a folder.
func options(t *testing.T, folder string) (Options, *x509.CertPool) {
	t.Helper()
	program, err := Locate(t.Context())
	if err != nil {
		machine.Lacks(t, "%s", err)
	}
	issuer := httptest.NewTLSServer(nil)
	t.Cleanup(issuer.Close)
	key := must.Get(x509.MarshalPKCS8PrivateKey(issuer.TLS.Certificates[0].PrivateKey))(t)
	roots := x509.NewCertPool()
	roots.AddCert(issuer.Certificate())
	sandbox, _ := process.FindSandbox(t.Context(), os.Getenv("PATH")) // without one, the servers run outside
	return Options{
		Program: program, Folder: folder, Host: "127.0.0.1", Sandbox: sandbox,
		Certificate: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: issuer.Certificate().Raw})),
		Key:         string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})),
		Settings:    Settings{Password: "secret", MemoryMB: 64},
	}, roots
}

// client returns a client of the customer's user.
func client(t *testing.T, s *Server, roots *x509.CertPool) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{
		Addr: s.proxy.Address(), Password: "secret", TLSConfig: &tls.Config{RootCAs: roots, ServerName: "127.0.0.1"},
		DialTimeout: machine.Patience, ReadTimeout: machine.Patience, WriteTimeout: machine.Patience,
	})
	t.Cleanup(func() { c.Close() })
	return c
}

// The server sees its own files, and none of the machine's: a snapshot from somebody else
// can make it load a program.
func TestServerSeesItsOwnFiles(t *testing.T) {
	t.Parallel()
	parent := machine.PassableFolder(t, "")
	o, _ := options(t, filepath.Join(parent, "server"))
	if o.Sandbox == nil {
		machine.Lacks(t, "there is no bubblewrap")
	}
	s := must.Get(Open(t.Context(), o))(t)
	t.Cleanup(func() { s.Close() })
	others := filepath.Join(parent, "others")
	must.Do(t, os.WriteFile(others, nil, 0o644))
	root := fmt.Sprintf("/proc/%d/root", s.PID())
	if _, err := os.Stat(root + s.configuration()); err != nil {
		t.Errorf("the configuration as the server sees it: got error %v, want none", err)
	}
	for _, path := range []string{others, "/root", "/home"} {
		if _, err := os.Stat(root + path); err == nil {
			t.Errorf("the server sees %s", path)
		}
	}
	inside := must.Get(os.Readlink(fmt.Sprintf("/proc/%d/ns/mnt", s.PID())))(t)
	if outside, err := os.Readlink("/proc/self/ns/mnt"); err != nil || inside == outside {
		t.Errorf("mount namespaces: got %s inside and %s outside (%v), want two", inside, outside, err)
	}
}

// A folder that is opened again has its data, and so has a restored backup.
func TestFolderIsOpenedAgain(t *testing.T) {
	t.Parallel()
	parent := machine.PassableFolder(t, "")
	o, roots := options(t, filepath.Join(parent, strings.Repeat("long ", 30)))
	o.Run = filepath.Join(parent, "run")
	s := must.Get(Open(t.Context(), o))(t)
	must.Do(t, client(t, s, roots).Set(t.Context(), "k", "v", 0).Err())
	must.Get(s.Backup(t.Context(), filepath.Join(parent, "backup")))(t)
	must.Do(t, s.Close())
	if _, err := os.Stat(o.Run); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of the socket after Close: got error %v, want that it does not exist", err)
	}
	if _, err := s.Backup(t.Context(), filepath.Join(parent, "late")); !errors.Is(err, enginelock.ErrClosed) {
		t.Errorf("the backup of a closed server: got error %v, want %v", err, enginelock.ErrClosed)
	}
	again := must.Get(Open(t.Context(), o))(t)
	c := client(t, again, roots)
	if v, err := c.Get(t.Context(), "k").Result(); v != "v" {
		t.Errorf("the value in the opened folder: got %q and error %v, want v", v, err)
	}
	for _, step := range []struct {
		what string
		do   func() error
		want string
	}{
		{"reset", func() error { return again.Reset(t.Context()) }, ""},
		{"restore", func() error { return again.Restore(t.Context(), filepath.Join(parent, "backup")) }, "v"},
		{"restart", func() error { return again.Restart(t.Context()) }, "v"},
		{"restore of nothing", func() error {
			if again.Restore(t.Context(), filepath.Join(parent, "nothing")) == nil {
				return errors.New("it succeeds")
			}
			return nil
		}, "v"},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		if v, err := c.Get(t.Context(), "k").Result(); v != step.want || err != nil && !errors.Is(err, redis.Nil) {
			t.Errorf("the value after the %s: got %q and error %v, want %q", step.what, v, err, step.want)
		}
	}
	must.Do(t, again.Remove())
	if _, err := os.Stat(o.Folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder after Remove: got error %v, want that it does not exist", err)
	}
}

// A fake that is killed while it restores a backup leaves the old data next to the new.
func TestReplacementThatWasCutShort(t *testing.T) {
	t.Parallel()
	o, roots := options(t, filepath.Join(machine.PassableFolder(t, ""), "r"))
	s := must.Get(Open(t.Context(), o))(t)
	must.Do(t, client(t, s, roots).Set(t.Context(), "k", "v", 0).Err())
	must.Do(t, errors.Join(s.Close(), os.Rename(s.data(), s.path("data.before")), s.account.MakeFolder(s.data())))
	again := must.Get(Open(t.Context(), o))(t)
	t.Cleanup(func() { again.Remove() })
	if v, err := client(t, again, roots).Get(t.Context(), "k").Result(); v != "v" {
		t.Errorf("the value: got %q and error %v, want v", v, err)
	}
}

// Answered writes survive when the server is killed.
func TestKilledServerComesBack(t *testing.T) {
	t.Parallel()
	o, roots := options(t, filepath.Join(machine.PassableFolder(t, ""), "r"))
	s := must.Get(Open(t.Context(), o))(t)
	t.Cleanup(func() { s.Remove() })
	c := client(t, s, roots)
	must.Do(t, c.Set(t.Context(), "k", "v", 0).Err())
	killed := must.Get(os.FindProcess(s.PID()))(t)
	must.Do(t, killed.Kill())
	machine.Until(t, "another process", func() bool { return s.PID() != 0 && s.PID() != killed.Pid })
	if v, err := c.Get(t.Context(), "k").Result(); v != "v" {
		t.Errorf("the value after the kill: got %q and error %v, want v", v, err)
	}
}

// The customer cannot run commands that concern the server.
func TestCustomerIsNoAdministrator(t *testing.T) {
	t.Parallel()
	o, roots := options(t, filepath.Join(machine.PassableFolder(t, ""), "r"))
	s := must.Get(Open(t.Context(), o))(t)
	t.Cleanup(func() { s.Remove() })
	c := client(t, s, roots)
	for _, command := range []string{
		"CONFIG GET dir", "CONFIG SET dir /tmp", "MODULE LIST", "DEBUG SLEEP 0", "SHUTDOWN NOSAVE", "ACL LIST",
		"ACL SETUSER x on", "REPLICAOF 127.0.0.1 1", "MIGRATE 127.0.0.1 1 k 0 1", "SAVE", "BGREWRITEAOF", "CLIENT LIST",
	} {
		words := strings.Fields(command)
		args := make([]any, len(words))
		for i, word := range words {
			args[i] = word
		}
		if err := c.Do(t.Context(), args...).Err(); err == nil || !strings.HasPrefix(err.Error(), "NOPERM") && !strings.Contains(err.Error(), "not allowed") {
			t.Errorf("the command %s: got error %v, want a refusal", command, err)
		}
	}
	for _, command := range [][]any{
		{"SET", "k", "v"}, {"KEYS", "*"}, {"EVAL", "return redis.call('GET', 'k')", 0}, {"INFO"}, {"PUBLISH", "c", "m"},
		{"CLIENT", "SETNAME", "x"}, {"XADD", "s", "*", "a", "b"}, {"FLUSHALL"},
	} {
		if err := c.Do(t.Context(), command...).Err(); err != nil {
			t.Errorf("the command %v: got error %v, want none", command, err)
		}
	}
}

// A server that cannot start returns the reason, and leaves no process.
func TestServerThatCannotStart(t *testing.T) {
	t.Parallel()
	o, _ := options(t, filepath.Join(machine.PassableFolder(t, ""), "r"))
	o.Program.Path = "/bin/false"
	if _, err := Open(context.Background(), o); err == nil || !strings.Contains(err.Error(), "ended before it was ready") {
		t.Errorf("Open with a program that ends: got error %v, want one with \"ended before it was ready\"", err)
	}
	o.Folder = filepath.Join(o.Folder, strings.Repeat("x", process.LongestSocket))
	if _, err := Open(context.Background(), o); err == nil || !strings.Contains(err.Error(), "too long for a socket") {
		t.Errorf("Open with a long folder: got error %v, want one with \"too long for a socket\"", err)
	}
}
