package simulation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

// maxRequests limits the requests of a world. A CLI that exceeds it polls in a loop.
const maxRequests = 5000

// mayGoOn counts a request of the world, and reports whether it is within the limit.
func (w *world) mayGoOn() bool {
	w.mu.Lock()
	w.requests++
	n := w.requests
	w.mu.Unlock()
	if n == maxRequests {
		w.violate(bounded, "%d requests were sent", n)
	}
	return n < maxRequests
}

// path returns the path below the prefix of the API.
func path(r *http.Request) string { return strings.TrimPrefix(r.URL.Path, "/api/v1") }

// classesOf returns the classes of a request. A POST is a write too.
func classesOf(r *http.Request) []class {
	switch p := path(r); {
	case r.Method == http.MethodPost:
		return []class{writes, creations}
	case r.Method != http.MethodGet:
		return []class{writes}
	case strings.HasPrefix(p, "/jobs/"), strings.HasSuffix(p, "/builds"):
		return []class{polls}
	}
	return []class{reads}
}

// stepWeather is the strikes of a step, with their counters.
type stepWeather struct {
	strikes []*falling
	deeds   []deed
	seen    int  // the number of requests
	outage  bool // whether an outage of an earlier step lasted at the beginning
	// first and last are the times of the first and the latest strike.
	first, last time.Time
}

type falling struct {
	strike
	seen, hit int
	until     time.Time
}

func newWeather(s step) *stepWeather {
	all := &stepWeather{deeds: s.Deeds}
	for _, one := range s.Strikes {
		all.strikes = append(all.strikes, &falling{strike: one})
	}
	return all
}

// decide is the gateway's Strike: it sees all requests in order.
func (w *world) decide(_ int, r *http.Request) *gateway.Fault {
	w.mu.Lock()
	now := w.weather
	w.mu.Unlock()
	if now == nil {
		return nil
	}
	now.seen++
	for _, d := range now.deeds {
		if d.At == now.seen {
			w.person(d.Kind)
		}
	}
	var hit *gateway.Fault
	for _, f := range now.strikes {
		if f.matches(r) && hit == nil {
			f.hit++
			w.count(faulted(f.Kind))
			w.strikes()
			hit = w.fault(f.strike, r)
			if f.Kind == ignored {
				r.Header.Set(ignoringHeader, "1")
			}
		}
	}
	return hit
}

// matches counts a request that the strike matches, and reports whether it is hit.
func (f *falling) matches(r *http.Request) bool {
	reads := r.Method == http.MethodGet
	if !slices.Contains(classesOf(r), f.Class) || f.Kind == lagging && !reads || (f.Kind == leaky || f.Kind == ignored) && reads || f.Kind == forbidden && (!reads || !isOnInstance(r)) {
		return false
	}
	f.seen++
	if f.seen <= f.Nth {
		return false
	}
	if f.until.IsZero() {
		f.until = time.Now().Add(f.For)
	}
	return f.hit < f.Times || time.Now().Before(f.until)
}

// fault returns the fault that a strike causes for one request.
func (w *world) fault(s strike, r *http.Request) *gateway.Fault {
	switch s.Kind {
	case ignored:
		return nil // the service answers as always
	case leaky:
		return &gateway.Fault{Status: http.StatusUnprocessableEntity, Detail: "not while postgresql://owner:" + leakedPassword + "@host/main is in use by " + keyIn(r)}
	case forbidden:
		return &gateway.Fault{Status: http.StatusNotFound, Detail: "not allowed to access this with the key"}
	case goesSilent:
		fallsSilent(r)
		return &gateway.Fault{AfterCommit: true, Drop: true} // a creation that the service never saw is rightly an error
	case away:
		w.gateway.Away(s.Amount, http.StatusBadGateway)
		w.mu.Lock()
		w.awayUntil = time.Now().Add(s.Amount)
		w.mu.Unlock()
		return &gateway.Fault{Page: http.StatusBadGateway}
	}
	return weather.Kind(s.Kind).Fault(s.Amount)
}

// isOnInstance reports whether a request is for the apps, databases or extensions of an
// instance, or for one of them.
func isOnInstance(r *http.Request) bool {
	_, below, _ := strings.Cut(r.URL.Path, "/instances/")
	_, below, _ = strings.Cut(below, "/")
	return strings.HasPrefix(below, "apps") || strings.HasPrefix(below, "postgres/")
}

