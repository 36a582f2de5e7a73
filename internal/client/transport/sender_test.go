package transport

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transporttest"
)

// newTestSender returns a sender whose requests are answered by a handler.
func newTestSender(t *testing.T, handler http.HandlerFunc, options ...func(*Options)) (*Sender, *transporttest.RoundTripper) {
	t.Helper()
	wire := transporttest.New(handler)
	o := Options{APIKey: "key-of-the-test", MaxRetries: 3, RoundTripper: wire, Random: NewRandom(nil), Secrets: &Secrets{}}
	at("https://hosting.example/api/v1")(&o)
	for _, option := range options {
		option(&o)
	}
	return New(o), wire
}

// Classes of errors, as the records have them.
var (
	errForbidden   = Class("forbidden", func(e *APIError) bool { return e.Status == http.StatusForbidden })
	errNotFound    = Class("not found", func(e *APIError) bool { return e.Code == "not_found" })
	errUnavailable = Class("unavailable", func(e *APIError) bool { return e.Status >= http.StatusInternalServerError })
)

// at is an option that sets the base URL.
func at(base string) func(*Options) {
	return func(o *Options) { o.BaseURL, _ = url.Parse(base) }
}

// readMe reads the record /me.
func readMe(ctx context.Context, c *Sender) error { return read(ctx, c, "me") }

// read reads a record.
func read(ctx context.Context, c *Sender, path ...string) error {
	_, err := Do[object](ctx, c, Request{Method: http.MethodGet, Path: path})
	return err
}

// Short names for the answers of tests.
const (
	dropped   = transporttest.Dropped
	refused   = transporttest.Refused
	silent    = transporttest.Silent
	brokenOff = transporttest.BrokenOff
)

var (
	respond     = transporttest.Respond
	refuse      = transporttest.Refuse
	gatewayPage = transporttest.GatewayPage
	gateway     = transporttest.Gateway
	says        = transporttest.Says
	inTurn      = transporttest.InTurn
	during      = transporttest.During
)

type script = transporttest.Script

type object = map[string]any

// within returns a context that ends after a duration.
func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func second[T any](_ T, err error) error { return err }

// inBubble runs a subtest in a bubble of fake time.
func inBubble(t *testing.T, name string, test func(*testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}
