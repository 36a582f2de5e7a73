package nats

import (
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

	"github.com/nats-io/nats-server/v2/server"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/allowproxy"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/datafolder"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/enginelock"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/publicaddr"
)

// Port is the service's standard port. A Server listens there if it is free.
const Port = 4222

// Options configures a Server.
type Options struct {
	// Folder is the folder of the server's streams. It is created if it does not exist;
	// otherwise the server continues with its streams.
	Folder string
	// Host is the loopback address of the port, unless Public has the public port elsewhere.
	// Port is the preferred port; 0 means the service's standard port.
	Host   string
	Public publicaddr.Addresses
	Port   int
	// Certificate and Key are PEM, for Host.
	Certificate, Key string
	Settings         Settings
	// Notify, if non-nil, is called with changes of streams, one at a time.
	Notify func(Event)
	// Logger logs refused connections and errors; nil discards them.
	Logger *slog.Logger
}

// Settings can change while a server runs.
type Settings struct {
	// Password is the password of the user Customer.
	Password string
	// MemoryMB and DiskGB limit the size of streams in memory and in files.
	MemoryMB, DiskGB int
	// Allowlist contains the networks that may connect; empty means all.
	Allowlist []netip.Prefix
}

// Server is one NATS server. It is safe for concurrent use.
type Server struct {
	folder string
	host   string
	tls    *tls.Config
	notify func(Event)
	log    *slog.Logger
	proxy  *allowproxy.Proxy
	// password is the password of the package's user.
	password string

	// lock serializes changes of the server. It guards the following fields.
	lock     *enginelock.Lock
	settings Settings
	// unsettled is set until the settings are known to be in effect.
	unsettled bool
	// running and listening are nil while the server is stopped.
	running   *server.Server
	listening *listener
}

// Open starts a server with the streams of its folder.
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
	s := &Server{
		folder: folder, host: o.Host, notify: o.Notify, log: o.Logger, lock: enginelock.New(ctx),
		tls:      &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
		password: rand.Text(), settings: o.Settings,
	}
	s.proxy, err = allowproxy.Open(ctx, allowproxy.Options{Host: o.Host, Public: o.Public, Ports: []int{o.Port, Port}, Engine: "nats", Logger: o.Logger})
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
	if err := errors.Join(os.MkdirAll(s.folder, 0o700), datafolder.Recover(s.data())); err != nil {
		return err
	}
	return s.start(ctx)
}

// Dial connects as a client in the allowlist does.
func (s *Server) Dial(ctx context.Context) (net.Conn, error) { return s.proxy.Dial(ctx) }

// Port returns the public port.
func (s *Server) Port() int { return s.proxy.Port() }

// data returns the folder of the streams.
func (s *Server) data() string { return filepath.Join(s.folder, "data") }

// accountFolder returns the folder in which the server keeps the streams of the customer's
// account.
func (s *Server) accountFolder() string {
	return filepath.Join(s.data(), server.JetStreamStoreDir, server.DEFAULT_GLOBAL_ACCOUNT)
}

// start starts the server and admits clients. The caller has the lock.
func (s *Server) start(context.Context) error {
	// After the deletion of a stream, the server removes the account's folder in the
	// background, if it is empty. That could make the next start fail.
	if err := os.MkdirAll(filepath.Join(s.accountFolder(), "keep"), 0o700); err != nil {
		return fmt.Errorf("start NATS: %w", err)
	}
	running, err := run(s.options(), s.log)
	if err != nil {
		return err
	}
	s.running = running
	if s.listening, err = s.listen(running); err != nil {
		s.stop()
		return fmt.Errorf("listen to NATS: %w", err)
	}
	inside := running.Addr()
	s.proxy.Lead(inside.Network(), inside.String())
	return nil
}

// stop stops the server, if it runs. The caller has the lock.
func (s *Server) stop() {
	s.proxy.Lead("", "")
	if s.listening != nil {
		if err := s.listening.hearOut(s.running); err != nil {
			s.log.Warn("not all that happened to streams was told", "error", err)
		}
		s.listening = nil
	}
	if s.running != nil {
		end(s.running)
		s.running = nil
	}
}

// Configure applies new settings: passwords and the allowlist without a restart, limits
// with one. Sessions that used an old password end.
func (s *Server) Configure(ctx context.Context, wanted Settings) error {
	ctx, release, err := s.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	before, all := s.settings, s.unsettled || s.running == nil
	s.settings, s.unsettled = wanted, true
	s.proxy.Allow(wanted.Allowlist)
	switch {
	case all || before.MemoryMB != wanted.MemoryMB || before.DiskGB != wanted.DiskGB:
		s.stop()
		err = s.start(ctx)
	case before.Password != wanted.Password:
		err = s.running.ReloadOptions(s.options())
	}
	if err != nil {
		return fmt.Errorf("change NATS: %w", err)
	}
	s.unsettled = false
	return nil
}

// Restart restarts the server. Streams in files stay, with their consumers.
func (s *Server) Restart(ctx context.Context) error {
	ctx, release, err := s.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	s.stop()
	return s.start(ctx)
}

// Close stops the server. Its streams stay in the folder.
func (s *Server) Close() error {
	defer s.lock.Close()()
	s.stop()
	s.proxy.Close()
	return nil
}

// Remove stops the server and deletes its folder.
func (s *Server) Remove() error {
	return errors.Join(s.Close(), os.RemoveAll(s.folder))
}
