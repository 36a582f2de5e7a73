package weather

import (
	"net/http"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
)

// Kind is a kind of thing that goes wrong on the way.
type Kind int

// The kinds.
const (
	BadGateway    Kind = iota // a gateway's 502 page, the service saw nothing
	Foreign404                // a gateway's 404 page
	Unavailable               // a gateway's 503 page
	NeverSent                 // the connection closes before the service saw the request
	LostAnswer                // the connection closes after the service answered
	TimedOut                  // a 504 page after the service answered
	LateCommit                // a 504 page, and the service sees the request later
	Lagging                   // a read of the past
	TooMany                   // 429 in the service's envelope
	Busy                      // 503 in the service's envelope
	InternalError             // 500 in the service's envelope, nothing done
	Slow                      // the answer takes long
	BrokenOff                 // the connection closes in the middle of the answer
	Truncated                 // half of the answer, as if it were all
	Huge                      // an answer over 4 MiB
	Kinds                     // how many there are
)

// String is the kind in words.
func (k Kind) String() string {
	return [...]string{"502 page", "404 page", "503 page", "never sent", "lost answer", "504 after the commit", "504, late commit",
		"lag", "429", "503", "500", "slow", "broken off", "truncated", "huge"}[k]
}

// Fault is what the kind does to one request. amount is how long it takes, where the
// kind has a time: a late commit, a lag, a slow answer.
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

// LongestLag is how far a read may be behind: some seconds, as the contract says. The
// service behind the gateway has to keep its past for that long.
const LongestLag = 12 * time.Second
