package client

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transporttest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// Short names for the answers of tests.
const (
	dropped   = transporttest.Dropped
	refused   = transporttest.Refused
	silent    = transporttest.Silent
	brokenOff = transporttest.BrokenOff
	truncated = transporttest.Truncated
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

// newTestClient returns a client whose requests are answered by a handler.
func newTestClient(t *testing.T, handler http.HandlerFunc, options ...func(*Options)) (*Client, *transporttest.RoundTripper) {
	t.Helper()
	wire := transporttest.New(handler)
	o := Options{BaseURL: "https://hosting.example/api/v1", APIKey: "key-of-the-test", MaxRetries: 3, Transport: wire}
	for _, option := range options {
		option(&o)
	}
	c := must.Get(New(o))(t)
	return c, wire
}

func enter(t *testing.T, c *Client) *Turn {
	t.Helper()
	return must.Get(c.Enter(t.Context(), "i"))(t)
}

// isAs reports whether an error has a type, by errors.As.
func isAs[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

// within returns a context that ends after a duration.
func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

type object = map[string]any

func contains(text, part string) bool { return strings.Contains(text, part) }

func startOfBubble() time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }

// inBubble runs a subtest in a bubble of fake time.
func inBubble(t *testing.T, name string, test func(*testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}
