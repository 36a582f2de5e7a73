package provider

import (
	"errors"
	"fmt"
	"go/ast"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/app"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/connection"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/instance"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/postgres"
)

// refusedWith returns an error response of the service.
func refusedWith(status int, code, method, path, detail string) *transport.APIError {
	return &transport.APIError{Status: status, Code: code, Method: method, Path: path, Detail: detail, RequestID: "req-7", BaseURL: sampleURL}
}

const sampleURL = "https://hosting.example/api/v1"

// errorSamples has one of every error of the client, and of the errors that the provider
// derives from them.
var errorSamples = []struct {
	name string
	err  error
}{
	{"A value is refused", refusedWith(422, "validation_failed", "PATCH", "/instances/i-4f2a/apps/web", "memory_mb: 64 is under the minimum of 128")},
	{"A value is refused, and the field is not an argument", refusedWith(422, "validation_failed", "POST", "/instances", "status: the creation failed")},
	{"Postgres refuses a script", postgres.LocateError(refusedWith(422, "sql_error", "POST", "/instances/i-4f2a/engines/postgres/query", `syntax error at or near "TABEL" (SQLSTATE 42601)`), "CREATE TABEL orders (id int)")},
	{"The key is refused", refusedWith(401, "unauthorized", "GET", "/plans", "the API key is not known")},
	{"The key may not do this", refusedWith(403, "forbidden", "GET", "/instances/i-4f2a", "not yours")},
	{"Something is not there", refusedWith(404, "not_found", "PUT", "/instances/shop/allowlist", `there is no instance "shop"`)},
	{"A name is taken", diagnostics.OrExisting(refusedWith(409, "already_exists", "POST", "/instances/i-4f2a/apps/import", `there is an app "web"`), "hosting_app", "i-4f2a/web")},
	{"A name is taken, of what cannot be imported", refusedWith(409, "already_exists", "POST", "/instances", "it is there already")},
	{"Another job is running", refusedWith(409, "job_running", "DELETE", "/instances/i-4f2a", "the instance has a running job")},
	{"The SQL console is off", refusedWith(403, "console_off", "POST", "/instances/i-4f2a/engines/postgres/query", "the SQL console is off")},
	{"Too many requests", refusedWith(429, "rate_limited", "GET", "/plans", "slow down")},
	{"Too many requests until tomorrow", fmt.Errorf("GET /plans: %w", &transport.ClosedError{RetryAfter: 20*time.Hour - time.Second})},
	{"Too many requests for a gateway", &transport.APIError{Status: 429, Method: "GET", Path: "/plans", Detail: "<html>Too Many Requests", BaseURL: sampleURL}},
	{"The service has trouble", refusedWith(503, "unavailable", "GET", "/plans", "maintenance")},
	{"An answer of somebody in between", &transport.APIError{Status: 502, Method: "GET", Path: "/plans", Detail: "<html>Bad Gateway", BaseURL: sampleURL}},
	{"A success that is not the service's", &transport.ForeignError{Method: "GET", Path: []string{"plans"}, BaseURL: sampleURL, Reason: "the answer is empty"}},
	{"No answer at all", fmt.Errorf("GET /plans: %w", &transport.UnreachableError{BaseURL: sampleURL, Err: errors.New("connection refused")})},
	{"No answer for too long", fmt.Errorf("GET /plans: %w", transport.ErrOutage)},
	{"Answers that contradict each other", fmt.Errorf("instances/i-4f2a: %w", client.ErrContradiction)},
	{"A field of another type", &transport.FieldError{Method: "GET", Path: []string{"plans"}, Reason: "the field price_cents is not a number"}},
	{"A list with an unreadable element", &client.PartialListError{Path: []string{"instances"}, Unreadable: []string{"i-4f2a: the field status is not a text"}}},
	{"A list that changes while it is read", &client.ShiftedListError{Path: []string{"instances"}, Reason: "it has i-4f2a twice"}},
	{"A collection that the key may not read", &client.HiddenError{Owner: "instance i-4f2a", Err: refusedWith(404, "not_found", "GET", "/instances/i-4f2a/apps", "not allowed with this key")}},
	{"An object that the service keeps under another name", &client.KeptNameError{Noun: "app", InstanceID: "i-4f2a", Asked: "Web App", Kept: "web-app"}},
	{"An id in another letter case", &client.OtherCaseError{ID: "i-4f2a"}},
	{"The answer to a change is lost", &transport.OutcomeError{Err: &transport.APIError{Status: 502, Method: "POST", Path: "/instances/i-4f2a/actions/rotate", BaseURL: sampleURL}}},
	{"A change that no record shows", &client.NoProofError{InstanceID: "i-4f2a", Operation: client.OpReset, Target: "engines/redis"}},
	{"A job that is not known", &client.MissingJobError{InstanceID: "i-4f2a", JobID: "j-1"}},
	{"A job that failed", &client.JobError{Job: client.Job{ID: "j-1", Operation: client.OpResize, Error: client.JobFault{Code: "no_capacity", Detail: "the region is full"}}}},
	{"A wait for which the timeout was too short", &client.InterruptedError{What: "job j-1 (create), running at 40 %", JobID: "j-1", Err: &lifetime.TimeoutError{Operation: "create", Limit: 30 * time.Minute}}},
	{"A wait that was interrupted", &client.InterruptedError{What: "job j-1 (create), running at 40 %", JobID: "j-1", Err: lifetime.ErrInterrupted}},
	{"A timeout before anything was sent", &lifetime.TimeoutError{Operation: "update", Limit: 20 * time.Minute}},
	{"Interrupted before anything was sent", lifetime.ErrInterrupted},
	{"An instance that is not paid yet", &client.CheckoutError{InstanceID: "i-4f2a", URL: "https://portal.example/checkout/1", JobID: "j-1"}},
	{"A connection of an instance that is not paid yet", &connection.UnpaidError{Err: &client.CheckoutError{InstanceID: "i-4f2a", URL: "https://portal.example/checkout/1", JobID: "j-1"}}},
	{"An absence in a state without accounts", base.UnknownAccountError{}},
	{"An object of another account", &base.OtherAccountError{Seen: base.AccountNote{ID: "acc-1", Origin: "https://hosting.example"}, Now: base.AccountNote{ID: "acc-2", Origin: "https://hosting.example"}}},
	{"An object of another account, on a fake", &base.OtherAccountError{Seen: base.AccountNote{ID: "acc-1", Origin: "http://127.0.0.1:8090"}, Now: base.AccountNote{ID: "acc-2", Origin: "http://127.0.0.1:8091"}, Loopback: true}},
	{"A creation with a namesake", &client.NamesakeError{Name: "shop", ID: "i-4f2a"}},
	{"A creation with several candidates", &client.AmbiguousError{Noun: "instance", Name: "shop", Candidates: []string{"i-4f2a", "i-77c1"}}},
	{"A creation of an endpoint with several candidates", &client.AmbiguousError{Noun: "webhook endpoint", Name: "https://hooks.example", Candidates: []string{"wh-19d0", "wh-6b3e"}}},
	{"A creation that did not show", &client.UnknownCreationError{What: `instance "shop"`, Looked: 10 * time.Minute, Err: &transport.APIError{Status: 504, Method: "POST", Path: "/instances", BaseURL: sampleURL}}},
	{"A build that failed", &client.BuildError{App: "web", Build: client.Build{ID: "b-1", Status: "failed", Error: client.Log{Text: "main.go:3: undefined: x"}}, Before: client.AppRunning, After: client.AppRunning}},
	{"A build that failed, whose log is not shown", &client.BuildError{App: "web", Build: client.Build{ID: "b-1", Status: "failed", Error: client.Log{Withheld: refusedWith(403, "forbidden", "GET", "/instances/i-4f2a/apps/web", "not yours")}}}},
	{"A build that was cancelled, without a log", &client.BuildError{App: "web", Build: client.Build{ID: "b-1", Status: "cancelled"}}},
	{"An app that ended", sampleApp(client.AppFailure{Exited: client.Some(true), Log: client.Log{Text: "panic: no such table"}})},
	{"An app that ended without a word", sampleApp(client.AppFailure{Exited: client.Some(true)})},
	{"An app that does not answer", sampleApp(client.AppFailure{Status: client.Some(0), Exited: client.Some(false)})},
	{"An app that redirects its health path", sampleApp(client.AppFailure{Status: client.Some(302)})},
	{"An app that wants credentials at its health path", sampleApp(client.AppFailure{Status: client.Some(401)})},
	{"An app without its health path", sampleApp(client.AppFailure{Status: client.Some(404)})},
	{"An app that fails at its health path", sampleApp(client.AppFailure{Status: client.Some(500)})},
	{"An app of which nothing is told", sampleApp(client.AppFailure{})},
	{"An app that was built of another commit", &app.OtherCommitError{App: "web", Branch: "main", Asked: "9f8c2d1", Deployed: "0b1c2d3e4f"}},
	{"A collection that is not found", refusedWith(404, "not_found", "POST", "/webhooks", "there is no such thing")},
	{"An endpoint that is not found", refusedWith(404, "not_found", "GET", "/webhooks/wh-19d0", "there is no such endpoint")},
	{"A conflict without a code", &transport.APIError{Status: 409, Method: "POST", Path: "/instances/i-4f2a/apps/import", BaseURL: sampleURL, Detail: `{"error": "conflict"}`}},
	{"An invalid value without a code", &transport.APIError{Status: 422, Method: "POST", Path: "/webhooks", BaseURL: sampleURL}},
	{"A budget below a floor that was raised", refusedWith(422, "validation_failed", "PUT", "/instances/i-4f2a/engines", "engines.postgres.memory_mb: must be at least 512")},
	{"Secret variables of an app without the others", app.UnknownEnvError{}},
	{"Engines of an instance that nothing shows", instance.UnknownEnginesError{}},
	{"An answer that is too large", fmt.Errorf("GET /plans: %w", transport.ErrBodyTooLarge)},
}

