package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"reflect"
	"time"
)

// Storage keeps entries by key when the program ends, however it does.
type Storage interface {
	// Read gives all entries.
	Read() (map[string][]byte, error)
	// Write sets entries and forgets those whose value is nil, all of them or none.
	// It returns when they would outlive the program.
	Write(changes map[string][]byte) error
	Close() error
}

// A record that is kept as an entry of its own says by which key. One that is final
// never changes again.
type keyed interface {
	key() string
	final() bool
}

func (in *instance) key() string   { return ordinal(in.Sequence) }
func (in *instance) final() bool   { return false }
func (j *job) key() string         { return ordinal(j.Sequence) }
func (j *job) final() bool         { return !j.InProgress() }
func (e *eventRecord) key() string { return ordinal(e.Sequence) }
func (a *Answer) key() string      { return ordinal(a.Sequence) }
func (*Answer) final() bool        { return true }
func (d *delivery) key() string    { return ordinal(d.Sequence) }
func (d *delivery) final() bool    { return d.State != DeliveryPending }
func (*eventRecord) final() bool   { return true }

// ordinal is a number as a text of the same order.
func ordinal(n int) string { return fmt.Sprintf("%012d", n) }

// nowEntry is the time by the fake's clock, which alone is no reason to write.
const nowEntry = "Now"

// entries calls yield with each part of the records that is an entry of its own: a
// field, or each of its elements where these have keys.
func (r *records) entries(yield func(key string, value any, final bool)) {
	all := reflect.ValueOf(r).Elem()
	for i := range all.NumField() {
		name, field := all.Type().Field(i).Name, all.Field(i)
		if field.Kind() != reflect.Slice || !field.Type().Elem().Implements(reflect.TypeFor[keyed]()) {
			yield(name, field.Addr().Interface(), false)
			continue
		}
		for k := range field.Len() {
			one := field.Index(k).Interface().(keyed)
			yield(name+"/"+one.key(), one, one.final())
		}
	}
}

// writer brings a Storage in line with the records. The store's lock guards it.
type writer struct {
	storage Storage
	seed    maphash.Seed
	// written are the entries as they are stored.
	written map[string]written
	// now is the fake's time that is stored.
	now time.Time
	// afresh makes the next write one of everything: the records are others now, with
	// keys that mean something else.
	afresh bool
	// failed is why the last write came to nothing.
	failed error
}

// written is an entry as it is stored: its sum, and whether it can change again.
type written struct {
	sum   uint64
	final bool
}

// openWriter reads what a Storage holds into records, which are as those of a new fake
// where it holds nothing.
func openWriter(storage Storage, r *records) (*writer, error) {
	entries, err := storage.Read()
	if err != nil {
		return nil, err
	}
	if err := readEntries(entries, r); err != nil {
		return nil, err
	}
	w := &writer{storage: storage, seed: maphash.MakeSeed(), written: map[string]written{}, now: r.Now}
	for key, text := range entries {
		w.written[key] = written{sum: maphash.Bytes(w.seed, text)}
	}
	return w, nil
}

// write stores what has changed since the last time. The clock alone is written once a
// minute of its own.
func (w *writer) write(r *records) {
	changes, next := map[string][]byte{}, map[string]written{}
	there := map[string]bool{}
	var failed error
	r.entries(func(key string, value any, final bool) {
		there[key] = true
		before, known := w.written[key]
		if known && before.final && !w.afresh || key == nowEntry {
			return
		}
		text, err := json.Marshal(value)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", key, err))
			return
		}
		next[key] = written{maphash.Bytes(w.seed, text), final}
		if !known || next[key].sum != before.sum {
			changes[key] = text
		}
	})
	for key := range w.written {
		if !there[key] {
			changes[key] = nil
		}
	}
	if failed == nil && (len(changes) > 0 || r.Now.Sub(w.now) >= time.Minute) {
		failed = w.put(r, changes, next)
	}
	w.failed, w.afresh = failed, w.afresh && failed != nil
}

// put stores entries, and the time with them.
func (w *writer) put(r *records, changes map[string][]byte, next map[string]written) error {
	text, err := json.Marshal(r.Now)
	if err != nil {
		return err
	}
	changes[nowEntry], next[nowEntry] = text, written{}
	if err := w.storage.Write(changes); err != nil {
		return err
	}
	w.now = r.Now
	for key, text := range changes {
		if text == nil {
			delete(w.written, key)
		}
	}
	maps.Copy(w.written, next)
	return nil
}

// close writes the time of the end.
func (w *writer) close(r *records) error {
	return errors.Join(w.put(r, map[string][]byte{}, map[string]written{}), w.storage.Close())
}
