package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// A list proves that something is absent only if it was read whole, with every element
// readable. A list that shifts while it is read is read again from its start. If it shifts each
// time, the error is a *ShiftedListError. A list with unreadable elements is returned without them, together
// with a *PartialListError. So every caller that regards an error as a failure is safe.

// list reads all pages of a collection. The answer is an object with one array named
// after the collection, or the bare array (SERVICE.md#tolerance). A 204 is an empty one.
func list[T any](ctx context.Context, c *Client, collection string, path ...string) ([]T, error) {
	return listAll[T](ctx, c, collection, listing{Request: transport.Request{Path: path}})
}

// A listing is the request for a list.
type listing struct {
	transport.Request
	// limit is the maximum number of items on a page; 0 means the service's default.
	limit int
	// first, if non-nil, is called with the other members of the first page.
	first func(members map[string]json.RawMessage) error
}

const (
	// maxPages is the maximum number of pages of a list. The service returns 200 items a
	// page.
	maxPages = 1000
	// maxLimit is the maximum number of items on a page (SERVICE.md#lists).
	maxLimit = 200
	// readings is the number of times that a list is read if it shifts.
	readings = 4
)

func listAll[T any](ctx context.Context, c *Client, collection string, r listing) ([]T, error) {
	return listUntil(ctx, c, collection, r, func([]T) bool { return false })
}

// listUntil is like listAll, but stops when enough returns true for the items read so
// far. If the request has a limit, the page size begins with it and grows. A page that is
// too large to be read is requested again in smaller parts.
func listUntil[T any](ctx context.Context, c *Client, collection string, r listing, enough func([]T) bool) ([]T, error) {
	for reading := 1; ; reading++ {
		all, err := readList(ctx, c, collection, r, enough)
		if shifted := (*ShiftedListError)(nil); !errors.As(err, &shifted) || reading == readings {
			return all, err
		}
		if err := lifetime.Pause(ctx, c.random.Jitter(FirstPoll<<reading)); err != nil {
			return nil, err
		}
	}
}

func readList[T any](ctx context.Context, c *Client, collection string, r listing, enough func([]T) bool) ([]T, error) {
	var all []T
	var unreadable []string
	known, cursors, cursor := map[string]bool{}, map[string]bool{"": true}, ""
	for grows := r.limit > 0; ; {
		if len(cursors) > maxPages {
			r.Method = http.MethodGet
			return nil, c.sender.Foreign(r.Request, fmt.Sprintf("the list does not end, after %d pages", maxPages))
		}
		page, err := listPage[T](ctx, c, collection, cursor, r)
		if errors.Is(err, transport.ErrBodyTooLarge) && r.limit > 1 {
			r.limit, grows = r.limit/2, false
			continue
		}
		if err == nil && cursor == "" && r.first != nil {
			err = r.first(page.others)
		}
		if err != nil {
			return nil, err
		}
		unreadable = append(unreadable, page.unreadable...)
		for _, item := range page.items {
			key := listKey(item)
			if key != "" && known[key] {
				return nil, &ShiftedListError{Path: r.Path, Reason: "it has " + key + " twice"}
			}
			known[key] = true
		}
		all = append(all, page.items...)
		if enough(all) || page.next == "" {
			break
		}
		if cursor = page.next; cursors[cursor] {
			return nil, &ShiftedListError{Path: r.Path, Reason: "it has the same cursor twice"}
		}
		cursors[cursor] = true
		if grows {
			r.limit = min(2*r.limit, maxLimit)
		}
	}
	if len(unreadable) > 0 {
		return all, &PartialListError{Path: r.Path, Unreadable: unreadable}
	}
	return all, nil
}

// listKey returns the identifier of an item, or "" if two items may have the same one.
func listKey(item any) string {
	if e, ok := item.(Extension); ok && e.Database == "" {
		return "" // of any database
	}
	if r, ok := item.(record); ok {
		return r.Identifier()
	}
	return ""
}

// A page is one page of a paged collection.
type page[T any] struct {
	items      []T
	unreadable []string                   // the reasons why elements cannot be read
	next       string                     // the cursor of the next page, or ""
	others     map[string]json.RawMessage // the members other than the items
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
	if call.NoContent() {
		return page[T]{}, nil
	}
	p, err := decodePage[T](call.ResponseBody(), collection)
	for i, reason := range p.unreadable {
		p.unreadable[i] = c.secrets.Hide(reason)
	}
	if shifted := (*ShiftedListError)(nil); errors.As(err, &shifted) {
		shifted.Path = r.Path
		return page[T]{}, err
	}
	if err != nil {
		return page[T]{}, c.sender.Unreadable(r.Request, err)
	}
	return p, nil
}

func decodePage[T any](raw []byte, collection string) (page[T], error) {
	var p page[T]
	items := json.RawMessage(raw)
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		if err := json.Unmarshal(raw, &p.others); err != nil {
			return p, fmt.Errorf("the answer is not a list: %w", err)
		}
		var ok bool
		if items, ok = p.others[collection]; !ok {
			return p, fmt.Errorf("the answer has no %q", collection)
		}
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(items, &elements); err != nil {
		return p, below(collection, err)
	}
	if elements == nil {
		return p, &ShiftedListError{Reason: "a page of it is null"}
	}
	if next, ok := p.others["next_cursor"]; ok {
		if err := json.Unmarshal(next, &p.next); err != nil {
			return p, below("next_cursor", err)
		}
	}
	for at, element := range elements {
		var item T
		err := json.Unmarshal(element, &item)
		if r, identified := any(item).(record); err == nil && identified && r.Identifier() == "" {
			err = errors.New("it has no identifier")
		}
		if err != nil {
			p.unreadable = append(p.unreadable, fmt.Sprintf("%s[%d]%s: %s", collection, at, nameOf(element), transport.FieldText(err)))
			continue
		}
		p.items = append(p.items, item)
	}
	return p, nil
}

// nameOf returns the id or the name of an element that cannot be read, in brackets, or "".
func nameOf(element []byte) string {
	var names struct{ ID, Name Informal[string] }
	_ = json.Unmarshal(element, &names) // anything but an object has none
	if name := cmp.Or(names.ID.Value, names.Name.Value); name != "" {
		return " (" + name + ")"
	}
	return ""
}

// readable returns the readable part of a list. It is for callers that look for something
// in a list and conclude nothing from its absence.
func readable[T any](items []T, err error) ([]T, error) {
	if partial := (*PartialListError)(nil); errors.As(err, &partial) {
		return items, nil
	}
	return items, err
}

// A ShiftedListError reports a list that changed while it was read, several times in
// succession. It says nothing about its elements.
type ShiftedListError struct {
	Path   []string // below the base URL
	Reason string
}

func (e *ShiftedListError) Error() string {
	return fmt.Sprintf("the list /%s changes while it is read: %s", strings.Join(e.Path, "/"), e.Reason)
}

// A PartialListError reports elements of a list that cannot be read. The list is returned
// without them, and proves no absence.
type PartialListError struct {
	Path       []string // below the base URL
	Unreadable []string // the reason for each element
}

func (e *PartialListError) Error() string {
	return fmt.Sprintf("the list /%s has elements that cannot be read: %s", strings.Join(e.Path, "/"), strings.Join(e.Unreadable, "; "))
}
