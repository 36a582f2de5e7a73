package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/hashicorp/go-retryablehttp"
)

// A request is one call of the API, before it is sent.
type request struct {
	method string
	path   []string // elements below the base URL, unescaped
	query  url.Values
	// limit is how many items a page of a list may hold; 0 leaves it to the service.
	limit int
	body  any // encoded as JSON; nil sends none
	// key is the Idempotency-Key of a POST; the same for each time it is sent.
	key string
	// accept is the media type asked for; "" is JSON.
	accept string
	// poll asks for a single attempt, unless that is answered 429: a poll is repeated
	// by its own schedule, and a request that depends on what is there by its mutation.
	poll bool
	// informs says that the request is not worth a wait: it fails while its path is closed.
	informs bool
	// statement asks Postgres to run something, which is answered when it has run. Not
	// the client's timeout bounds it but its operation's. While it runs it takes no place
	// among the requests under way.
	statement bool
}

// name is how errors and logs call the request.
func (r request) name() string { return r.method + " /" + strings.Join(r.path, "/") }

// A call is a request on its way through the chain: retries, limiter, attempt.
// It travels in the request's context, as the chain's links see nothing else.
type call struct {
	request
	attempts int // sent so far
	retries  int // of them, those that count against the client's maximum
	// answer is what the newest attempt got, nil when it got none, and err why.
	answer *answer
	err    error
	// unsure tells that an attempt before the newest one may have been carried
	// out: its answer was lost, or was not the service's.
	unsure bool
	// probe is set while the call finds out for others whether an outage has ended.
	probe chan struct{}
}

// surelyNotDone tells that the newest attempt was not carried out: nothing was
// sent, or the service said so.
func (c *call) surelyNotDone() bool {
	if c.answer == nil {
		return nothingSent(c.err)
	}
	return c.answer.refusal != nil && c.answer.refusal.nothingDone()
}

type callKey struct{}

// callOf is the call whose request has this context.
func callOf(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// An answer is what came back, its body read to the end.
type answer struct {
	status int
	header http.Header
	body   []byte
	// refusal is the error that an answer other than 2xx is, else nil.
	refusal *APIError
}

// do sends a request and decodes its answer into a T. Its errors are
// *APIError for an answer that is no success, *ForeignError for a success that
// is not the service's, and *OutcomeError for a POST of which nobody can say
// whether it was carried out.
func do[T any](ctx context.Context, c *Client, r request) (T, error) {
	call, err := c.send(ctx, r)
	if err != nil {
		var none T
		return none, err
	}
	return decode[T](c, call)
}

// decode reads the answer of a call that succeeded into a T. An empty answer is
// none to a GET, and the zero T otherwise.
func decode[T any](c *Client, call *call) (value T, err error) {
	body := bytes.TrimSpace(call.answer.body)
	switch {
	case len(body) == 0 && call.method != http.MethodGet:
		return value, nil
	case len(body) == 0:
		err = c.foreign(call.request, "the answer is empty")
	default:
		if wrong := json.Unmarshal(body, &value); wrong != nil {
			err = c.foreign(call.request, "the answer is not JSON of the expected form: "+c.secrets.hide(wrong.Error()))
		}
	}
	if err != nil && call.method == http.MethodPost {
		err = &OutcomeError{Err: err}
	}
	return value, err
}

// send sends a request and returns its call with the answer, a success. The call
// tells also of a failure whether an attempt before the last one may have been
// carried out.
func (c *Client) send(ctx context.Context, r request) (*call, error) {
	call := &call{request: r}
	req, err := c.newRequest(context.WithValue(ctx, callKey{}, call), r)
	if err != nil {
		return call, err
	}
	_, err = c.http.Do(req) //nolint:bodyclose // the attempt has read it to its end
	if err != nil && (call.answer == nil || ended(ctx)) {
		return call, c.failure(ctx, call, err)
	}
	if refusal := call.answer.refusal; refusal != nil {
		if r.method == http.MethodPost && !call.surelyNotDone() {
			return call, &OutcomeError{Err: refusal}
		}
		return call, refusal
	}
	return call, nil
}

func (c *Client) newRequest(ctx context.Context, r request) (*retryablehttp.Request, error) {
	var payload any
	if r.body != nil {
		encoded, err := json.Marshal(r.body)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.name(), err)
		}
		payload = encoded
	}
	target, err := c.url(r.path, r.query)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.name(), err)
	}
	req, err := retryablehttp.NewRequestWithContext(ctx, r.method, target, payload)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.name(), err)
	}
	req.Header.Set("Authorization", "Bearer "+c.apiKey)
	req.Header.Set("Accept", "application/json")
	if r.accept != "" {
		req.Header.Set("Accept", r.accept)
	}
	if c.agent != "" {
		req.Header.Set("User-Agent", c.agent)
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.key != "" {
		// Not in canonical form on purpose: net/http sends a POST with an
		// "Idempotency-Key" again by itself when a reused connection breaks,
		// and a service that ignores the header would carry it out twice.
		req.Header["idempotency-key"] = []string{r.key}
	}
	return req, nil
}

// url joins path elements below the base URL, each escaped, so that no id can
// reach another path than its own.
func (c *Client) url(path []string, query url.Values) (string, error) {
	var b strings.Builder
	b.WriteString(c.base.String())
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

// failure describes a call that got no whole answer. A POST that may have reached
// the service has an unknown outcome; one that ended while it waited to be sent
// again has not.
func (c *Client) failure(ctx context.Context, call *call, err error) error {
	var urlError *url.Error
	if errors.As(err, &urlError) {
		err = urlError.Err // the URL is in the call's name already
	}
	unknown := call.method == http.MethodPost && call.attempts > 0 && !call.surelyNotDone()
	if ended(ctx) && (call.method == http.MethodGet || call.statement || call.surelyNotDone()) {
		err = CauseOf(ctx) // whatever the connection broke with
	}
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		err = &UnreachableError{BaseURL: c.base.String(), Err: c.secrets.hideError(err)}
	}
	described := fmt.Errorf("%s: %w", call.name(), err)
	if unknown {
		return &OutcomeError{Err: described}
	}
	return described
}

// foreign describes a success that is not the service's: a page of a gateway or
// of another service.
func (c *Client) foreign(r request, reason string) error {
	return &ForeignError{Method: r.method, Path: r.path, BaseURL: c.base.String(), Reason: reason}
}

// get reads one record.
func get[T any](ctx context.Context, c *Client, path ...string) (T, error) {
	return do[T](ctx, c, request{method: http.MethodGet, path: path})
}

// A record is what is asked for by its identifier.
type record interface{ Identifier() string }

// getRecord reads the record of an identifier. An answer that is another record,
// or none, is not the service's: `null` and {"message": "maintenance"} decode
// into an empty record without an error.
func getRecord[T record](ctx context.Context, c *Client, r request, id string) (T, error) {
	r.method = http.MethodGet
	value, err := do[T](ctx, c, r)
	if err == nil && value.Identifier() != id {
		err = c.foreign(r, fmt.Sprintf("the answer is not the record of %q", id))
	}
	return value, err
}
