package core

import (
	"maps"
	"slices"
	"time"
)

// activityShown is the maximum number of lines of history in an instance's record.
const activityShown = 20

// eventRecord is a stored event. Sequence orders events.
type eventRecord struct {
	Event
	Sequence int
}

// EventRecord is an event as a delivery sends it.
type EventRecord struct {
	ID         string         `json:"id"`
	Type       string         `json:"type"`
	InstanceID *string        `json:"instance_id"`
	At         time.Time      `json:"at"`
	Data       map[string]any `json:"data"`
}

// Record returns the event as a delivery sends it.
func (e Event) Record() EventRecord {
	return EventRecord{ID: e.ID, Type: e.Type, InstanceID: textOrNil(e.InstanceID), At: e.At, Data: e.Data}
}

// emit is the only function that emits events. It stores them in order, and adds those of
// an instance to the instance's activity.
func (st *state) emit(kind, instanceID string, data map[string]any) {
	e := Event{ID: newID("evt"), Type: kind, InstanceID: instanceID, At: st.Now, Data: data}
	st.Events = keep(st, st.Events, &eventRecord{Event: e, Sequence: st.next()})
	st.post(e)
	in := st.find(instanceID)
	if in == nil {
		return
	}
	detail := ""
	if job, ok := data["job_id"].(string); ok {
		detail = "job " + job
	}
	in.Activity = slices.Insert(in.Activity, 0, Activity{At: st.Now, Type: kind, Detail: detail})
	in.Activity = in.Activity[:min(len(in.Activity), activityShown)]
}

// Events returns the stored events, oldest first. Only the newest events are stored; see
// recordsKept.
func (s *Service) Events() []Event {
	var events []Event
	s.store.read(0, func(st *state) {
		for _, kept := range st.Events {
			e := kept.Event
			e.Data = maps.Clone(e.Data)
			events = append(events, e)
		}
	})
	return events
}

// Emit emits an event that nothing in the fake causes, such as health_alert or
// nats_stream_created.
func (s *Service) Emit(kind, instanceID string, data map[string]any) {
	if data == nil {
		data = map[string]any{}
	}
	s.store.do(func(st *state) { st.emit(kind, instanceID, maps.Clone(data)) })
}
