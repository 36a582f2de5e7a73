package authengine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/bcrypt"
)

// basePath is the end of the engine's address.
const basePath = "/auth/v1"

// Settings can change while the engine runs.
type Settings struct {
	// DSN is the connection string of the engine's database.
	DSN string
	// SigningKey signs tokens.
	SigningKey string
	// AnonKey and ServiceKey are the values that callers send as apikey. They are tokens
	// signed with SigningKey, but the engine accepts only these two.
	AnonKey, ServiceKey string
	// SiteURL is the default target of links. RedirectURLs are patterns of other allowed
	// targets.
	SiteURL      string
	RedirectURLs []string
}

// Options configures an Engine.
type Options struct {
	Settings
	// Listener is the engine's listener, which the engine closes. Address is the host:port
	// at which clients reach it. Without a Listener, the engine listens on Address; port 0
	// takes a free port.
	Listener net.Listener
	Address  string
	// TokenLife is the lifetime of an access token. The default is an hour.
	TokenLife time.Duration
	// HashCost is the bcrypt cost of password hashes; 0 means bcrypt's default.
	HashCost int
	// Attempts is the maximum number of sign-ins and sign-ups in five minutes for each
	// client address and each e-mail address. The same limit applies separately to mails,
	// codes, refreshes and changes. The default is 60; a negative value disables the limit.
	Attempts int
	// Notify, if non-nil, is called with events of accounts and with mails, after they are
	// committed to the database.
	Notify func(Event)
	// Logger gets one line for each request, without secrets; nil discards them.
	Logger *slog.Logger
}

// Event reports something that happened in the engine.
type Event struct {
	// Kind is auth_user_created, auth_user_invited, auth_user_banned, auth_user_unbanned,
	// auth_user_deleted or auth_link_sent. It is empty if the Event only carries a mail.
	Kind string
	// UserID is the account of the event, and Email the recipient of the mail.
	UserID, Email string
	// Link and Code are the content of the mail, if any. They are secrets.
	Link, Code string
}

// Engine is an auth server. Its address stays the same until Close.
type Engine struct {
	options  Options
	log      *slog.Logger
	url      string
	server   *http.Server
	served   chan struct{}
	settings atomic.Pointer[Settings]

	// changing is locked while the part of the engine behind the address starts, restarts
	// or ends.
	changing sync.Mutex
	core     atomic.Pointer[core]
}

// core is the part of the engine behind the address: a restart discards all of it.
type core struct {
	engine   *Engine
	accounts *accounts
	limits   *limiter
	// nobodysHash replaces the password hash of an account that does not exist, so that the
	// answer takes as long as for one that does.
	nobodysHash string
	routes      http.Handler
}

// Start listens, and returns once the database has the engine's tables.
func Start(ctx context.Context, o Options) (*Engine, error) {
	o.TokenLife = cmp.Or(o.TokenLife, time.Hour)
	o.HashCost = cmp.Or(o.HashCost, bcrypt.DefaultCost)
	o.Attempts = cmp.Or(o.Attempts, 60)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Notify == nil {
		o.Notify = func(Event) {}
	}
	listener := o.Listener
	if listener == nil {
		var config net.ListenConfig
		var err error
		if listener, err = config.Listen(ctx, "tcp", o.Address); err != nil {
			return nil, err
		}
		o.Address = listener.Addr().String()
	}
	e := &Engine{options: o, log: o.Logger, url: "http://" + o.Address + basePath, served: make(chan struct{})}
	e.configure(o.Settings)
	e.server = &http.Server{Handler: http.HandlerFunc(e.serve), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second}
	go func() {
		defer close(e.served)
		if err := e.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			e.log.Error("the auth engine's address is gone", "error", err)
		}
	}()
	if err := e.Restart(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// URL returns the engine's address, which ends in /auth/v1.
func (e *Engine) URL() string { return e.url }

// Ping checks that the engine runs and reaches its accounts.
func (e *Engine) Ping(ctx context.Context) error {
	running := e.core.Load()
	if running == nil {
		return errors.New("the auth engine does not run")
	}
	return running.accounts.pool.Ping(ctx)
}

// Configure changes the settings immediately.
func (e *Engine) Configure(s Settings) {
	changed := e.settings.Load().DSN != s.DSN
	e.configure(s)
	if core := e.core.Load(); changed && core != nil {
		// Open connections would keep using the old settings.
		core.accounts.pool.Reset()
	}
}

func (e *Engine) configure(s Settings) {
	s.RedirectURLs = slices.Clone(s.RedirectURLs)
	e.settings.Store(&s)
}

// Restart starts a new core behind the same address. While it runs, the engine answers 503.
// Accounts and sessions survive, because they are in the database.
func (e *Engine) Restart(ctx context.Context) error {
	e.changing.Lock()
	defer e.changing.Unlock()
	e.halt()
	accounts, err := openAccounts(ctx, func() string { return e.settings.Load().DSN })
	if err != nil {
		return fmt.Errorf("start the auth engine: %w", err)
	}
	c := &core{engine: e, accounts: accounts, limits: newLimiter(e.options.Attempts)}
	if c.nobodysHash, err = c.hash("nobody's password"); err != nil {
		accounts.close()
		return err
	}
	c.routes = c.router()
	e.core.Store(c)
	return nil
}

// Reset deletes every account and restarts the engine.
func (e *Engine) Reset(ctx context.Context) error {
	if err := e.Erase(ctx); err != nil {
		return err
	}
	return e.Restart(ctx)
}

// Erase deletes every account, and leaves the engine without its tables.
func (e *Engine) Erase(ctx context.Context) error {
	e.changing.Lock()
	defer e.changing.Unlock()
	core := e.core.Load()
	if core == nil {
		return nil
	}
	return core.accounts.erase(ctx)
}

// halt ends the core. The caller has locked e.changing.
func (e *Engine) halt() {
	if old := e.core.Swap(nil); old != nil {
		old.accounts.close()
	}
}

// Close ends the engine. Its accounts stay in the database.
func (e *Engine) Close() error {
	err := e.server.Close()
	<-e.served
	e.changing.Lock()
	defer e.changing.Unlock()
	e.halt()
	return err
}

// serve answers requests while the core runs, and 503 otherwise.
func (e *Engine) serve(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	allowOrigins(w)
	if core := e.core.Load(); core != nil {
		core.routes.ServeHTTP(w, r)
	} else {
		problemUnavailable.write(w, r)
	}
	e.log.Debug("auth request", "method", r.Method, "path", r.URL.Path, "took", time.Since(began))
}
