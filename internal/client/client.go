package client

import (
	"cmp"
	"context"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// DefaultMaxRetries is the provider's default of Options.MaxRetries.
const DefaultMaxRetries = 4

// A Transport sends requests to the service and returns its responses.
type Transport = http.RoundTripper

// Options configure a Client.
type Options struct {
	// BaseURL is the REST base address, ending in /api/v1. It must use https; http is
	// accepted only for loopback addresses.
	BaseURL string
	// APIKey is sent as a bearer token with every request.
	APIKey string
	// MaxRetries is the maximum number of retries of one request. A request that was
	// answered 429 does not count: it is sent again as long as other requests succeed.
	MaxRetries int
	// RequestTimeout limits one attempt of one request, including its body. Zero means
	// transport.DefaultRequestTimeout.
	RequestTimeout time.Duration
	// ReadLag is the time during which reads may show the state from before a write. Zero
	// means the constant ReadLag.
	ReadLag time.Duration
	// RequestsPerSecond limits the rate of all requests of the client together. If it is
	// zero, only the service's responses limit the rate.
	RequestsPerSecond float64
	// UserAgent is sent with every request.
	UserAgent string
	// Transport sends the requests. Nil means a transport created by the client.
	Transport Transport
	// Random is the source of jitter and idempotency keys. Nil means a source seeded by the
	// system.
	Random rand.Source
	// Log, if non-nil, is called for each attempt, with a message without secrets.
	Log func(ctx context.Context, message string, fields map[string]any)
	// Progress, if non-nil, is called for each state of a job or build that the client waits
	// for.
	Progress func(context.Context, Progress)
}

// A Client sends requests to the service with one API key. It is safe for concurrent use.
// A process should have only one, because the Client contains the queue of each instance,
// the request rate and the shared reads.
type Client struct {
	sender     *transport.Sender
	base       *url.URL
	maxRetries int           // Options.MaxRetries
	readLag    time.Duration // Options.ReadLag
	random     *transport.Random
	secrets    *transport.Secrets
	// progress is Options.Progress.
	progress func(context.Context, Progress)

	instanceQueues *queues[string]        // by instance id
	creations      *queues[instanceShape] // of instances that could be mistaken for each other
	endpoints      *queues[string]        // creations of webhook endpoints, by URL

	reads    *reads
	absences *absences
	account  *keyAccount

	mu      sync.Mutex
	claimed map[string]bool // ids; see Claim
}

// ReadLag returns the time during which reads may show the state from before a write.
func (c *Client) ReadLag() time.Duration { return c.readLag }

// New returns a client. It returns an error if the base URL or the key is invalid.
func New(o Options) (*Client, error) {
	base, err := transport.ParseBaseURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	if err := transport.CheckAPIKey(o.APIKey); err != nil {
		return nil, err
	}
	if o.Progress == nil {
		o.Progress = func(context.Context, Progress) {}
	}
	random, secrets := transport.NewRandom(o.Random), &transport.Secrets{}
	return &Client{
		sender: transport.New(transport.Options{
			BaseURL:           base,
			APIKey:            o.APIKey,
			UserAgent:         o.UserAgent,
			MaxRetries:        o.MaxRetries,
			RequestTimeout:    o.RequestTimeout,
			RequestsPerSecond: o.RequestsPerSecond,
			RoundTripper:      o.Transport,
			Random:            random,
			Secrets:           secrets,
			Log:               o.Log,
		}),
		base:           base,
		maxRetries:     o.MaxRetries,
		readLag:        cmp.Or(o.ReadLag, ReadLag),
		random:         random,
		secrets:        secrets,
		progress:       o.Progress,
		instanceQueues: newQueues[string](),
		creations:      newQueues[instanceShape](),
		endpoints:      newQueues[string](),
		reads:          newReads(),
		absences:       newAbsences(),
		account:        &keyAccount{first: make(chan struct{}), later: newShared[accountID](&sequence{})},
		claimed:        map[string]bool{},
	}, nil
}

// Mark returns a random text that this client returns only once.
func (c *Client) Mark() string { return c.random.Key() }

// Claim records that this process created an instance, a webhook endpoint or a job, or
// has it in its state. A search for something that this process has just created, or for
// a creation that an earlier run left unfinished, then ignores it. An empty id is
// ignored.
func (c *Client) Claim(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id != "" {
		c.claimed[id] = true
	}
}

// HasClaimed reports whether an instance, a webhook endpoint or a job was recorded by
// Claim.
func (c *Client) HasClaimed(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.claimed[id]
}

// HasAnswered reports whether the service has ever answered this client.
func (c *Client) HasAnswered() bool { return c.sender.HasAnswered() }

// CloseIdleConnections closes the connections that no request uses.
func (c *Client) CloseIdleConnections() { c.sender.CloseIdleConnections() }

// HideSecret removes a value from all future log lines and errors of the client. If the
// value is a URL, its password alone is removed, too. Callers must register the secrets
// that they send.
func (c *Client) HideSecret(value string) { c.secrets.AddURL(value) }

// HideStatement is like HideSecret, for SQL: parts of it that an error quotes are removed, too.
func (c *Client) HideStatement(sql string) { c.secrets.AddStatement(sql) }

// HideVariable is like HideSecret, for a variable that a build may print: each line of the
// value is removed, too.
func (c *Client) HideVariable(value string) { c.secrets.AddVariable(value) }

// An instanceShape is a key shared by instances that could be mistaken for each other.
type instanceShape struct{ name, plan, region string }
