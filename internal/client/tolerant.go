package client

import (
	"encoding/json"
	"strings"
	"time"
)

// The service's records are parsed tolerantly (SERVICE.md#tolerance), because the real
// service may differ from settled facts. This file parses all forms that may differ.

// Maybe is a field that a record may omit. Set reports whether the record has it. A null
// counts as omitted.
type Maybe[T any] struct {
	Value T
	Set   bool
}

// Some returns a field with a value.
func Some[T any](value T) Maybe[T] { return Maybe[T]{Value: value, Set: true} }

// UnmarshalJSON is called only if the record has the field.
func (m *Maybe[T]) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		*m = Maybe[T]{}
		return nil
	}
	m.Set = true
	if number, ok := any(&m.Value).(*int64); ok {
		return json.Unmarshal(raw, (*Whole)(number))
	}
	return json.Unmarshal(raw, &m.Value)
}

// A Word is a status in the service's words. Services may use upper or lower case
// (SERVICE.md#tolerance), so it is converted to lower case when it is read. All
// comparisons use lower case, and configurations see the words of the documentation.
type Word string

// UnmarshalJSON reads a string and converts it to lower case.
func (w *Word) UnmarshalJSON(raw []byte) error {
	var text string
	err := json.Unmarshal(raw, &text)
	*w = Word(strings.ToLower(text))
	return err
}

// failed reports whether the status means a failure, by any of the words that a service
// may use for it.
func (w Word) failed() bool {
	return w == "failed" || w == "failure" || w == "error" || w.cancelled()
}

// cancelled reports whether the status means that somebody ended the work.
func (w Word) cancelled() bool { return w == "cancelled" || w == "canceled" }

// An identifier of a build is a text, or the digits of a whole number.
type identifier string

// UnmarshalJSON accepts a string, a whole number and null.
func (i *identifier) UnmarshalJSON(raw []byte) error {
	var digits uint64
	if json.Unmarshal(raw, &digits) == nil && string(raw) != "null" {
		*i = identifier(raw)
		return nil
	}
	return json.Unmarshal(raw, (*string)(i))
}

// Engines maps the names of the engines that are on to their details.
type Engines map[string]Engine

// An Engine is one engine of an instance's record.
type Engine struct {
	MemoryMB Whole `json:"memory_mb"` // 0 if not in the record
	Port     Count `json:"port"`
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
		return err
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
			return below(name, err)
		}
		(*e)[name] = engine
	}
	return nil
}

// Informal is a field that is only informative. If it is missing or has an unexpected
// type, Value is zero.
type Informal[T any] struct{ Value T }

// UnmarshalJSON never returns an error. If T is int, it drops the fraction of a number.
func (i *Informal[T]) UnmarshalJSON(raw []byte) error {
	var value T
	if json.Unmarshal(raw, &value) == nil {
		i.Value = value
		return nil
	}
	var number Amount
	if integer, ok := any(&i.Value).(*int); ok && json.Unmarshal(raw, &number) == nil {
		*integer = int(number)
	}
	return nil
}

// A Count is a whole number that only informs, and 0 if it is missing or unreadable.
type Count int64

// UnmarshalJSON never returns an error.
func (c *Count) UnmarshalJSON(raw []byte) error {
	*c = Count(informal[Whole](raw))
	return nil
}

// A Figure is like a Count, but may have a fraction.
type Figure float64

// UnmarshalJSON never returns an error.
func (f *Figure) UnmarshalJSON(raw []byte) error {
	*f = Figure(informal[Amount](raw))
	return nil
}

// informal returns the value of an Informal.
func informal[T any](raw []byte) T {
	var i Informal[T]
	_ = i.UnmarshalJSON(raw) // it never returns an error
	return i.Value
}

// MarshalJSON writes the value.
func (i Informal[T]) MarshalJSON() ([]byte, error) { return json.Marshal(i.Value) }

// Time is the time of an event, in UTC. It is zero if the service does not report the
// time in RFC 3339. A time that is not zero can be formatted in RFC 3339.
type Time struct{ time.Time }

// UnmarshalJSON never returns an error, because a time is only informative.
func (t *Time) UnmarshalJSON(raw []byte) error {
	var at time.Time
	if json.Unmarshal(raw, &at) == nil {
		// Near year 0 or 9999, conversion to UTC may leave the range of four-digit years.
		if at = at.UTC(); at.Year() >= 0 && at.Year() <= 9999 {
			t.Time = at
		}
	}
	return nil
}
