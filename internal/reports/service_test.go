package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
)

const prefix = "/api/v1"

// An exchange is one request and its answer. Both bodies are decoded JSON, and nil without
// one.
type exchange struct {
	method, path string // the path is below /api/v1
	query        string
	header       http.Header // of the answer
	sent         any
	// status is 0 until the service has answered. A trait that sets it answers in place of
	// the service.
	status int
	answer any
	// body, if not nil, replaces the answer.
	body []byte
}

// object returns the answer if it is an object, and an empty one otherwise.
func (x *exchange) object() map[string]any {
	o, _ := x.answer.(map[string]any)
	return o
}

// refuses answers with the service's error.
func (x *exchange) refuses(status int, code, detail string) {
	x.status, x.answer = status, map[string]any{"code": code, "detail": detail}
}

// A trait is one way in which a service differs from the fake.
type trait struct {
	method, path string // the path is a glob; "" matches any
	// before sees a request that the service has not seen, after sees the answer.
	before, after func(*exchange)
}

func (t trait) matches(x *exchange) bool {
	return (t.method == "" || t.method == x.method) && gateway.MatchPath(t.path, x.path)
}

// A service is the fake with traits. It records all requests.
type service struct {
	fake *fakeservice.Service

	mu       sync.Mutex
	traits   []*trait
	requests []exchange
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{method: r.Method, path: strings.TrimPrefix(r.URL.Path, prefix), query: r.URL.RawQuery, header: http.Header{}}
	body, _ := io.ReadAll(r.Body) // a broken request has no JSON
	x.sent = decode(body)
	s.mu.Lock()
	traits := append([]*trait(nil), s.traits...)
	s.mu.Unlock()
	for _, t := range traits {
		if t.before != nil && x.status == 0 && t.matches(x) {
			t.before(x)
		}
	}
	s.mu.Lock()
	s.requests = append(s.requests, *x)
	s.mu.Unlock()
	if x.status == 0 {
		s.ask(r, x, body)
	}
	for _, t := range traits {
		if t.after != nil && t.matches(x) {
			t.after(x)
		}
	}
	answer := x.body
	if answer == nil && x.answer != nil {
		answer, _ = json.Marshal(x.answer) // decoded values can be encoded
		x.header.Set("Content-Type", "application/json")
	}
	maps.Copy(w.Header(), x.header)
	w.WriteHeader(x.status)
	_, _ = w.Write(answer) // an error means that the client is gone
}

// ask passes the request on to the fake.
func (s *service) ask(r *http.Request, x *exchange, body []byte) {
	if x.sent != nil {
		body, _ = json.Marshal(x.sent) // a trait may have changed it
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.URL.RawQuery = x.query
	r.Header.Del("If-None-Match")
	made := httptest.NewRecorder()
	s.fake.ServeHTTP(made, r)
	x.status, x.header = made.Code, made.Header()
	x.header.Del("Content-Length")
	x.header.Del("ETag")
	if x.answer = decode(made.Body.Bytes()); x.answer == nil {
		x.body = made.Body.Bytes()
	}
}

func decode(text []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return nil
	}
	return v
}

// behaves adds traits, and returns a function that removes them.
func (s *service) behaves(traits ...trait) (remove func()) {
	added := map[*trait]bool{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range traits {
		added[&t] = true
		s.traits = append(s.traits, &t)
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		var left []*trait
		for _, t := range s.traits {
			if !added[t] {
				left = append(left, t)
			}
		}
		s.traits = left
	}
}

// asked returns the requests with a method and a path that matches a glob.
func (s *service) asked(method, path string) []exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []exchange
	for _, x := range s.requests {
		if (trait{method: method, path: path}).matches(&x) {
			all = append(all, x)
		}
	}
	return all
}

