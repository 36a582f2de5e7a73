package hostingtest

import (
	"net/http"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
)

// Fault changes the service's handling of the requests that it matches. Its effects can be
// combined. Without any, it changes nothing.
type Fault struct {
	// Method is the method to match. Empty matches any.
	Method string
	// Path is the path to match, below /api/v1, or a whole path of the MCP server or the
	// portal, such as /mcp or /portal/**. Each element is a glob as in path.Match, such as
	// /instances/*/apps/import, and a last element ** matches everything below. Empty
	// matches any path.
	Path string
	// Skip is the number of matching requests to let through first. Times is the number of
	// requests to affect after that: 0 means one, and a negative number all. For, if
	// positive, ends the fault that long after the first affected request; Times 0 then
	// means all.
	Skip, Times int
	For         time.Duration

	// AfterCommit applies the fault to the response, after the service has executed the
	// request.
	AfterCommit bool
	// CommitAfter, if positive, delays the request to the service by this time. The client
	// gets the fault's response first, which is a 504 page by default.
	CommitAfter time.Duration

	// Before, if non-nil, is called when a request arrives. After, if non-nil, is called when
	// the service has answered, and before the client gets the response.
	Before, After func()

	// Page, if not 0, is the status of a gateway's page that replaces the response. The page
	// does not have the service's error format.
	Page int
	// Status, if not 0, is the status of an error response in the service's format. The
	// default Code and Detail depend on Status.
	Status       int
	Code, Detail string
	// RetryAfter, if not empty, is the value of the response's header Retry-After.
	RetryAfter string
	// Delay is the time before the response.
	Delay time.Duration
	// Drop closes the connection without a response.
	Drop bool
	// Body, if non-nil, replaces the response's body. ContentType is JSON by default.
	Body        []byte
	ContentType string
	// Truncate sends half of the body as if it were complete. BreakOff announces the
	// complete body, sends half of it and closes the connection.
	Truncate, BreakOff bool
	// BodySize, if positive, is the size in bytes of a body that replaces the response's.
	// Pace is the time between its pieces of 1 KiB.
	BodySize int64
	Pace     time.Duration
	// Lag answers a read with the state from that long ago.
	Lag time.Duration
	// Rewrite, if non-nil, is called with each JSON object in a response, and may change it.
	Rewrite func(map[string]any)
}

// Request is a request to the API in the log of the fake.
type Request struct {
	// At is the time of the fake's clock, and RealAt the real time.
	At, RealAt time.Time
	Method     string
	// Path is the escaped path below /api/v1.
	Path  string
	Query string
	// Header lacks Authorization.
	Header http.Header
	Body   []byte
	// Status is the status that the client got. It is 0 until then, and if the connection was
	// closed without a response.
	Status int
	// Served is the service's own status. It is 0 if the request did not reach the service.
	Served int
	// Fault reports whether a fault changed the response.
	Fault bool
}

// Weather determines how many requests fail at random.
type Weather int

const (
	// Calm disrupts no request.
	Calm Weather = iota
	// Breeze disrupts a request in ten: rate limits, slow responses, stale reads, and
	// gateways' pages in place of reads.
	Breeze
	// Storm disrupts a request in four: as Breeze, and closed connections, late commits, and
	// responses that are lost or cut off. Nothing is refused permanently.
	Storm
)

// String returns the weather's name.
func (w Weather) String() string { return w.internal().String() }

// Inject installs a fault and returns a function that removes it. It panics if the fault can
// never match a request, or if its effects exclude each other.
func (s *Service) Inject(f Fault) (remove func()) {
	must(f.internal().Check())
	return s.fake.Inject(f.internal())
}

// SetWeather disrupts requests at random from now on. With the same seed, the same
// requests are disrupted in the same way.
func (s *Service) SetWeather(w Weather, seed uint64) { s.fake.SetWeather(w.internal(), seed) }

// Away makes the service unavailable for a time. Requests get a gateway's page with this
// status, or a closed connection if page is 0. Away panics if the status is not an error.
func (s *Service) Away(d time.Duration, page int) {
	must(gateway.CheckPage(page))
	s.fake.Away(d, page)
}

// Requests returns all requests to the API, in order of arrival.
func (s *Service) Requests() []Request { return each(s.fake.Requests(), requestOf) }

// Count returns the number of requests with a method, or any if empty, and a path below
// /api/v1 that matches a glob, such as "/instances/*". A last element ** matches
// everything below.
func (s *Service) Count(method, pathGlob string) int { return s.fake.Count(method, pathGlob) }