// keyIn returns the API key of a request.
func keyIn(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

// leakedPassword is in the text of a refusal that leaks secrets.
const leakedPassword = "leaked-password"

// serve is the service with its variations. It records everything that the service really
// did.
func (w *world) serve(to http.ResponseWriter, r *http.Request) {
	// A service may ignore the key, so a world in which it matters proves nothing.
	r.Header.Del("Idempotency-Key")
	body, _ := io.ReadAll(r.Body) // the gateway has it in memory
	r.Body = io.NopCloser(bytes.NewReader(body))
	arrived := time.Now()
	made := httptest.NewRecorder()
	if ofStranger(r) {
		body = w.scenario.Shapes.asked(r, body)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		w.stranger.ServeHTTP(made, r)
		w.serveStranger(r, made.Code)
	} else {
		broken, what := w.whatGoes(r, body)
		repeated := w.repeats(r, body)
		body = w.scenario.Shapes.asked(r, w.withoutIgnored(r, body))
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		if w.refuses(made, r, body) {
			w.own(r, made.Code, made.Body.Bytes())
		} else {
			w.fake.ServeHTTP(made, r)
			w.served(r, body, made.Code, made.Body.Bytes(), arrived)
		}
		if c := callOf(r.Context()); c != nil && repeated != "" {
			w.violate(askedOnce, "%s of %s: %s", c.what, c.address, repeated)
		}
		if c := callOf(r.Context()); what != "" && made.Code < 300 {
			w.violate(broken, "%s of %s: %s", c.what, c.address, what)
		}
	}
	answer := made.Body.Bytes()
	var decoded any
	if json.Unmarshal(answer, &decoded) == nil {
		nameAccount(r, decoded)
		w.alterStatus(decoded)
		w.printVariables(r.URL.Path, decoded)
		w.hide(decoded)
		answer, _ = json.Marshal(w.scenario.Shapes.of(w, decoded)) // JSON can encode a decoded value
	}
	for name, values := range made.Header() {
		to.Header()[name] = values
	}
	to.Header().Del("Content-Length")
	to.WriteHeader(made.Code)
	_, _ = to.Write(answer)
}

var idPattern = regexp.MustCompile(`\b(i|job|wh|bld|acc)-[a-z2-7]{12}\b`)

// normal replaces the generated ids in a text with numbers in the order of their first
// appearance.
func (w *world) normal(text string) string {
	return idPattern.ReplaceAllStringFunc(text, func(id string) string {
		w.mu.Lock()
		defer w.mu.Unlock()
		kind, _, _ := strings.Cut(id, "-")
		if w.ids[id] == "" {
			w.kinds[kind]++
			w.ids[id] = fmt.Sprintf("%s-%d", kind, w.kinds[kind])
		}
		return w.ids[id]
	})
}

// watch writes the log of requests.
func (w *world) watch(r *http.Request, body []byte) gateway.Exchange {
	line := r.Method + " " + w.normal(path(r))
	if r.URL.RawQuery != "" {
		line += "?" + w.normal(r.URL.RawQuery)
	}
	w.note("%s", line)
	sent := ""
	if w.details != nil && len(body) > 0 {
		sent = " " + string(body)
	}
	return &watched{w, line, sent, r.Method == http.MethodGet, slices.Contains(classesOf(r), reads)}
}

type watched struct {
	world *world
	line  string
	sent  string // the body, in a story of TestStories
	read  bool   // whether it is any GET
	told  bool   // whether a story tells it
}

func (e *watched) Served(status int) { e.world.note("  %s: served %d", e.line, status) }
func (e *watched) Answered(status int, _ []byte, faulted bool) {
	e.world.note("  %s: answered %d, faulted %t", e.line, status, faulted)
	if faulted {
		e.world.strikes()
	}
	if !e.read || faulted || status != http.StatusOK {
		e.world.tell("%s%s: %d%s", e.line, e.sent, status, map[bool]string{true: ", faulted"}[faulted])
	} else if d := e.world.details; d != nil && e.told {
		e.world.mu.Lock()
		d.reads[e.line]++
		e.world.mu.Unlock()
	}
}

// strikes records that the weather strikes now.
func (w *world) strikes() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.weather == nil {
		return
	}
	w.weather.last = time.Now()
	if w.weather.first.IsZero() {
		w.weather.first = w.weather.last
	}
}

// note adds a line to the log, with the time since the world began.
func (w *world) note(format string, arguments ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, fmt.Sprintf("%s ", time.Since(w.begun))+fmt.Sprintf(format, arguments...))
}

// tell adds a line to the story, the description of a world for people.
func (w *world) tell(format string, arguments ...any) {
	line := w.normal(fmt.Sprintf(format, arguments...))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.story = append(w.story, fmt.Sprintf("%9s  %s", time.Since(w.begun).Round(10*time.Millisecond), line))
}
