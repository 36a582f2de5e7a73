package couchdb

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/allowproxy"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/datafolder"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/engineaccount"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/enginelock"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/publicaddr"
)

// Port is the service's standard port. A Server listens there if it is free.
const Port = 6984

// Options configures a Server.
type Options struct {
	Program Program
	// Folder is the folder of the server's data. It is created if it does not exist;
	// otherwise the server continues with its data.
	Folder string
	// Run is a folder only for the sockets: Open empties it, and Close removes it. Its path
	// should be short. The default is Folder with the suffix ".run".
	Run string
	// Host is the loopback address of the port, unless Public has the public port elsewhere.
	// Port is the preferred port; 0 means the service's standard port.
	Host   string
	Public publicaddr.Addresses
	Port   int
	// Certificate and Key are PEM, for Host.
	Certificate, Key string
	Settings         Settings
	// Sandbox is where the server runs; nil means none.
	Sandbox *process.Sandbox
	// Notify, if non-nil, is called when a client creates or deletes a database.
	Notify func(Event)
	// Logger logs crashes and refused connections; nil discards them.
	Logger *slog.Logger
}

// Settings can change while a server runs.
type Settings struct {
	// Password is the password of the user Customer.
	Password string
	// MemoryMB limits the memory of the server's process. A server that needs more ends and
	// is started again.
	MemoryMB int
	// Allowlist contains the networks that may connect; empty means all.
	Allowlist []netip.Prefix
}

// Server is one CouchDB server. It is safe for concurrent use. A server that is killed is
// restarted.
type Server struct {
	program Program
	folder  string
	run     string
	log     *slog.Logger
	account engineaccount.Account
	sandbox *process.Sandbox
	proxy   *allowproxy.Proxy
	front   *front
	// pid is the id of the process, or 0. It is read without the lock.
	pid atomic.Int64

	// lock serializes changes of the server. It guards the following fields.
	lock     *enginelock.Lock
	settings Settings
	// unsettled is set until the settings are known to be in effect.
	unsettled bool
	// process is nil while the server is stopped on purpose.
	process *running
}

// Open starts a server with the data of its folder.
func Open(ctx context.Context, o Options) (*Server, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Notify == nil {
		o.Notify = func(Event) {}
	}
	certificate, err := tls.X509KeyPair([]byte(o.Certificate), []byte(o.Key))
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(o.Folder)
	if err != nil {
		return nil, err
	}
	run, err := filepath.Abs(cmp.Or(o.Run, o.Folder+".run"))
	if err != nil {
		return nil, err
	}
	who, err := engineaccount.Find("CouchDB", "couchdb", "nobody")
	if err != nil {
		return nil, err
	}
	s := &Server{
		program: o.Program, folder: folder, run: run, log: o.Logger, account: who, sandbox: o.Sandbox,
		lock: enginelock.New(ctx), settings: o.Settings,
	}
	if err := process.CheckSocket(filepath.Join(s.run, insideSocket)); err != nil {
		return nil, err
	}
	s.proxy, err = allowproxy.Open(ctx, allowproxy.Options{
		Host: o.Host, Public: o.Public, Ports: []int{o.Port, Port}, Engine: "couchdb", Logger: o.Logger,
		TLS: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
	})
	if err != nil {
		return nil, err
	}
	s.proxy.Allow(o.Settings.Allowlist)
	if err := s.open(ctx, o.Notify); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) open(ctx context.Context, notify func(Event)) error {
	ctx, release, err := s.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := s.account.MakePassable(s.folder); err != nil {
		return err
	}
	if err := s.account.CanEnter("CouchDB", s.folder); err != nil {
		return err
	}
	if s.sandbox == nil {
		if err := s.account.CanEnter("CouchDB", s.program.Modules); err != nil {
			return err
		}
	}
	if err := datafolder.Recover(s.data()); err != nil {
		return err
	}
	if err := s.account.MakeFolder(s.data()); err != nil {
		return err
	}
	if s.front, err = openFront(s.run, s.settings.Password, notify, s.log); err != nil {
		return err
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	address := s.front.address()
	s.proxy.Lead(address.Network(), address.String())
	return nil
}

// Dial connects as a client in the allowlist does, up to the server's TLS.
func (s *Server) Dial(ctx context.Context) (net.Conn, error) { return s.proxy.Dial(ctx) }

// Port returns the public port.
func (s *Server) Port() int { return s.proxy.Port() }

// PID returns the id of the server's process, or 0 if none runs.
func (s *Server) PID() int { return int(s.pid.Load()) }

// Configure applies new settings: the password and the allowlist without a restart, the
// memory with one. Requests that came in with an old password end.
func (s *Server) Configure(ctx context.Context, wanted Settings) error {
	ctx, release, err := s.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	before, all := s.settings, s.unsettled || !s.runs()
	s.settings, s.unsettled = wanted, true
	s.proxy.Allow(wanted.Allowlist)
	if before.Password != wanted.Password {
		s.front.setPassword(wanted.Password)
	}
	if all || before.MemoryMB != wanted.MemoryMB {
		if err := s.restart(ctx); err != nil {
			return fmt.Errorf("change CouchDB: %w", err)
		}
	}
	s.unsettled = false
	return nil
}

// Restart restarts the server. Its data stays.
func (s *Server) Restart(ctx context.Context) error {
	ctx, release, err := s.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	return s.restart(ctx)
}

func (s *Server) restart(ctx context.Context) error {
	s.stop()
	return s.start(ctx)
}

// Close stops the server. Its data stays in the folder.
func (s *Server) Close() error {
	defer s.lock.Close()()
	s.proxy.Lead("", "")
	if s.front != nil {
		s.front.close()
	}
	s.stop()
	s.proxy.Close()
	return os.RemoveAll(s.run)
}

// Remove stops the server and deletes its folder.
func (s *Server) Remove() error {
	return errors.Join(s.Close(), os.RemoveAll(s.folder))
}

// patience is the time limit for a start or stop on a busy machine.
const patience = time.Minute
