package transport

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// DefaultRequestTimeout is the limit of an attempt if none is configured.
const DefaultRequestTimeout = 60 * time.Second

// A Dialer is a RoundTripper that can be replaced: Open returns a new one without
// connections.
type Dialer interface {
	http.RoundTripper
	Open() http.RoundTripper
}

// Options configure a Sender.
type Options struct {
	BaseURL   *url.URL // see ParseBaseURL
	APIKey    string   // sent as a bearer token
	UserAgent string   // "" sends none
	// MaxRetries is the maximum number of retries of one request. A request that was
	// answered 429 does not count: it is sent again as long as other requests succeed.
	MaxRetries int
	// RequestTimeout limits one attempt of one request, including its body. Zero means
	// DefaultRequestTimeout.
	RequestTimeout time.Duration
	// RequestsPerSecond limits the rate of all requests together. If it is zero, only the
	// service's responses limit the rate.
	RequestsPerSecond float64
	// RoundTripper sends the requests. Nil means one from NewTransport.
	RoundTripper http.RoundTripper
	// Random is the source of jitter. It is required.
	Random *Random
	// Secrets are hidden in log lines and errors, and New adds the key. They are required.
	Secrets *Secrets
	// Log, if non-nil, is called for each attempt, with a message without secrets.
	Log func(ctx context.Context, message string, fields map[string]any)
}

// A Sender sends requests to the service with one API key. It is safe for concurrent use.
type Sender struct {
	base        *url.URL
	apiKey      string
	agent       string
	http        *retryablehttp.Client
	connections *connections
	outage      *outage
	secrets     *Secrets
}

// New returns a Sender without connections.
func New(o Options) *Sender {
	if o.RequestTimeout <= 0 {
		o.RequestTimeout = DefaultRequestTimeout
	}
	if o.Log == nil {
		o.Log = func(context.Context, string, map[string]any) {}
	}
	open := func() http.RoundTripper { return NewTransport() }
	if o.RoundTripper != nil {
		open = func() http.RoundTripper { return o.RoundTripper }
		if dialer, ok := o.RoundTripper.(Dialer); ok {
			open = dialer.Open
		}
	}
	o.Secrets.Add(o.APIKey)
	s := &Sender{base: o.BaseURL, apiKey: o.APIKey, agent: o.UserAgent, connections: newConnections(open), outage: &outage{}, secrets: o.Secrets}
	limiter := newLimiter(o.RequestsPerSecond, o.Random)
	s.http = newRetrying(&attempts{
		connections: s.connections,
		timeout:     o.RequestTimeout,
		limiter:     limiter,
		paths:       &closedPaths{random: o.Random, closed: map[string]closedPath{}},
		outage:      s.outage,
		log:         o.Log,
		secrets:     o.Secrets,
	}, o.MaxRetries, limiter, o.Random)
	return s
}

// CloseIdleConnections closes the connections that no request uses. Later requests open new
// ones.
func (s *Sender) CloseIdleConnections() { closeIdle(s.connections.newest.Load()) }

// HasAnswered reports whether the service has ever answered.
func (s *Sender) HasAnswered() bool { return s.outage.hasAnswered() }
