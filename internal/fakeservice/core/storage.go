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

// Storage stores entries by key. They survive any end of the program.
type Storage interface {
	// Read returns all entries.
	Read() (map[string][]byte, error)
	// Write sets entries, and deletes those whose value is nil. It makes all changes or
	// none, and returns once they would survive the end of the program.
	Write(changes map[string][]byte) error
	Close() error
}

// An entry is a record that is stored separately. Its key is the name of its field in
// records, a slash, and its number.
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

// numbered returns the key of an element of a list. Keys sort in the order of the
// numbers.
func numbered(list string, n int) string { return fmt.Sprintf("%s/%012d", list, n) }

// nowEntry is the time of the fake's clock. A change of the time alone is not written.
const nowEntry = "Now"

// fields calls yield with each field of the records that is stored as a single entry.
func (r *records) fields(yield func(key string, value any)) {
	all := reflect.ValueOf(r).Elem()
	for i := range all.NumField() {
		if field := all.Type().Field(i); !isList(field.Type) {
			yield(field.Name, all.Field(i).Addr().Interface())
		}
	}
}

// isList reports whether each element of a field is a separate entry.
func isList(field reflect.Type) bool {
	return field.Kind() == reflect.Slice && field.Elem().Implements(reflect.TypeFor[entry]())
}

// entries calls yield with each entry of the records.
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

// A mark is the kind of change of an entry since it was last stored.
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

// touch marks an entry that may have changed. find, findJob and subscription call it;
// code that changes any other entry must call it. A removed entry stays removed, because
// work may end after its record was removed.
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

// unmarked prevents marks until the returned function is called.
func (st *state) unmarked() (end func()) {
	marks := st.marks
	st.marks = nil
	return func() { st.marks = marks }
}

// A writer updates a Storage with the changes of the records. The store's lock guards the
// fields that writing does not guard.
type writer struct {
	storage Storage
	seed    maphash.Seed
	// sums has the checksums of all entries in storage, including the changes that are
	// pending.
	sums map[string]uint64
	// pending has the changes that are not stored yet. last is the number of the newest
	// one.
	pending map[string][]byte
	last    uint64
	// now is the fake's time that was last written.
	now time.Time
	// failed is the reason that the last changes could not be encoded. While it is set,
	// nothing is stored.
	failed error

	writing sync.Mutex
	closed  bool          // writing guards it
	stored  atomic.Uint64 // the number of the newest stored change; only changed while writing is locked
}

// openWriter reads the entries of a Storage into records. Records without an entry keep
// their initial value.
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
	w.noteAll(r) // an older edition had different entries
	return w, w.failed
}

// note adds the changes of the fields and of the marked entries to pending. If an entry
// cannot be encoded, the marks stay.
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

// noteAll is note for all entries, marked or not.
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

// noteTime adds the fake's time if there are other changes, and otherwise once a minute.
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
		w.last++ // so that commit returns the failure
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

// unwritten returns the keys of the entries that differ from the stored and pending ones.
// It returns none unless a change was made without touch.
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

// close closes the storage. Later changes are not stored, and commit returns errClosed.
func (w *writer) close() error {
	w.writing.Lock()
	defer w.writing.Unlock()
	w.closed = true
	return w.storage.Close()
}

// commit waits until the changes up to a number are stored, and returns an error if that
// fails. The first caller stores the changes of all callers that wait.
func (s *store) commit(w *writer, upTo uint64) (err error) {
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
	defer func() { s.failing.Store(err != nil) }()
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
		maps.Copy(batch, w.pending) // newer changes win
		w.pending = batch
		return err
	}
	w.stored.Store(last)
	return nil
}
