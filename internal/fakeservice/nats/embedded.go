package nats

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// The two users.
const (
	Customer = "service"
	own      = "hosting"
)

// ownSubjects is the prefix of the subjects at which the package's user receives replies.
const ownSubjects = "_HOSTING"

// patience is the time limit for operations on a busy machine.
const patience = time.Minute

// options returns the options of the running server for the current settings.
func (s *Server) options() *server.Options {
	return &server.Options{
		ServerName: "nats", Host: s.host, Port: server.RANDOM_PORT,
		ClientAdvertise: net.JoinHostPort(s.host, strconv.Itoa(s.proxy.Port())),
		TLSConfig:       s.tls, TLSTimeout: patience.Seconds(), AuthTimeout: patience.Seconds(),
		NoSigs: true, DisableJetStreamBanner: true,
		JetStream: true, StoreDir: s.data(),
		JetStreamMaxMemory: int64(s.settings.MemoryMB) << 20,
		JetStreamMaxStore:  int64(s.settings.DiskGB) << 30,
		Users: []*server.User{
			{Username: own, Password: s.password},
			{Username: Customer, Password: s.settings.Password, Permissions: &server.Permissions{
				// Only the server may publish advisories, and the customer may not see
				// other connections.
				Publish:   &server.SubjectPermission{Deny: []string{"$JS.EVENT.>", "$SYS.REQ.ACCOUNT.>", ownSubjects + ".>"}},
				Subscribe: &server.SubjectPermission{Deny: []string{ownSubjects + ".>"}},
			}},
		},
	}
}

// run starts a server inside this program.
func run(o *server.Options, log *slog.Logger) (*server.Server, error) {
	started, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("start NATS: %w", err)
	}
	told := &logger{log: log.With("engine", "nats")}
	started.SetLoggerV2(told, false, false, false)
	started.Start()
	if err := told.failure(); err != nil {
		end(started)
		return nil, fmt.Errorf("start NATS: %w", err)
	}
	if !o.DontListen && !started.ReadyForConnections(patience) {
		end(started)
		return nil, errors.New("start NATS: it was not ready in time")
	}
	return started, nil
}

func end(running *server.Server) {
	running.Shutdown()
	running.WaitForShutdown()
}

// connect connects without a port. It uses the package's user.
func (s *Server) connect(running *server.Server) (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(running), nats.UserInfo(own, s.password),
		nats.CustomInboxPrefix(ownSubjects), nats.NoReconnect(), nats.Timeout(patience))
}

// logger passes on a server's errors, and keeps the fatal one: a server that runs inside a
// program does not end it.
type logger struct {
	log *slog.Logger

	mu    sync.Mutex
	fatal error
}

// The methods implement the logger of a server. Its warnings are for people who configure
// it in a file, for example about an unhashed password, and do not apply here.

func (l *logger) Noticef(string, ...any) {}
func (l *logger) Warnf(string, ...any)   {}
func (l *logger) Debugf(string, ...any)  {}
func (l *logger) Tracef(string, ...any)  {}

func (l *logger) Errorf(format string, args ...any) {
	l.log.Warn(fmt.Sprintf(format, args...))
}

func (l *logger) Fatalf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fatal = errors.Join(l.fatal, fmt.Errorf(format, args...))
}

func (l *logger) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}
