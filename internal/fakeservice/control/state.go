package control

import (
	"fmt"
	"maps"
	"net/http"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// getState returns everything that the API shows, at one moment.
func (c *control) getState(r *http.Request) (any, error) { return c.Core.Overview(r.Context()) }

// getLeft returns the counts of objects that a clean account does not have, and their
// sum.
func (c *control) getLeft(*http.Request) (any, error) {
	left := c.Core.Left()
	total := 0
	for n := range maps.Values(left) {
		total += n
	}
	return object{"total": total, "left": left}, nil
}

// getRequests lists the log without headers and bodies, which contain the key and other
// secrets.
func (c *control) getRequests(*http.Request) (any, error) {
	requests := []object{}
	for _, r := range c.Log.Requests() {
		requests = append(requests, object{
			"at": r.At, "real_at": r.RealAt.UTC(), "method": r.Method, "path": r.Path, "query": r.Query,
			"status": r.Status, "served": r.Served, "fault": r.Fault,
		})
	}
	return object{"requests": requests}, nil
}

func (c *control) getViolations(*http.Request) (any, error) {
	return object{"violations": append([]string{}, c.Log.Violations()...)}, nil
}

func (c *control) getEvents(*http.Request) (any, error) {
	events := []core.EventRecord{}
	for _, e := range c.Core.Events() {
		events = append(events, core.EventRecordOf(e))
	}
	return object{"events": events}, nil
}

// postEvent emits an event that nothing in the fake causes.
func (c *control) postEvent(r *http.Request) (any, error) {
	var wanted struct {
		Type       string         `json:"type"`
		InstanceID string         `json:"instance_id"`
		Data       map[string]any `json:"data"`
	}
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	if wanted.Type == "" {
		return nil, fmt.Errorf("type is required")
	}
	c.Core.Emit(wanted.Type, wanted.InstanceID, wanted.Data)
	return object{"emitted": wanted.Type}, nil
}
