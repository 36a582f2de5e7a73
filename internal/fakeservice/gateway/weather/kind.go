package weather

import (
	"net/http"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
)

// Kind is a kind of failure between client and service.
type Kind int

// The kinds.
const (
	BadGateway    Kind = iota // A gateway's 502 page. The service saw nothing.
	Foreign404                // A gateway's 404 page.
	Unavailable               // A gateway's 503 page.
	NeverSent                 // The connection closes before the service saw the request.
	LostAnswer                // The connection closes after the service answered.
	TimedOut                  // A 504 page after the service answered.
	LateCommit                // A 504 page. The service sees the request later.
	Lagging                   // A read of an old state.
	TooMany                   // 429 in the service's envelope.
	Busy                      // 503 in the service's envelope.
	InternalError             // 500 in the service's envelope. Nothing was done.
	Slow                      // The answer takes long.
	BrokenOff                 // The connection closes in the middle of the answer.
	Truncated                 // Half of the answer, as if it were complete.
	Huge                      // An answer of more than 4 MiB.
	Kinds                     // The number of kinds.
)

// String returns a description of the kind.
func (k Kind) String() string {
	return [...]string{"502 page", "404 page", "503 page", "never sent", "lost answer", "504 after the commit", "504, late commit",
		"lag", "429", "503", "500", "slow", "broken off", "truncated", "huge"}[k]
}

// Fault returns the fault for one request. amount is the duration of kinds that have one: a
// late commit, a lag, a slow answer.
func (k Kind) Fault(amount time.Duration) *gateway.Fault {
	switch k {
	case BadGateway:
		return &gateway.Fault{Page: http.StatusBadGateway}
	case Foreign404:
		return &gateway.Fault{Page: http.StatusNotFound}
	case Unavailable:
		return &gateway.Fault{Page: http.StatusServiceUnavailable}
	case NeverSent:
		return &gateway.Fault{Drop: true}
	case LostAnswer:
		return &gateway.Fault{AfterCommit: true, Drop: true}
	case TimedOut:
		return &gateway.Fault{AfterCommit: true, Page: http.StatusGatewayTimeout}
	case LateCommit:
		return &gateway.Fault{CommitAfter: amount}
	case Lagging:
		return &gateway.Fault{Lag: min(amount, LongestLag)}
	case TooMany:
		return &gateway.Fault{Status: http.StatusTooManyRequests, RetryAfter: "3"}
	case Busy:
		return &gateway.Fault{Status: http.StatusServiceUnavailable, RetryAfter: "2"}
	case InternalError:
		return &gateway.Fault{Status: http.StatusInternalServerError}
	case Slow:
		return &gateway.Fault{AfterCommit: true, Delay: amount}
	case BrokenOff:
		return &gateway.Fault{AfterCommit: true, BreakOff: true}
	case Truncated:
		return &gateway.Fault{AfterCommit: true, Truncate: true}
	case Huge:
		return &gateway.Fault{AfterCommit: true, BodySize: 4<<20 + 1}
	}
	panic("there is no such kind of weather")
}

// LongestLag is the maximum age of a read: some seconds (SERVICE.md#tolerance). The service
// behind the gateway must keep its past states for that long.
const LongestLag = 12 * time.Second
