package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/hashicorp/go-retryablehttp"
)

// maxBody is the most that is read of any answer.
const maxBody = 4 << 20

// A request is one call of the API, before it is sent.
type request struct {
	method string
	path   []string // elements below the base URL, unescaped
	query  url.Values
	body   any // encoded as JSON; nil sends none
	// key is the Idempotency-Key of a POST; the same for each time it is sent.
	key string
	// once asks for a single attempt: a poll is repeated by its own schedule.
	once bool
}

// name is how errors and logs call the request.
func (r request) name() string { return r.method + " /" + strings.Join(r.path, "/") }

// do sends a request and decodes its answer into a T. Its errors are
// *APIError for an answer that is no success, and *OutcomeError for a POST of
// which nobody can say whether it was carried out.
func do[T any](ctx context.Context, c *Client, r request) (T, error) {
	var answer T
	body, err := c.send(ctx, r)
	if err != nil {
		return answer, err
	}
	if len(bytes.TrimSpace(body)) == 0 {
		if r.method == http.MethodGet {
			return answer, fmt.Errorf("%s: the answer is empty", r.name())
		}
		return answer, nil
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		err = fmt.Errorf("%s: the answer is not the JSON expected: %w", r.name(), err)
		if r.method == http.MethodPost {
			return answer, &OutcomeError{Err: err}
		}
		return answer, err
	}
	return answer, nil
}

// send sends a request and returns the body of a successful answer.
func (c *Client) send(ctx context.Context, r request) ([]byte, error) {
	req, err := c.newRequest(ctx, r)
	if err != nil {
		return nil, err
	}
	sender := c.senders[r.method]
	if r.once {
		sender = c.once
	}
	resp, err := sender.Do(req)
	if err != nil {
		if resp != nil {
			resp.Body.Close()
		}
		return nil, c.failure(ctx, r, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return nil, c.refusal(r, resp, body)
	case err != nil:
		return nil, c.failure(ctx, r, err)
	case len(body) > maxBody:
		return nil, c.failure(ctx, r, ErrBodyTooLarge)
	}
	return body, nil
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

// failure describes a request that got no whole answer. A POST that may have
// reached the service has an unknown outcome.
func (c *Client) failure(ctx context.Context, r request, err error) error {
	var urlError *url.Error
	if errors.As(err, &urlError) {
		err = urlError.Err // the URL is in r.name already
	}
	if r.method == http.MethodGet && ctx.Err() != nil {
		err = ctx.Err() // whatever the connection broke with
	}
	described := fmt.Errorf("%s: %w", r.name(), c.secrets.hideError(err))
	if r.method == http.MethodPost && !nothingSent(err) && !errors.Is(err, ctx.Err()) {
		return &OutcomeError{Err: described}
	}
	return described
}

// refusal makes the error of an answer that is no success. A POST that was
// answered 5xx may have been carried out all the same: a proxy on the way
// answers 502 when the service's own answer was lost.
func (c *Client) refusal(r request, resp *http.Response, body []byte) error {
	err := newAPIError(r, resp, []byte(c.secrets.hide(string(body))))
	if r.method == http.MethodPost && resp.StatusCode >= 500 {
		return &OutcomeError{Err: err}
	}
	return err
}

// get reads one record.
func get[T any](ctx context.Context, c *Client, path ...string) (T, error) {
	return do[T](ctx, c, request{method: http.MethodGet, path: path})
}

// list reads a whole collection, all its pages. The answer is an object with
// one array named after the collection, or the bare array (contract.md, "What
// the client reads tolerantly").
func list[T any](ctx context.Context, c *Client, collection string, path ...string) ([]T, error) {
	var all []T
	for cursor := ""; ; {
		page, err := listPage[T](ctx, c, collection, cursor, path...)
		if err != nil {
			return nil, err
		}
		all = append(all, page.items...)
		if page.next == "" || page.next == cursor {
			return all, nil
		}
		cursor = page.next
	}
}

// A page is one answer of a paged collection.
type page[T any] struct {
	items []T
	next  string // the cursor of the next page, or ""
}

func listPage[T any](ctx context.Context, c *Client, collection, cursor string, path ...string) (page[T], error) {
	r := request{method: http.MethodGet, path: path}
	if cursor != "" {
		r.query = url.Values{"cursor": {cursor}}
	}
	raw, err := do[json.RawMessage](ctx, c, r)
	if err != nil {
		return page[T]{}, err
	}
	p, err := decodePage[T](raw, collection)
	if err != nil {
		return page[T]{}, fmt.Errorf("%s: %w", r.name(), err)
	}
	return p, nil
}

func decodePage[T any](raw json.RawMessage, collection string) (page[T], error) {
	var p page[T]
	if err := json.Unmarshal(raw, &p.items); err == nil {
		return p, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return p, fmt.Errorf("the answer is no list: %w", err)
	}
	items, ok := object[collection]
	if !ok {
		return p, fmt.Errorf("the answer holds no %q", collection)
	}
	if err := json.Unmarshal(items, &p.items); err != nil {
		return p, fmt.Errorf("%q is not the list expected: %w", collection, err)
	}
	if next, ok := object["next_cursor"]; ok {
		if err := json.Unmarshal(next, &p.next); err != nil {
			return p, fmt.Errorf("next_cursor: %w", err)
		}
	}
	return p, nil
}
