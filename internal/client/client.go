// Package client is the instance hosting service's REST API in Go: its types,
// calls and errors, and the waiting for what a call has set going. It knows
// nothing of Terraform.
//
// A change of an instance is queued by the service as a job, one at a time per
// instance (service.md, "States and transitions"). The client keeps that queue
// too: a caller enters it (Client.Enter) and gets a Turn, whose methods are the
// only way to change an instance.
package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Defaults of Options.
const (
	DefaultMaxRetries     = 4
	DefaultRequestTimeout = 60 * time.Second
)

// Options configure a Client.
type Options struct {
	// BaseURL is the REST base address, ending in /api/v1. It must be https;
	// http is accepted for loopback addresses alone.
	BaseURL string
	// APIKey is sent as a bearer token with every request.
	APIKey string
	// MaxRetries is how often one request is sent again at most.
	MaxRetries int
	// RequestTimeout bounds one attempt of one request, its body included.
	// Zero means DefaultRequestTimeout.
	RequestTimeout time.Duration
	// UserAgent is sent with every request.
	UserAgent string
	// Transport carries the requests. Nil means a transport of the client's own.
	Transport http.RoundTripper
	// Log receives a line per attempt, already without secrets. Nil drops them.
	Log func(ctx context.Context, message string, fields map[string]any)
}

// A Client speaks to the service for one API key. It is safe for concurrent
// use, and one process should have one: the queue of each instance and the
// coalesced reads live in it.
type Client struct {
	base    *url.URL
	apiKey  string
	agent   string
	retries int

	senders map[string]sender // by HTTP method
	once    sender            // sends one attempt, for polls

	secrets *secrets
	clock   *serverClock
	queues  *queues
	reads   *reads
	catalog catalog

	mu      sync.Mutex
	claimed map[string]bool // ids; see Claim
}

// New makes a client. It fails on a base URL that would send the key in clear.
func New(o Options) (*Client, error) {
	base, err := ParseBaseURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	if o.APIKey == "" {
		return nil, errors.New("the API key is empty")
	}
	if o.RequestTimeout <= 0 {
		o.RequestTimeout = DefaultRequestTimeout
	}
	if o.Log == nil {
		o.Log = func(context.Context, string, map[string]any) {}
	}
	if o.Transport == nil {
		o.Transport = newTransport()
	}
	c := &Client{
		base:    base,
		apiKey:  o.APIKey,
		agent:   o.UserAgent,
		retries: o.MaxRetries,
		secrets: &secrets{},
		clock:   &serverClock{},
		queues:  newQueues(),
		reads:   newReads(),
		claimed: map[string]bool{},
	}
	c.secrets.add(o.APIKey)
	exchange := &exchange{
		next:    o.Transport,
		timeout: o.RequestTimeout,
		clock:   c.clock,
		log:     o.Log,
		secrets: c.secrets,
	}
	c.senders, c.once = newSenders(exchange, o.MaxRetries)
	return c, nil
}

// ParseBaseURL checks a base URL: absolute, without user, query or fragment,
// https unless its host is a loopback address.
func ParseBaseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, errors.New("the base URL is not a URL")
	case u.Host == "":
		return nil, errors.New("the base URL must be absolute, like https://hosting.example/api/v1")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the base URL must have no user, query or fragment")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
	case u.Scheme == "http":
		return nil, errors.New("the base URL must use https: over http the API key would travel in clear (http is accepted for loopback addresses alone)")
	default:
		return nil, fmt.Errorf("the base URL must use https, not %q", u.Scheme)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = ""
	return u, nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Claim notes that an instance or webhook endpoint is known: this process made
// it, or has it in its state. No Create of the process takes it for its own, or
// for the half of an earlier run.
func (c *Client) Claim(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.claimed[id] = true
}

func (c *Client) hasClaimed(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.claimed[id]
}

// HideSecret makes the client leave a value out of every log line and error
// from now on. Callers name the secrets that they send.
func (c *Client) HideSecret(value string) { c.secrets.add(value) }

// newKey makes a key for the Idempotency-Key header.
func newKey() string { return rand.Text() }
