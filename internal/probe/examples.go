package probe

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strings"
)

// record is the path of the probe's own instance.
const record = "/instances/{id}"

// example returns a body for an operation, made of the examples of its fields in the
// document, with other values for some fields. A field that is nil is left out. A change
// takes a field's second example, and a creation its first one.
func (p *probe) example(op operation, with node) any {
	place := op.request()
	if place == "" {
		return nil
	}
	_, schema := op.follow(place)
	body := node{}
	for name, property := range object(schema["properties"]) {
		values := slices.Concat(list(object(property)["examples"]), list(object(property)["enum"]))
		switch {
		case len(values) > 1 && op.method != http.MethodPost:
			body[name] = values[1]
		case len(values) > 0:
			body[name] = values[0]
		}
	}
	maps.Copy(body, with)
	maps.DeleteFunc(body, func(_ string, value any) bool { return value == nil })
	var plain node // numbers as in an answer
	if text, err := json.Marshal(body); err != nil || json.Unmarshal(text, &plain) != nil {
		return body
	}
	return plain
}

// try sends an example of a change to the instance, and looks for the change
// where the document reads. in has the values of the path's other parameters.
func (p *probe) try(ctx context.Context, method, url string, with node, in map[string]string) (x *exchange, seen bool, err error) {
	c := call{method: method, url: record + url, in: map[string]string{"id": p.instance}, want: http.StatusAccepted}
	maps.Copy(c.in, in)
	if op, known := p.document.operation(method, c.url); known {
		c.body = p.example(op, with)
	}
	if method == http.MethodDelete && strings.Contains(url, "/extensions/") {
		c.query = inProbedDatabase
	}
	return p.change(ctx, c, func() (bool, error) { return p.shows(ctx, c) })
}

// shows looks for a change, at its own path if that is read, or else at the nearest path
// above it. A record has the fields that were sent, and a list the name.
func (p *probe) shows(ctx context.Context, c call) (bool, error) {
	read := call{method: http.MethodGet, url: c.url, in: c.in, want: http.StatusOK}
	if c.method == http.MethodDelete {
		read.url = path.Dir(c.url)
	}
	for _, known := p.document.operation(http.MethodGet, read.url); !known; _, known = p.document.operation(http.MethodGet, read.url) {
		read.url = path.Dir(read.url)
	}
	if strings.HasSuffix(read.url, "/extensions") {
		read.query = inProbedDatabase
	}
	x, err := p.send(ctx, read)
	if err != nil || !x.as() {
		return false, err
	}
	sent := object(c.body)
	if read.url != c.url && !strings.HasSuffix(read.url, "}") || c.method == http.MethodPost && read.url == c.url {
		listed := names(records(x.json, path.Base(read.url)), "name")
		return slices.Contains(listed, cmp.Or(text(sent["name"]), c.in["name"])) == (c.method != http.MethodDelete), nil
	}
	response, _ := x.operation.response(http.StatusOK)
	_, schema := p.document.follow(p.document.body(response))
	for field, value := range sent {
		stored := object(x.json)[field]
		switch {
		case object(schema["properties"])[field] == nil, field == "env": // variables may be masked
		case !alike(value, stored):
			return false, nil
		case field == "tags" || field == "site_url":
			p.findings.found(rulesAt+"form of values", reflect.DeepEqual(value, stored), field+" is stored in another form")
		case field == "allowlist":
			p.findings.holds(rulesAt + "spelling of addresses")
		}
	}
	return true, nil
}

// alike reports whether a service has stored what was sent, in whatever form.
func alike(sent, stored any) bool {
	switch s := sent.(type) {
	case string:
		plain := func(text string) string { return strings.TrimSuffix(strings.TrimSuffix(text, "/32"), "/") }
		return strings.EqualFold(plain(s), plain(text(stored)))
	case []any:
		return !slices.ContainsFunc(s, func(one any) bool {
			return !slices.ContainsFunc(list(stored), func(other any) bool { return alike(one, other) })
		})
	case node: // engines
		return slices.Equal(engineSet(node{"engines": sent}), engineSet(node{"engines": stored}))
	}
	return sent == stored
}
