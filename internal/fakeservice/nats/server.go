package nats

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/datafolder"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gate"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/outside"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/turn"
)

// Port is the service's own, where a Server listens if it is free.
const Port = 4222

// Options says how a Server runs.
type Options struct {
	// Folder is where the server's streams lie. It is made where it is not there; the
	// streams of one that is there are the server's.
	Folder string
	// Host is the loopback address that the port is at, unless Outside has public ports
	// elsewhere. Port is the one to have if it is free; 0 is the service's own.
	Host    string
	Outside outside.Addresses
	Port    int
	// Certificate and Key are PEM, for Host.
	Certificate, Key string
	Settings         Settings
	// Notify is told what happens to streams, one event after the other; nil is
	// nobody.
	Notify func(Event)
	// Logger is told of refused connections and of what is wrong; nil discards it.
	Logger *slog.Logger
}

// Settings are what can change while a server runs.
type Settings struct {
	// Password is that of the user Customer.
	Password string
	// MemoryMB and DiskGB are how much streams in memory and in files may hold.
	MemoryMB, DiskGB int
	// Allowlist is who may connect; empty is everyone.
	Allowlist []netip.Prefix
}

// Server is one NATS server. It is safe for concurrent use.
type Server struct {
	folder string
	host   string
	tls    *tls.Config
	notify func(Event)
	log    *slog.Logger
	gate   *gate.Gate
	// password is that of the package's own user.
	password string

	// turn is held by whoever changes the server. It guards what follows.
	turn     *turn.Turn
	settings Settings
	// unsettled is set while it is not sure that the settings are in force.
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
		folder: folder, host: o.Host, notify: o.Notify, log: o.Logger, turn: turn.New(ctx),
		tls:      &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
		password: rand.Text(), settings: o.Settings,
	}
	s.gate, err = gate.Open(ctx, gate.Options{Host: o.Host, Outside: o.Outside, Ports: []int{o.Port, Port}, Engine: "nats", Logger: o.Logger})
	if err != nil {
		return nil, err
	}
	s.gate.Allow(o.Settings.Allowlist)
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) open(ctx context.Context) error {
	ctx, leave, err := s.turn.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if err := errors.Join(os.MkdirAll(s.folder, 0o700), datafolder.Recover(s.data())); err != nil {
		return err
	}
	return s.start(ctx)
}

// Port is the public port.
func (s *Server) Port() int { return s.gate.Port() }

// data is where the streams lie.
func (s *Server) data() string { return filepath.Join(s.folder, "data") }

// start starts the server and lets callers in. The turn is held.
func (s *Server) start(context.Context) error {
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
	s.gate.Lead(inside.Network(), inside.String())
	return nil
}

// stop stops the server, if it runs. The turn is held.
func (s *Server) stop() {
	s.gate.Lead("", "")
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

// Configure brings other settings into force: passwords and the allowlist without a
// restart, limits with one. Sessions that came in by a password which is no longer the
// right one end.
func (s *Server) Configure(ctx context.Context, wanted Settings) error {
	ctx, leave, err := s.turn.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	before, all := s.settings, s.unsettled || s.running == nil
	s.settings, s.unsettled = wanted, true
	s.gate.Allow(wanted.Allowlist)
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
	ctx, leave, err := s.turn.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	s.stop()
	return s.start(ctx)
}

// Close stops the server. Its streams stay in the folder.
func (s *Server) Close() error {
	defer s.turn.Close()()
	s.stop()
	s.gate.Close()
	return nil
}

// Remove stops the server and takes its folder away.
func (s *Server) Remove() error {
	return errors.Join(s.Close(), os.RemoveAll(s.folder))
}
