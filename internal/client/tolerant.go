package client

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// The service's records are read tolerantly (SERVICE.md#tolerance): what
// is settled there may be otherwise in the real service. The forms that differ
// are all read here.

// Maybe is a field that a record may leave out. Set tells whether it was there. A
// null leaves it out too: it tells no value.
type Maybe[T any] struct {
	Value T
	Set   bool
}

// Some is a field that is there.
func Some[T any](value T) Maybe[T] { return Maybe[T]{Value: value, Set: true} }

// UnmarshalJSON is called only for a field that is there.
func (m *Maybe[T]) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		*m = Maybe[T]{}
		return nil
	}
	m.Set = true
	return json.Unmarshal(raw, &m.Value)
}

// A Word is a status in the service's words. Services write it in one case or another
// (SERVICE.md#tolerance), so it is read in lower case: nothing compares it in any
// other, and a configuration sees the words of the documentation.
type Word string

// UnmarshalJSON reads a string.
func (w *Word) UnmarshalJSON(raw []byte) error {
	var text string
	err := json.Unmarshal(raw, &text)
	*w = Word(strings.ToLower(text))
	return err
}

// failed tells whether what has this status ended badly, by any of the words that a
// service may use for it.
func (w Word) failed() bool {
	switch w {
	case "failed", "failure", "error", "cancelled", "canceled":
		return true
	}
	return false
}

// Engines are the engines that are on, by name.
type Engines map[string]Engine

// An Engine is one engine of an instance's record.
type Engine struct {
	MemoryMB int64 `json:"memory_mb"` // 0 when the record does not tell
	Port     int64 `json:"port"`
	// The auth engine's settings.
	SiteURL      Maybe[string]   `json:"site_url"`
	RedirectURLs Maybe[[]string] `json:"redirect_urls"`
}

// UnmarshalJSON reads an object of objects, an object of booleans, or an array
// of names.
func (e *Engines) UnmarshalJSON(raw []byte) error {
	*e = Engines{}
	var names []string
	if json.Unmarshal(raw, &names) == nil {
		for _, name := range names {
			(*e)[name] = Engine{}
		}
		return nil
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return fmt.Errorf("engines: %w", err)
	}
	for name, entry := range entries {
		var on bool
		if json.Unmarshal(entry, &on) == nil {
			if on && string(entry) != "null" {
				(*e)[name] = Engine{}
			}
			continue
		}
		var engine Engine
		if err := json.Unmarshal(entry, &engine); err != nil {
			return fmt.Errorf("engine %s: %w", name, err)
		}
		(*e)[name] = engine
	}
	return nil
}

// Informal is a field that only informs. One that is missing or of another type
// is dropped: Value is zero then.
type Informal[T any] struct{ Value T }

// UnmarshalJSON never fails. A number with a fraction is read as its whole part
// where T holds none.
func (i *Informal[T]) UnmarshalJSON(raw []byte) error {
	var value T
	if json.Unmarshal(raw, &value) == nil {
		i.Value = value
		return nil
	}
	var number float64
	if integer, ok := any(&i.Value).(*int); ok && json.Unmarshal(raw, &number) == nil {
		*integer = int(number)
	}
	return nil
}

// MarshalJSON writes the value.
func (i Informal[T]) MarshalJSON() ([]byte, error) { return json.Marshal(i.Value) }

// Time is when something happened, in UTC; zero where the service does not tell,
// or not in RFC 3339. One that is not zero has a form in RFC 3339.
type Time struct{ time.Time }

// UnmarshalJSON never fails: a time only informs.
func (t *Time) UnmarshalJSON(raw []byte) error {
	var at time.Time
	if json.Unmarshal(raw, &at) == nil {
		// At the ends of the years another zone's may have no four digits in UTC.
		if at = at.UTC(); at.Year() >= 0 && at.Year() <= 9999 {
			t.Time = at
		}
	}
	return nil
}

// UnmarshalJSON reads why a job failed: code and detail, or a string, which is
// the detail. What is anything else is dropped, as it only informs.
func (f *JobFault) UnmarshalJSON(raw []byte) error {
	*f = JobFault{}
	if json.Unmarshal(raw, &f.Detail) == nil {
		return nil
	}
	var fields struct{ Code, Detail Informal[string] }
	if json.Unmarshal(raw, &fields) == nil {
		*f = JobFault{Code: fields.Code.Value, Detail: fields.Detail.Value}
	}
	return nil
}

// UnmarshalJSON reads why an app does not run. It never fails: what is missing or
// of another type is dropped, field by field.
func (f *AppFailure) UnmarshalJSON(raw []byte) error {
	*f = AppFailure{}
	var fields struct{ Status, Exited, Log json.RawMessage }
	_ = json.Unmarshal(raw, &fields) // what is no object has none of them
	var status *int                  // null is an answer: there was none
	if fields.Status != nil && json.Unmarshal(fields.Status, &status) == nil {
		f.Status.Set = true
		if status != nil {
			f.Status.Value = *status
		}
	}
	var exited *bool
	if json.Unmarshal(fields.Exited, &exited) == nil && exited != nil {
		f.Exited = Some(*exited)
	}
	return f.Log.UnmarshalJSON(fields.Log)
}

// UnmarshalJSON finds the job at job_id, at job.id, at a string job, or takes the
// answer itself for the job's record. It leaves a Pending that says nothing where
// there is none.
func (p *Pending) UnmarshalJSON(raw []byte) error {
	var fields struct {
		ID        string           `json:"id"`
		Operation Informal[string] `json:"operation"`
		Progress  json.RawMessage  `json:"progress"`
		JobID     string           `json:"job_id"`
		Job       json.RawMessage  `json:"job"`
		BuildID   string           `json:"build_id"`
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	*p = Pending{JobID: fields.JobID, BuildID: fields.BuildID}
	var job struct {
		ID string `json:"id"`
	}
	switch {
	case p.JobID != "":
	case len(fields.Job) > 0 && json.Unmarshal(fields.Job, &p.JobID) == nil:
	case len(fields.Job) > 0:
		if err := json.Unmarshal(fields.Job, &job); err != nil {
			return fmt.Errorf("job: %w", err)
		}
		p.JobID = job.ID
	case fields.Operation.Value != "" || fields.Progress != nil:
		p.JobID = fields.ID
	}
	return nil
}

// UnmarshalJSON reads the answer to a creation: its own fields, and the job
// wherever Pending finds it. Where the answer is the job's record, the instance
// is the one that it names.
func (a *createdAnswer) UnmarshalJSON(raw []byte) error {
	var fields struct {
		ID          string `json:"id"`
		InstanceID  string `json:"instance_id"`
		Status      Word   `json:"status"`
		CheckoutURL string `json:"checkout_url"`
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	*a = createdAnswer{ID: fields.ID, Status: fields.Status, CheckoutURL: fields.CheckoutURL}
	if err := json.Unmarshal(raw, &a.Pending); err != nil {
		return err
	}
	if a.ID == a.Pending.JobID { // which may name no instance
		a.ID, a.Status = fields.InstanceID, StatusCreating
	}
	return nil
}
