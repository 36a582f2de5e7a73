package core

import (
	"maps"
	"slices"
	"time"
)

// EventTypes has the types of the service's events (SERVICE.md#events).
var EventTypes = []string{
	"created", "ready", "allowlist", "label", "resize", "reset", "restore", "rotate", "console", "engines", "engine_settings",
	"health_alert", "health_reset", "verify_ok", "verify_failed", "job_failed",
	"pg_database_created", "pg_database_dropped", "couch_database_created", "couch_database_deleted",
	"nats_stream_created", "nats_stream_purged", "nats_stream_deleted",
	"auth_user_created", "auth_user_invited", "auth_user_banned", "auth_user_unbanned", "auth_user_deleted", "auth_link_sent",
	"api_key_created", "api_key_revoked", "oauth_granted", "oauth_disconnected",
}

// activityShown is the maximum number of lines of history in an instance's record
// (openapi.yaml, Instance.activity).
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

// EventRecordOf returns an event as a delivery sends it.
func EventRecordOf(e Event) (record EventRecord) {
	show(&record, &e)
	return record
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
