package client

import (
	"encoding/json"
	"fmt"
)

// The service's records are read tolerantly (contract.md, last section): what
// is settled there may be otherwise in the real service. The forms that differ
// are all read here and in Pending.

// Maybe is a field that a record may leave out. Set tells whether it was there;
// null counts as there, with the zero value.
type Maybe[T any] struct {
	Value T
	Set   bool
}

// Some is a field that is there.
func Some[T any](value T) Maybe[T] { return Maybe[T]{Value: value, Set: true} }

// UnmarshalJSON is called only for a field that is there.
func (m *Maybe[T]) UnmarshalJSON(raw []byte) error {
	m.Set = true
	return json.Unmarshal(raw, &m.Value)
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

// UnmarshalJSON reads the answer to a creation: its own fields, and the job
// wherever Pending finds it.
func (a *createdAnswer) UnmarshalJSON(raw []byte) error {
	var fields struct {
		ID          string `json:"id"`
		Status      string `json:"status"`
		CheckoutURL string `json:"checkout_url"`
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	*a = createdAnswer{ID: fields.ID, Status: fields.Status, CheckoutURL: fields.CheckoutURL}
	return json.Unmarshal(raw, &a.Pending)
}
