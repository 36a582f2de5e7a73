package client

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Defaults of Options.
const (
	DefaultMaxRetries     = 4
	DefaultRequestTimeout = 60 * time.Second
)

// A Transport carries requests to the service and brings its answers.
type Transport = http.RoundTripper

// A Dialer is a Transport that can be left: Open returns one without connections.
type Dialer interface {
	Transport
	Open() Transport
}

// Options configure a Client.
type Options struct {
	// BaseURL is the REST base address, ending in /api/v1. It must be https;
	// http is accepted for loopback addresses alone.
	BaseURL string
	// APIKey is sent as a bearer token with every request.
	APIKey string
	// MaxRetries is how often one request is sent again at most. A request that
	// was answered 429 is not counted: it is sent again while others get through.
	MaxRetries int
	// RequestTimeout bounds one attempt of one request, its body included.
	// Zero means DefaultRequestTimeout.
	RequestTimeout time.Duration
	// RequestsPerSecond is a ceiling for all requests of the client together.
	// Zero means none but what the service's answers ask for.
	RequestsPerSecond float64
	// UserAgent is sent with every request.
	UserAgent string
	// Transport carries the requests. Nil means a transport of the client's own.
	Transport Transport
	// Random is where jitter and idempotency keys come from. Nil means a source
	// seeded by the system.
	Random rand.Source
	// Log receives a line per attempt, already without secrets. Nil drops them.
	Log func(ctx context.Context, message string, fields map[string]any)
	// Progress receives a line for each state of a job or build that is waited for,
	// without secrets. Nil drops them.
	Progress func(ctx context.Context, message string, fields map[string]any)
}

// A Client speaks to the service for one API key. It is safe for concurrent
// use, and one process should have one: the queue of each instance, the pace of
// requests and the coalesced reads live in it.
type Client struct {
	base   *url.URL
	apiKey string
	agent  string

	http       *retryablehttp.Client
	maxRetries int // Options.MaxRetries
	random     *random
	secrets    *secrets
	// progress is Options.Progress.
	progress func(ctx context.Context, message string, fields map[string]any)

	instanceQueues *queues[string]        // by instance id
	creations      *queues[instanceShape] // of instances that could be taken for each other
	endpoints      *queues[string]        // creations of webhook endpoints, by URL

	reads    *reads
	absences *absences
	outage   *outage

	durations *durations
	account   *keyAccount

	mu        sync.Mutex
	claimed   map[string]bool // ids; see Claim
	begunWork map[string]work // jobs and builds of this process; see noteWork
}

// New makes a client. It fails on a base URL or key that cannot be one.
func New(o Options) (*Client, error) {
	base, err := ParseBaseURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	if err := CheckAPIKey(o.APIKey); err != nil {
		return nil, err
	}
	if o.RequestTimeout <= 0 {
		o.RequestTimeout = DefaultRequestTimeout
	}
	if o.Log == nil {
		o.Log = func(context.Context, string, map[string]any) {}
	}
	if o.Progress == nil {
		o.Progress = func(context.Context, string, map[string]any) {}
	}
	open := newTransport
	if o.Transport != nil {
		open = func() http.RoundTripper { return o.Transport }
		if dialer, ok := o.Transport.(Dialer); ok {
			open = dialer.Open
		}
	}
	c := &Client{
		base:           base,
		apiKey:         o.APIKey,
		agent:          o.UserAgent,
		maxRetries:     o.MaxRetries,
		random:         newRandom(o.Random),
		secrets:        &secrets{},
		progress:       o.Progress,
		instanceQueues: newQueues[string](),
		creations:      newQueues[instanceShape](),
		endpoints:      newQueues[string](),
		reads:          newReads(),
		absences:       newAbsences(),
		outage:         &outage{},
		durations:      newDurations(),
		account:        &keyAccount{first: make(chan struct{}), later: newShared[accountID](&sequence{})},
		claimed:        map[string]bool{},
		begunWork:      map[string]work{},
	}
	c.secrets.add(o.APIKey)
	limiter := newLimiter(o.RequestsPerSecond, c.random)
	c.http = newRetrying(&attempts{
		connections: newConnections(open),
		timeout:     o.RequestTimeout,
		limiter:     limiter,
		paths:       &closedPaths{random: c.random, closed: map[string]closedPath{}},
		outage:      c.outage,
		log:         o.Log,
		secrets:     c.secrets,
	}, o.MaxRetries, limiter, c.random)
	return c, nil
}

// Claim notes that an instance, a webhook endpoint or a job is known: this process
// made it, or has it in its state. Nothing of the process takes it for what it has
// just made, or for the half of an earlier run. An id of "" is ignored.
func (c *Client) Claim(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id != "" {
		c.claimed[id] = true
	}
}

// HasClaimed tells whether an instance, a webhook endpoint or a job was noted by Claim.
func (c *Client) HasClaimed(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.claimed[id]
}

// HideSecret makes the client leave a value out of every log line and error
// from now on. Callers name the secrets that they send.
func (c *Client) HideSecret(value string) { c.secrets.add(value) }
