package hostingtest

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/webhooks"
)

// Speed is the default speed of a Service's clock: an instance, which takes eight minutes
// to create, takes half a second.
const Speed = 1000

// Option configures a Service. All functions that return an Option have names that begin
// with With.
type Option struct{ set func(*settings) }

// settings are the effects of options.
type settings struct {
	service         fakeservice.Options
	allowViolations bool
}

// WithViolations lets a test send requests that violate the API's document, to see how they
// are refused. By default such a test fails.
func WithViolations() Option {
	return Option{func(o *settings) { o.allowViolations = true }}
}

// WithSpeed sets how many times faster than real time the clock runs, up to 10,000. The
// default is Speed.
func WithSpeed(speed float64) Option {
	return Option{func(o *settings) { o.service.Speed = speed }}
}

// WithStart sets the time at which the clock starts. The default is the current time.
func WithStart(start time.Time) Option {
	return Option{func(o *settings) { o.service.Start = start }}
}

// WithAPIKey sets the API key. The default is a random one.
func WithAPIKey(key string) Option {
	return Option{func(o *settings) { o.service.APIKey = key }}
}

// WithLogger sets the logger. It receives a line for each job and build and, at debug
// level, for each request. Secrets are never logged. By default nothing is logged.
func WithLogger(log *slog.Logger) Option {
	return Option{func(o *settings) { o.service.Logger = log }}
}

// WithSetup sets the initial contents of a Service, which Reset restores. By default there
// are no instances and no webhook endpoints.
func WithSetup(s Setup) Option {
	return Option{func(o *settings) { o.service.Setup = s.contents }}
}

// WithReceiver delivers webhooks to a handler in this process, without a network and
// regardless of the endpoints' URLs. The URL of each request is its endpoint's. By default
// webhooks are not delivered. The Go module webhook verifies deliveries.
func WithReceiver(receiver http.Handler) Option {
	return Option{func(o *settings) {
		o.service.Courier = webhooks.New(webhooks.Options{Transport: gateway.Transport{Handler: receiver}})
	}}
}
