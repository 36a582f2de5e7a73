package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strings"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
)

// A Request describes one call of the API.
type Request struct {
	Method string
	Path   []string // elements below the base URL, unescaped
	Query  url.Values
	Body   any // encoded as JSON; nil sends none
	// Key is the Idempotency-Key of a POST. It is the same for each attempt.
	Key string
	// Accept is the requested media type; "" means JSON.
	Accept string
	// Poll requests a single attempt, unless that is answered 429. A poll is repeated by its
	// own schedule. A request that depends on the current state is repeated by its mutation.
	Poll bool
	// Informs marks a request that is not worth waiting for: it fails while its path is
	// closed.
	Informs bool
	// Statement marks a request that is answered when its work is done, such as SQL. Its
	// limit is the timeout of its operation, not the request timeout. While it runs, it does
	// not count as a request in flight.
	Statement bool
}

// name returns the name of the request in errors and logs.
func (r Request) name() string { return r.Method + " /" + strings.Join(r.Path, "/") }

// A Call is a request on its way through the chain: retries, limiter, attempt. It is a
// value of the request's context, because the links of the chain see nothing else.
type Call struct {
	Request
	attempts int // sent so far
	retries  int // those that count against the client's maximum
	// answer is the answer to the newest attempt. It is nil if there was none, and err is
	// the reason.
	answer *answer
	err    error
	// Unsure reports that an attempt before the newest one may have been executed: its
	// answer was lost or did not come from the service.
	Unsure bool
	// probe is set while the call probes for all reads whether an outage has ended.
	probe chan struct{}
}

// SurelyNotDone reports whether the newest attempt was not executed: nothing was sent, or
// the service said so.
func (c *Call) SurelyNotDone() bool {
	if c.answer == nil {
		return nothingSent(c.err)
	}
	return c.answer.refusal != nil && c.answer.refusal.NothingDone()
}

type callKey struct{}

// ResponseBody returns the body of the answer to a successful call.
func (c *Call) ResponseBody() []byte { return c.answer.body }

// NoContent reports whether a successful call was answered that there is no content.
func (c *Call) NoContent() bool { return c.answer.status == http.StatusNoContent }

// callOf returns the call whose request has this context.
func callOf(ctx context.Context) *Call { return ctx.Value(callKey{}).(*Call) }

// An answer is the response to an attempt, with its body read to the end.
type answer struct {
	status int
	header http.Header
	body   []byte
	// refusal is the error if the status is not 2xx, else nil.
	refusal *APIError
}

func (a *answer) isLimit() bool { return isLimit(a.status, retryAfter(a.header)) }

// Do sends a request and decodes its answer into a T. The error is an *APIError if the
// answer has an error status. It is a *ForeignError if a success does not come from the
// service, a *FieldError if a field of the answer has another type, and an *OutcomeError if a
// POST may or may not have been executed.
func Do[T any](ctx context.Context, s *Sender, r Request) (T, error) {
	call, err := s.Send(ctx, r)
	if err != nil {
		var none T
		return none, err
	}
	return Decode[T](s, call)
}

// Decode decodes the answer of a successful call into a T. An empty answer is an error
// for a GET, and the zero T otherwise.
func Decode[T any](s *Sender, call *Call) (value T, err error) {
	body := bytes.TrimSpace(call.answer.body)
	switch {
	case len(body) == 0 && call.Method != http.MethodGet:
		return value, nil
	case len(body) == 0:
		err = s.Foreign(call.Request, "the answer is empty")
	default:
		if wrong := json.Unmarshal(body, &value); wrong != nil {
			err = s.Unreadable(call.Request, wrong)
		}
	}
	if err != nil && call.Method == http.MethodPost {
		err = &OutcomeError{Err: err}
	}
	return value, err
}

// Send sends a request and returns its call with a successful answer. If it fails, the
// returned call shows whether an attempt before the last one may have been executed.
func (s *Sender) Send(ctx context.Context, r Request) (*Call, error) {
	call := &Call{Request: r}
	req, err := s.newRequest(context.WithValue(ctx, callKey{}, call), r)
	if err != nil {
		return call, err
	}
	_, err = s.http.Do(req) //nolint:bodyclose // the attempt has read it to its end
	if err != nil && (call.answer == nil || lifetime.Ended(ctx)) {
		return call, s.failure(ctx, call, err)
	}
	if call.answer.refusal != nil {
		refusal := new(*call.answer.refusal) // other calls may have the same one
		refusal.Unsure = call.Unsure
		if r.Method == http.MethodPost && !call.SurelyNotDone() {
			return call, &OutcomeError{Err: refusal}
		}
		return call, refusal
	}
	return call, nil
}