func sampleApp(failure client.AppFailure) error {
	return &client.AppError{Before: client.AppRunning, App: client.App{Name: "web", AppSettings: client.AppSettings{Port: client.Some[int64](3000), HealthPath: client.Some("/healthz")}, Failure: failure}}
}

// errorSamples must have every type of error of the client, and every kind that the
// client names for errors.Is.
func TestEveryErrorIsSampled(t *testing.T) {
	source := readSource(t, "../client")
	for _, f := range source.byName["Error"] {
		if f.receiver == "" || !ast.IsExported(f.receiver) {
			continue
		}
		if !sampled(func(err error) bool { return strings.HasSuffix(reflect.TypeOf(err).String(), "."+f.receiver) }) {
			t.Errorf("no sample is a %s", f.receiver)
		}
	}
	for _, kind := range []error{
		client.ErrNotFound, client.ErrUnauthorized, client.ErrForbidden, client.ErrJobRunning, client.ErrConflict, client.ErrAlreadyExists, client.ErrConsoleOff, client.ErrValidation,
		client.ErrSQL, transport.ErrRateLimited, client.ErrUnavailable, transport.ErrForeign, transport.ErrUnreachable, transport.ErrOutage, client.ErrContradiction,
		lifetime.ErrInterrupted, transport.ErrBodyTooLarge,
	} {
		if !sampled(func(err error) bool { return errors.Is(err, kind) }) {
			t.Errorf("no sample is %v", kind)
		}
	}
}

// sampled reports whether any sample, or an error that it wraps, is of a kind.
func sampled(is func(error) bool) bool {
	for _, sample := range errorSamples {
		for err := sample.err; err != nil; err = errors.Unwrap(err) {
			if is(err) {
				return true
			}
		}
	}
	return false
}
