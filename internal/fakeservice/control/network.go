package control

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
)

// duration is a time.Duration in the form of control requests, such as "2s".
type duration time.Duration

// UnmarshalJSON reads a duration from a string.
func (d *duration) UnmarshalJSON(text []byte) error {
	var written string
	if err := json.Unmarshal(text, &written); err != nil {
		return fmt.Errorf("a duration is a text such as \"2s\", not %s", text)
	}
	if written == "" {
		return nil
	}
	read, err := time.ParseDuration(written)
	if err != nil {
		return fmt.Errorf("%q is not a duration such as 2s", written)
	}
	*d = duration(read)
	return nil
}

// MarshalJSON writes the duration as a string.
func (d duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

// faultControl is a Fault in JSON. Merge replaces the function Rewrite: it is an object
// that is merged into the answer, and null removes a field.
type faultControl struct {
	Method      string         `json:"method"`
	Path        string         `json:"path"`
	Skip        int            `json:"skip"`
	Times       int            `json:"times"`
	For         duration       `json:"for"`
	AfterCommit bool           `json:"after_commit"`
	CommitAfter duration       `json:"commit_after"`
	Page        int            `json:"page"`
	Status      int            `json:"status"`
	Code        string         `json:"code"`
	Detail      string         `json:"detail"`
	RetryAfter  string         `json:"retry_after"`
	Delay       duration       `json:"delay"`
	Drop        bool           `json:"drop"`
	Body        *string        `json:"body"`
	ContentType string         `json:"content_type"`
	Truncate    bool           `json:"truncate"`
	BreakOff    bool           `json:"break_off"`
	BodySize    int64          `json:"body_size"`
	Pace        duration       `json:"pace"`
	Lag         duration       `json:"lag"`
	Merge       map[string]any `json:"merge"`
}

func (c *control) postFault(r *http.Request) (any, error) {
	var wanted faultControl
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	fault := gateway.Fault{
		Method: wanted.Method, Path: wanted.Path, Skip: wanted.Skip, Times: wanted.Times, For: time.Duration(wanted.For),
		AfterCommit: wanted.AfterCommit, CommitAfter: time.Duration(wanted.CommitAfter),
		Page: wanted.Page, Status: wanted.Status, Code: wanted.Code, Detail: wanted.Detail,
		RetryAfter: wanted.RetryAfter, Delay: time.Duration(wanted.Delay), Drop: wanted.Drop, ContentType: wanted.ContentType,
		Truncate: wanted.Truncate, BreakOff: wanted.BreakOff, BodySize: wanted.BodySize,
		Pace: time.Duration(wanted.Pace), Lag: time.Duration(wanted.Lag),
	}
	if wanted.Body != nil {
		fault.Body = []byte(*wanted.Body)
	}
	if wanted.Merge != nil {
		fault.Rewrite = func(body map[string]any) { merge(body, wanted.Merge) }
	}
	if err := c.AddFault(fault); err != nil {
		return nil, err
	}
	return object{"faults": len(c.Faults())}, nil
}

// deleteFaults removes every fault that was set over HTTP or in the portal.
func (c *control) deleteFaults(*http.Request) (any, error) {
	removed, err := c.RemoveFault("")
	return object{"removed": removed}, err
}

// merge merges the object over into another (RFC 7396).
func merge(into, over map[string]any) {
	for name, value := range over {
		inner, isObject := value.(map[string]any)
		below, hasObject := into[name].(map[string]any)
		switch {
		case value == nil:
			delete(into, name)
		case isObject && hasObject:
			merge(below, inner)
		default:
			into[name] = value
		}
	}
}

// conditionsControl is Conditions in JSON.
type conditionsControl struct {
	DateOffset duration `json:"date_offset"`
	Lag        duration `json:"lag"`
	Latency    duration `json:"latency"`
	RateLimit  struct {
		PerSecond float64 `json:"per_second"`
		Burst     int     `json:"burst"`
	} `json:"rate_limit"`
}

func (c *control) getConditions(*http.Request) (any, error) {
	now := c.Network.Conditions()
	shown := conditionsControl{DateOffset: duration(now.DateOffset), Lag: duration(now.Lag), Latency: duration(now.Latency)}
	shown.RateLimit.PerSecond, shown.RateLimit.Burst = now.RateLimit.PerSecond, now.RateLimit.Burst
	return shown, nil
}

// putConditions replaces all conditions. An omitted condition is turned off.
func (c *control) putConditions(r *http.Request) (any, error) {
	var wanted conditionsControl
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	if wanted.Lag < 0 || wanted.Latency < 0 || wanted.RateLimit.PerSecond < 0 || wanted.RateLimit.Burst < 0 {
		return nil, fmt.Errorf("lag, latency, per_second and burst must not be under 0")
	}
	c.Network.SetConditions(gateway.Conditions{
		DateOffset: time.Duration(wanted.DateOffset),
		Lag:        time.Duration(wanted.Lag),
		Latency:    time.Duration(wanted.Latency),
		RateLimit:  gateway.RateLimit{PerSecond: wanted.RateLimit.PerSecond, Burst: wanted.RateLimit.Burst},
	})
	return c.getConditions(r)
}

// away makes the service unavailable for a while. Without a page, it closes connections.
func (c *control) away(r *http.Request) (any, error) {
	var wanted struct {
		For  duration `json:"for"`
		Page int      `json:"page"`
	}
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	if wanted.For < 0 {
		return nil, fmt.Errorf("for must be a duration such as 30s; 0s brings the service back")
	}
	if err := gateway.CheckPage(wanted.Page); err != nil {
		return nil, err
	}
	c.Network.Away(time.Duration(wanted.For), wanted.Page)
	return object{"for": wanted.For}, nil
}

func (c *control) getLate(*http.Request) (any, error) {
	return object{"late": c.Network.LateRequests()}, nil
}

func (c *control) deliverLate(*http.Request) (any, error) {
	return object{"delivered": c.Network.DeliverLate()}, nil
}
