package redis

import (
	"cmp"
	"context"
	"crypto/rand"
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
const Port = 6379

// Options configures a Server.
type Options struct {
	Program Program
	// Folder is the folder of the server's data. It is created if it does not exist;
	// otherwise the server continues with its data.
	Folder string
	// Run is a folder for the socket, which is removed when the server is closed. Its path
	// should be short. The default is next to Folder, with the ending .run.
	Run string
	// Host is the loopback address of the port, unless Public has the public port elsewhere.
	// Port is the preferred port; 0 means the service's standard port.
	Host   string
	Public publicaddr.Addresses
	Port   int
	// Certificate and Key are PEM, for Host.
	Certificate, Key string
	Settings         Settings
	// Sandbox is where the server runs; nil means none. Its data can come from somebody
	// else's snapshot, and a log of commands can make Redis load a program.
	Sandbox *process.Sandbox
	// Logger logs crashes and refused connections; nil discards them.
	Logger *slog.Logger
}

// Settings can change while a server runs.
type Settings struct {
	// Password is the password of the user default.
	Password string
	// MemoryMB limits the size of the data. A write beyond it is refused.
	MemoryMB int
	// Allowlist contains the networks that may connect; empty means all.
	Allowlist []netip.Prefix
}

// Server is one Redis server. It is safe for concurrent use. A server that is killed is
// restarted.
type Server struct {
	program  Program
	folder   string
	run      string
	log      *slog.Logger
	account  engineaccount.Account
	sandbox  *process.Sandbox
	proxy    *allowproxy.Proxy
	password string // of the package's user
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
	who, err := engineaccount.Find("Redis", "redis", "nobody")
	if err != nil {
		return nil, err
	}
	s := &Server{
		program: o.Program, folder: folder, run: run, log: o.Logger, account: who, sandbox: o.Sandbox,
		password: rand.Text(), lock: enginelock.New(ctx), settings: o.Settings,
	}
	if err := process.CheckSocket(s.socket()); err != nil {
		return nil, err
	}
	s.proxy, err = allowproxy.Open(ctx, allowproxy.Options{
		Host: o.Host, Public: o.Public, Ports: []int{o.Port, Port}, Engine: "redis", Logger: o.Logger,
		TLS: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
	})
	if err != nil {
		return nil, err
	}
	s.proxy.Allow(o.Settings.Allowlist)
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) open(ctx context.Context) error {
	ctx, release, err := s.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := errors.Join(s.account.MakePassable(s.folder), s.account.MakeFolder(s.run)); err != nil {
		return err
	}
	for _, folder := range []string{s.folder, s.run} {
		if err := s.account.CanEnter("Redis", folder); err != nil {
			return err
		}
	}
	if err := datafolder.Recover(s.data()); err != nil {
		return err
	}
	if err := s.account.MakeFolder(s.data()); err != nil {
		return err
	}
	return s.start(ctx)
}

// Dial connects as a client in the allowlist does, up to the server's TLS.
func (s *Server) Dial(ctx context.Context) (net.Conn, error) { return s.proxy.Dial(ctx) }

// Port returns the public port.
func (s *Server) Port() int { return s.proxy.Port() }

// PID returns the id of the server's process, or 0 if none runs.
func (s *Server) PID() int { return int(s.pid.Load()) }

// Configure applies new settings without a restart. Sessions that used an old password end.
func (s *Server) Configure(ctx context.Context, wanted Settings) error {
	ctx, release, err := s.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	before, all := s.settings, s.unsettled || !s.runs()
	s.settings, s.unsettled = wanted, true
	s.proxy.Allow(wanted.Allowlist)
	switch {
	case all:
		err = s.restart(ctx)
	case before.Password != wanted.Password || before.MemoryMB != wanted.MemoryMB:
		err = s.reconfigure(ctx, before.Password != wanted.Password)
	}
	if err != nil {
		return fmt.Errorf("change Redis: %w", err)
	}
	s.unsettled = false
	return nil
}

// reconfigure changes the settings of the running server. The caller has the lock.
func (s *Server) reconfigure(ctx context.Context, passwordChanged bool) error {
	if err := s.writeConfiguration(); err != nil {
		return err
	}
	admin := s.admin()
	defer admin.Close()
	if err := admin.ConfigSet(ctx, "maxmemory", s.memory()).Err(); err != nil || !passwordChanged {
		return err
	}
	if err := admin.Do(ctx, s.customer()...).Err(); err != nil {
		return err
	}
	return admin.Do(ctx, "CLIENT", "KILL", "USER", customerName).Err()
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