// The paths of records.
const (
	instances  = "/instances"
	instance   = "/instances/*"
	apps       = "/instances/*/apps"
	app        = "/instances/*/apps/*"
	allowlist  = "/instances/*/allowlist"
	databases  = "/instances/*/postgres/databases"
	extensions = "/instances/*/postgres/extensions"
	webhooks   = "/webhooks"
	webhook    = "/webhooks/*"
	connection = "/instances/*/connection"
	builds     = "/instances/*/apps/*/builds"
	appImport  = "/instances/*/apps/import"
	resize     = "/instances/*/actions/resize"
	query      = "/instances/*/engines/postgres/query"
)

// answers answers requests in place of the service.
func answers(method, path string, status int, code, detail string) trait {
	return trait{method: method, path: path, before: func(x *exchange) { x.refuses(status, code, detail) }}
}

// answersNext answers the next n requests in place of the service.
func answersNext(n int, method, path string, status int, code, detail string) trait {
	var mu sync.Mutex
	return trait{method: method, path: path, before: func(x *exchange) {
		mu.Lock()
		defer mu.Unlock()
		if n--; n >= 0 {
			x.refuses(status, code, detail)
		}
	}}
}

// loses carries the next request out, and answers it with a gateway's page.
func loses(method, path string) trait {
	var mu sync.Mutex
	lost := false
	return trait{method: method, path: path, after: func(x *exchange) {
		mu.Lock()
		defer mu.Unlock()
		if !lost && x.status < 300 {
			lost = true
			x.status, x.answer, x.body = http.StatusGatewayTimeout, nil, []byte("<html>504 Gateway Time-out</html>")
			x.header.Set("Content-Type", "text/html")
		}
	}}
}

// everyObject calls change with each object in successful answers of a method to paths that
// match a glob.
func everyObject(method, path string, change func(map[string]any)) trait {
	return trait{method: method, path: path, after: func(x *exchange) {
		if x.status < 300 {
			walkObjects(x.answer, change)
		}
	}}
}

func walkObjects(v any, change func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		change(v)
		for _, member := range v {
			walkObjects(member, change)
		}
	case []any:
		for _, element := range v {
			walkObjects(element, change)
		}
	}
}

// keeps shows the text of a field in another form wherever it occurs in records.
func keeps(field string, form func(string) string) trait {
	return everyObject("", "", func(o map[string]any) {
		switch v := o[field].(type) {
		case string:
			o[field] = form(v)
		case []any:
			for i := range v {
				if text, ok := v[i].(string); ok {
					v[i] = form(text)
				}
			}
		}
	})
}

// shows shows a fixed value of a field in the records below a path.
func shows(path, field string, value any) trait {
	return everyObject("GET", path, func(o map[string]any) {
		if _, there := o[field]; there {
			o[field] = value
		}
	})
}

// lacks leaves a field out of the records below a path.
func lacks(path, field string) trait {
	return everyObject("GET", path, func(o map[string]any) { delete(o, field) })
}

// everyNumber writes each number with a suffix, such as ".0".
func everyNumber(suffix string) trait {
	return everyObject("", "", func(o map[string]any) {
		for name, v := range o {
			if n, ok := v.(json.Number); ok && !strings.ContainsAny(string(n), ".eE") {
				o[name] = json.Number(string(n) + suffix)
			}
		}
	})
}

// apparently changes each record of an app in the answers of the service.
func apparently(change func(app map[string]any)) trait {
	return everyObject("", "", func(o map[string]any) {
		if _, there := o["repo"]; there {
			change(o)
		}
	})
}

// masks shows other values of the variables of apps.
func masks(form func(name, value string) string) trait {
	return apparently(func(o map[string]any) {
		env, _ := o["env"].(map[string]any)
		for name, v := range env {
			env[name] = form(name, fmt.Sprint(v))
		}
	})
}

// until lets a trait end at a time from now. On a real CLI, time passes as for the service.
func (s *service) until(d time.Duration, t trait) trait {
	if *realCLI != "" {
		d /= realSpeed
	}
	end := time.Now().Add(d)
	within := func(do func(*exchange)) func(*exchange) {
		if do == nil {
			return nil
		}
		return func(x *exchange) {
			if time.Now().Before(end) {
				do(x)
			}
		}
	}
	t.before, t.after = within(t.before), within(t.after)
	return t
}
