package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// list reads all pages of a collection. The answer is an object with one array named
// after the collection, or the bare array (SERVICE.md#tolerance). If two pages contain
// the same item, because the collection changed in between, the result contains it once.
func list[T any](ctx context.Context, c *Client, collection string, path ...string) ([]T, error) {
	return listAll[T](ctx, c, collection, listing{Request: transport.Request{Path: path}})
}

// A listing is the request for a list.
type listing struct {
	transport.Request
	// limit is the maximum number of items on a page; 0 means the service's default.
	limit int
}

// maxPages is the maximum number of pages of a list. The service returns 200 items a
// page.
const maxPages = 1000

func listAll[T any](ctx context.Context, c *Client, collection string, r listing) ([]T, error) {
	return listUntil(ctx, c, collection, r, func([]T) bool { return false })
}

// maxLimit is the maximum number of items on a page (SERVICE.md#lists).
const maxLimit = 200

// listUntil is like listAll, but stops when enough returns true for the items read so
// far. If the request has a limit, the page size begins with it and grows. A page that is
// too large to be read is requested again in smaller parts.
func listUntil[T any](ctx context.Context, c *Client, collection string, r listing, enough func([]T) bool) ([]T, error) {
	var all []T
	known := map[string]bool{}
	grows := r.limit > 0
	for p := (pages{}); p.next(); {
		if len(p.seen) == maxPages {
			r.Method = http.MethodGet
			return nil, c.sender.Foreign(r.Request, fmt.Sprintf("the list does not end, after %d pages", maxPages))
		}
		page, err := listPage[T](ctx, c, collection, p.cursor, r)
		if errors.Is(err, transport.ErrBodyTooLarge) && r.limit > 1 {
			r.limit, grows = r.limit/2, false
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, item := range page.items {
			if r, identified := any(item).(record); identified {
				if known[r.Identifier()] {
					continue
				}
				known[r.Identifier()] = true
			}
			all = append(all, item)
		}
		if enough(all) {
			break
		}
		if grows {
			r.limit = min(2*r.limit, maxLimit)
		}
		p.read(page.next)
	}
	return all, nil
}

// pages iterates over the pages of a list. A repeated cursor would lead to an endless
// loop, so it ends the iteration.
type pages struct {
	cursor string
	ended  bool
	seen   map[string]bool
}

// next reports whether there is a page to read at cursor.
func (p *pages) next() bool { return !p.ended }

// read records that the page at cursor was read, and the cursor of the next page.
func (p *pages) read(next string) {
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	p.seen[p.cursor] = true
	p.cursor, p.ended = next, next == "" || p.seen[next]
}

// A page is one page of a paged collection.
type page[T any] struct {
	items []T
	next  string // the cursor of the next page, or ""
}

func listPage[T any](ctx context.Context, c *Client, collection, cursor string, r listing) (page[T], error) {
	r.Method, r.Query = http.MethodGet, url.Values{}
	if cursor != "" {
		r.Query.Set("cursor", cursor)
	}
	if r.limit > 0 {
		r.Query.Set("limit", strconv.Itoa(r.limit))
	}
	call, err := c.sender.Send(ctx, r.Request)
	if err != nil {
		return page[T]{}, err
	}
	p, err := decodePage[T](call.ResponseBody(), collection)
	if err != nil {
		return page[T]{}, c.sender.Foreign(r.Request, c.secrets.Hide(err.Error()))
	}
	return p, nil
}

func decodePage[T any](raw []byte, collection string) (page[T], error) {
	var p page[T]
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		if err := json.Unmarshal(raw, &p.items); err != nil {
			return p, fmt.Errorf("%q is not a list of records: %w", collection, err)
		}
		return p, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return p, fmt.Errorf("the answer is not a list: %w", err)
	}
	items, ok := object[collection]
	if !ok {
		return p, fmt.Errorf("the answer has no %q", collection)
	}
	if err := json.Unmarshal(items, &p.items); err != nil {
		return p, fmt.Errorf("%q is not a list of records: %w", collection, err)
	}
	if next, ok := object["next_cursor"]; ok {
		if err := json.Unmarshal(next, &p.next); err != nil {
			return p, fmt.Errorf("next_cursor: %w", err)
		}
	}
	return p, nil
}
