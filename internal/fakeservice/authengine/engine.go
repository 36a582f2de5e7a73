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

// basePath is where the engine's address ends.
const basePath = "/auth/v1"

// Settings are what may change while the engine runs.
type Settings struct {
	// DSN is how the engine reaches its database.
	DSN string
	// SigningKey signs tokens.
	SigningKey string
	// AnonKey and ServiceKey are what callers send as apikey. They are tokens
	// that SigningKey has signed, but only these very two are taken.
	AnonKey, ServiceKey string
	// SiteURL is where links lead when nothing else is asked for, and
	// RedirectURLs are the patterns of what else may be.
	SiteURL      string
	RedirectURLs []string
}

// Options says how an Engine runs.
type Options struct {
	Settings
	// Listener is where it listens, which the engine closes. Address is how others
	// reach it there, as host:port. Without a Listener it listens on the Address, of
	// which port 0 takes a free one.
	Listener net.Listener
	Address  string
	// TokenLife is how long an access token is good for; 0 is an hour.
	TokenLife time.Duration
	// HashCost is how much work a password's hash is, as bcrypt counts it; 0 is
	// bcrypt's default.
	HashCost int
	// Attempts is how many sign-ins and sign-ups an address may try in five
	// minutes, and how many an e-mail address; as many mails, codes, refreshes
	// and changes each. 0 is 60, negative is no limit.
	Attempts int
	// Notify is told of what happens to accounts and of mails, after it is in the
	// database; nil tells nobody.
	Notify func(Event)
	// Logger gets one line for each request, without secrets; nil discards them.
	Logger *slog.Logger
}

// Event is something that happened in the engine.
type Event struct {
	// Kind is auth_user_created, auth_user_invited, auth_user_banned,
	// auth_user_unbanned, auth_user_deleted or auth_link_sent; it is empty where
	// nothing came of it but a mail.
	Kind string
	// UserID is whom it happened to, and Email where a mail goes.
	UserID, Email string
	// Link and Code are what the mail carries, if there is one. They are secrets.
	Link, Code string
}

// Engine is an auth server. Its address stays for as long as it is there.
type Engine struct {
	options  Options
	log      *slog.Logger
	url      string
	server   *http.Server
	served   chan struct{}
	settings atomic.Pointer[Settings]

	// changing is held by whoever starts, restarts or ends the engine's part
	// behind the address.
	changing sync.Mutex
	core     atomic.Pointer[core]
}

// core is what is behind the address: all that a restart throws away.
type core struct {
	engine   *Engine
	accounts *accounts
	limits   *limiter
	// nobodysHash stands for the password of an account that is not there, so
	// that the answer takes as long as for one that is.
	nobodysHash string
	routes      http.Handler
}

// Start listens and answers once the database holds the engine's tables.
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

// URL is the engine's address, which ends in /auth/v1.
func (e *Engine) URL() string { return e.url }

// Configure changes the settings at once.
func (e *Engine) Configure(s Settings) {
	changed := e.settings.Load().DSN != s.DSN
	e.configure(s)
	if core := e.core.Load(); changed && core != nil {
		// Connections that are open go on with what they were opened with.
		core.accounts.pool.Reset()
	}
}

func (e *Engine) configure(s Settings) {
	s.RedirectURLs = slices.Clone(s.RedirectURLs)
	e.settings.Store(&s)
}

// Restart begins the engine anew behind its address. Meanwhile it answers 503.
// Accounts and sessions stay, as they are in the database.
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

// Reset takes every account away and begins the engine anew.
func (e *Engine) Reset(ctx context.Context) error {
	if err := e.Erase(ctx); err != nil {
		return err
	}
	return e.Restart(ctx)
}

// Erase takes every account away, and leaves the engine without its tables.
func (e *Engine) Erase(ctx context.Context) error {
	e.changing.Lock()
	defer e.changing.Unlock()
	core := e.core.Load()
	if core == nil {
		return nil
	}
	return core.accounts.erase(ctx)
}

// halt ends what is behind the address. e.changing is held.
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

// serve answers while the engine runs, and says so while it does not.
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
