package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"reflect"
	"sync"
	"sync/atomic"
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

// An entry is a record that is written down by itself, under a key: the name of the field
// of records that has it, a slash, and its number.
type entry interface{ key() string }

func (in *instance) key() string    { return numbered("Instances", in.Sequence) }
func (j *job) key() string          { return numbered("Jobs", j.Sequence) }
func (run *buildRun) key() string   { return numbered("Builds", run.Sequence) }
func (e *eventRecord) key() string  { return numbered("Events", e.Sequence) }
func (a *Answer) key() string       { return numbered("Answers", a.Sequence) }
func (d *delivery) key() string     { return numbered("Deliveries", d.Sequence) }
func (m *mail) key() string         { return numbered("Mails", m.Sequence) }
func (s *subscription) key() string { return numbered("Subscriptions", s.Sequence) }
func (c *charge) key() string       { return numbered("Charges", c.Sequence) }

// numbered is a key of a list, of which the order of keys is that of the numbers.
func numbered(list string, n int) string { return fmt.Sprintf("%s/%012d", list, n) }

// nowEntry is the time by the fake's clock, which alone is no reason to write.
const nowEntry = "Now"

// fields calls yield with each field of the records that is an entry as a whole.
func (r *records) fields(yield func(key string, value any)) {
	all := reflect.ValueOf(r).Elem()
	for i := range all.NumField() {
		if field := all.Type().Field(i); !isList(field.Type) {
			yield(field.Name, all.Field(i).Addr().Interface())
		}
	}
}

// isList tells whether each element of a field is an entry.
func isList(field reflect.Type) bool {
	return field.Kind() == reflect.Slice && field.Elem().Implements(reflect.TypeFor[entry]())
}

// entries calls yield with everything that is written down.
func (r *records) entries(yield func(key string, value any)) {
	r.fields(yield)
	all := reflect.ValueOf(r).Elem()
	for i := range all.NumField() {
		if field := all.Field(i); isList(field.Type()) {
			for k := range field.Len() {
				one := field.Index(k).Interface().(entry)
				yield(one.key(), one)
			}
		}
	}
}

// A mark is what has become of an entry since it was written down.
type mark struct {
	of  entry
	how markKind
}

type markKind int

const (
	isTouched markKind = iota // it may have changed
	isNew
	isGone
)

// touch marks an entry that may have changed. Whoever changes one finds it by find,
// findJob or subscription, which touch it, or touches it. One that is gone stays gone: work
// may end after what it was for.
func (st *state) touch(e entry) {
	key := e.key()
	if _, marked := st.marks[key]; !marked {
		st.mark(key, mark{e, isTouched})
	}
}

func (st *state) mark(key string, m mark) {
	if st.marks != nil {
		st.marks[key] = m
	}
}

// unmarked keeps entries from being marked until the function that it returns is called.
func (st *state) unmarked() (end func()) {
	marks := st.marks
	st.marks = nil
	return func() { st.marks = marks }
}

// A writer brings a Storage in line with the records. The store's lock guards what is not
// guarded by writing.
type writer struct {
	storage Storage
	seed    maphash.Seed
	// sums are those of all entries, as they are stored once nothing is pending.
	sums map[string]uint64
	// pending are the changes that are yet to be stored, and last is the number of the
	// newest.
	pending map[string][]byte
	last    uint64
	// now is the fake's time that was written last.
	now time.Time
	// failed is why the last changes could not be made entries. Nothing is stored then.
	failed error

	writing sync.Mutex
	closed  bool          // writing guards it
	stored  atomic.Uint64 // the number of the newest change that is stored; writing guards its change
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
	w := &writer{storage: storage, seed: maphash.MakeSeed(), sums: map[string]uint64{}, pending: map[string][]byte{}, now: r.Now}
	for key, text := range entries {
		w.sums[key] = maphash.Bytes(w.seed, text)
	}
	w.noteAll(r) // an older edition had other entries
	return w, w.failed
}

// note makes entries of what has changed: of the fields, and of what is marked. What
// could not be made one stays marked.
func (w *writer) note(r *records, marks map[string]mark) {
	before := w.last
	w.failed = nil
	r.fields(w.set)
	for key, m := range marks {
		_, known := w.sums[key]
		switch {
		case m.how == isGone:
			w.remove(key)
		case m.how == isNew || known:
			w.set(key, m.of)
		}
		if w.failed == nil {
			delete(marks, key)
		}
	}
	w.noteTime(r, before)
}

// noteAll is note for all that there is.
func (w *writer) noteAll(r *records) {
	before := w.last
	w.failed = nil
	there := map[string]bool{nowEntry: true}
	r.entries(func(key string, value any) {
		there[key] = true
		w.set(key, value)
	})
	for key := range w.sums {
		if !there[key] {
			w.remove(key)
		}
	}
	w.noteTime(r, before)
}

// noteTime notes the fake's time beside other changes, and once a minute without any.
func (w *writer) noteTime(r *records, before uint64) {
	if w.last == before && r.Now.Sub(w.now) < time.Minute {
		return
	}
	text, err := json.Marshal(r.Now)
	w.failed = errors.Join(w.failed, err)
	w.now = r.Now
	w.put(nowEntry, text)
}

func (w *writer) set(key string, value any) {
	if key == nowEntry {
		return
	}
	text, err := json.Marshal(value)
	if err != nil {
		w.failed = errors.Join(w.failed, fmt.Errorf("%s: %w", key, err))
		w.last++ // which is never stored like this
		return
	}
	if sum, known := w.sums[key]; !known || sum != maphash.Bytes(w.seed, text) {
		w.sums[key] = maphash.Bytes(w.seed, text)
		w.put(key, text)
	}
}

func (w *writer) remove(key string) {
	if _, known := w.sums[key]; known {
		delete(w.sums, key)
		w.put(key, nil)
	}
}

func (w *writer) put(key string, text []byte) {
	w.pending[key] = text
	w.last++
}

// unwritten are the keys of the entries that differ from what is stored once nothing is
// pending: none, unless something has changed without being touched.
func (w *writer) unwritten(r *records) []string {
	var keys []string
	there := map[string]bool{nowEntry: true}
	r.entries(func(key string, value any) {
		there[key] = true
		text, err := json.Marshal(value)
		if sum, known := w.sums[key]; key != nowEntry && (err != nil || !known || sum != maphash.Bytes(w.seed, text)) {
			keys = append(keys, key)
		}
	})
	for key := range w.sums {
		if !there[key] {
			keys = append(keys, key)
		}
	}
	return keys
}

// close closes the storage. What is noted afterwards is not stored, and commit says so.
func (w *writer) close() error {
	w.writing.Lock()
	defer w.writing.Unlock()
	w.closed = true
	return w.storage.Close()
}

// commit returns when the changes up to a number are stored, or with why they are not.
// Whoever comes first stores those of all others that wait.
func (s *store) commit(w *writer, upTo uint64) error {
	if w == nil || w.stored.Load() >= upTo {
		return nil
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	if w.stored.Load() >= upTo {
		return nil
	}
	if w.closed {
		return errClosed
	}
	s.mu.Lock()
	batch, last, failed := w.pending, w.last, w.failed
	if failed == nil {
		w.pending = map[string][]byte{}
	}
	s.mu.Unlock()
	if failed != nil {
		return failed
	}
	if err := w.storage.Write(batch); err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		maps.Copy(batch, w.pending) // what is newer stays
		w.pending = batch
		return err
	}
	w.stored.Store(last)
	return nil
}
