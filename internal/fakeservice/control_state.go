package fakeservice

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"time"
)

// getState shows everything that the API shows, at one moment. It holds no
// secrets: they are for the connection record alone.
func (c *control) getState(*http.Request) (any, error) {
	var text []byte
	var err error
	c.service.store.do(func(st *state) {
		instances := []object{}
		for _, in := range st.instances {
			view := object(st.viewInstance(in))
			apps := []object{}
			for _, a := range in.apps {
				apps = append(apps, viewApp(a))
			}
			databases := []string{}
			for _, d := range in.databases {
				databases = append(databases, d.Name)
			}
			extensions := []string{}
			for _, e := range in.extensions {
				extensions = append(extensions, e.Database+"/"+e.Name)
			}
			view["apps"], view["databases"], view["extensions"] = apps, databases, extensions
			instances = append(instances, view)
		}
		webhooks := []object{}
		for _, w := range st.webhooks {
			webhooks = append(webhooks, viewWebhook(w))
		}
		// Encoded here, as the views share lists with the state.
		text, err = encodeJSON(object{"now": st.now, "instances": instances, "webhooks": webhooks})
	})
	return json.RawMessage(text), err
}

// getLeft counts what a clean account does not have, and sums it up.
func (c *control) getLeft(*http.Request) (any, error) {
	left := c.service.Left()
	total := 0
	for n := range maps.Values(left) {
		total += n
	}
	return object{"total": total, "left": left}, nil
}

// getRequests lists the log without headers and bodies, which hold the key and
// other secrets.
func (c *control) getRequests(*http.Request) (any, error) {
	requests := []object{}
	for _, r := range c.service.Requests() {
		requests = append(requests, object{
			"at": r.At, "real_at": r.RealAt.UTC(), "method": r.Method, "path": r.Path, "query": r.Query,
			"status": r.Status, "fault": r.Fault,
		})
	}
	return object{"requests": requests}, nil
}

func (c *control) getViolations(*http.Request) (any, error) {
	return object{"violations": listOf(c.service.Violations())}, nil
}

func (c *control) getEvents(*http.Request) (any, error) {
	events := []object{}
	for _, e := range c.service.Events() {
		events = append(events, object{"id": e.ID, "type": e.Type, "instance_id": e.InstanceID, "at": e.At, "data": e.Data})
	}
	return object{"events": events}, nil
}

// postEvent lets an event out whose cause the fake does not have.
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
	c.service.Emit(wanted.Type, wanted.InstanceID, wanted.Data)
	return object{"emitted": wanted.Type}, nil
}

// faultControl is a Fault in JSON. Merge is what Rewrite is in Go: an object
// that is laid over the answer, with null for a field to take away.
type faultControl struct {
	Method      string         `json:"method"`
	Path        string         `json:"path"`
	Skip        int            `json:"skip"`
	Times       int            `json:"times"`
	AfterCommit bool           `json:"after_commit"`
	Status      int            `json:"status"`
	Code        string         `json:"code"`
	Detail      string         `json:"detail"`
	RetryAfter  string         `json:"retry_after"`
	Delay       string         `json:"delay"`
	Drop        bool           `json:"drop"`
	Body        *string        `json:"body"`
	ContentType string         `json:"content_type"`
	Truncate    bool           `json:"truncate"`
	BodySize    int64          `json:"body_size"`
	Pace        string         `json:"pace"`
	Merge       map[string]any `json:"merge"`
}

func (c *control) postFault(r *http.Request) (any, error) {
	var wanted faultControl
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	fault := Fault{
		Method: wanted.Method, Path: wanted.Path, Skip: wanted.Skip, Times: wanted.Times,
		AfterCommit: wanted.AfterCommit, Status: wanted.Status, Code: wanted.Code, Detail: wanted.Detail,
		RetryAfter: wanted.RetryAfter, Drop: wanted.Drop, ContentType: wanted.ContentType,
		Truncate: wanted.Truncate, BodySize: wanted.BodySize,
	}
	if wanted.Status != 0 && (wanted.Status < 200 || wanted.Status > 599) {
		return nil, fmt.Errorf("status must be from 200 to 599")
	}
	for _, pause := range []struct {
		text string
		into *time.Duration
	}{{wanted.Delay, &fault.Delay}, {wanted.Pace, &fault.Pace}} {
		if pause.text == "" {
			continue
		}
		var err error
		if *pause.into, err = time.ParseDuration(pause.text); err != nil {
			return nil, fmt.Errorf("delay and pace must be durations such as 2s: %w", err)
		}
	}
	if wanted.Body != nil {
		fault.Body = []byte(*wanted.Body)
	}
	if wanted.Merge != nil {
		fault.Rewrite = func(body map[string]any) { merge(body, wanted.Merge) }
	}
	remove := c.service.Inject(fault)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.injected = append(c.injected, remove)
	return object{"faults": len(c.injected)}, nil
}

// deleteFaults takes away every fault that was set over /_fake/.
func (c *control) deleteFaults(*http.Request) (any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	removed := len(c.injected)
	for _, remove := range c.injected {
		remove()
	}
	c.injected = nil
	return object{"removed": removed}, nil
}

// merge lays one object over another (RFC 7396).
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