func (s *Sender) newRequest(ctx context.Context, r Request) (*retryablehttp.Request, error) {
	var payload any
	if r.Body != nil {
		encoded, err := json.Marshal(r.Body)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.name(), err)
		}
		payload = encoded
	}
	target, err := s.url(r.Path, r.Query)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.name(), err)
	}
	req, err := retryablehttp.NewRequestWithContext(ctx, r.Method, target, payload)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.name(), err)
	}
	req.Header.Set("Authorization", "Bearer "+s.apiKey)
	req.Header.Set("Accept", "application/json")
	if r.Accept != "" {
		req.Header.Set("Accept", r.Accept)
	}
	if s.agent != "" {
		req.Header.Set("User-Agent", s.agent)
	}
	if r.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.Key != "" {
		// Not in canonical form on purpose. If a reused connection breaks, net/http itself
		// sends a POST with an "Idempotency-Key" again, and a service that ignores the header
		// would execute it twice.
		req.Header["idempotency-key"] = []string{r.Key}
	}
	return req, nil
}

// url appends path elements to the base URL. It escapes each element, so that no id can
// address a different path.
func (s *Sender) url(path []string, query url.Values) (string, error) {
	var b strings.Builder
	b.WriteString(s.base.String())
	for _, element := range path {
		if element == "" {
			return "", errors.New("an identifier is empty")
		}
		escaped := url.PathEscape(element)
		if element == "." || element == ".." {
			escaped = strings.ReplaceAll(element, ".", "%2E")
		}
		b.WriteString("/" + escaped)
	}
	if len(query) > 0 {
		b.WriteString("?" + query.Encode())
	}
	return b.String(), nil
}

// failure describes a call without a complete answer. The outcome of a POST that may have
// reached the service is unknown. A POST that ended while it waited for a retry was not
// executed.
func (s *Sender) failure(ctx context.Context, call *Call, err error) error {
	var urlError *url.Error
	if errors.As(err, &urlError) {
		err = urlError.Err // the URL is in the call's name already
	}
	unknown := call.Method == http.MethodPost && call.attempts > 0 && !call.SurelyNotDone()
	if lifetime.Ended(ctx) && (call.Method == http.MethodGet || call.Statement || call.SurelyNotDone()) {
		err = lifetime.CauseOf(ctx) // regardless of how the connection broke
	}
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		err = &UnreachableError{BaseURL: s.base.String(), Err: s.secrets.hideError(err)}
	}
	described := fmt.Errorf("%s: %w", call.name(), err)
	if unknown {
		return &OutcomeError{Err: described}
	}
	return described
}

// Unreadable describes a success that cannot be decoded: a *FieldError if a field has
// another type than documented, and otherwise an answer that does not come from the service.
func (s *Sender) Unreadable(r Request, err error) error {
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) && wrong.Field != "" {
		return &FieldError{Method: r.Method, Path: r.Path, Reason: s.secrets.Hide(FieldText(err))}
	}
	return s.Foreign(r, "the answer is not JSON of the expected form: "+s.secrets.Hide(err.Error()))
}

// FieldText returns the reason why JSON cannot be decoded. It names the field.
func FieldText(err error) string {
	wrong := (*json.UnmarshalTypeError)(nil)
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	kind := "the documented type"
	switch wrong.Type.Kind() {
	case reflect.Int64:
		kind = "a whole number"
	case reflect.Float64:
		kind = "a number"
	case reflect.String:
		kind = "a text"
	case reflect.Slice:
		kind = "a list"
	}
	if wrong.Field == "" {
		return fmt.Sprintf("%s is not %s", wrong.Value, kind)
	}
	return fmt.Sprintf("the field %s is not %s: %s", embeddedType.ReplaceAllString(wrong.Field, ""), kind, wrong.Value)
}

// embeddedType matches the name of an embedded struct, which encoding/json puts before the
// names of its fields. The service's own names begin with a lower case letter.
var embeddedType = regexp.MustCompile(`\b[A-Z]\w*\.`)

// Foreign describes a success that does not come from the service: a page of a gateway or
// of another server.
func (s *Sender) Foreign(r Request, reason string) error {
	return &ForeignError{Method: r.Method, Path: r.Path, BaseURL: s.base.String(), Reason: reason}
}
