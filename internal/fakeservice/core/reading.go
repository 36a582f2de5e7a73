package core

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// edition is the edition of the records that this fake writes. It grows when the meaning
// of earlier records changes, or when earlier records are no longer known.
const edition = 2

// migrations converts entries to the next edition. The index is the edition to convert
// from.
var migrations = [edition]func(entries map[string][]byte) error{
	func(map[string][]byte) error { return nil }, // edition 0 is edition 1 without its number
	splitLists,
}

// splitLists makes an entry of each mail, build, subscription and charge. Edition 1 had
// one entry for all mails, one for all builds, and one for subscriptions and charges
// together.
func splitLists(entries map[string][]byte) error {
	var last int
	var billing struct{ Subscriptions, Charges []map[string]json.RawMessage }
	lists := map[string][]map[string]json.RawMessage{"Mails": nil, "Builds": nil}
	err := errors.Join(decodeEntry(entries, "Sequence", &last), decodeEntry(entries, "Billing", &billing))
	for name := range lists {
		var list []map[string]json.RawMessage
		err = errors.Join(err, decodeEntry(entries, name, &list))
		lists[name] = list
		delete(entries, name)
	}
	if err != nil {
		return err
	}
	delete(entries, "Billing")
	lists["Subscriptions"], lists["Charges"] = billing.Subscriptions, billing.Charges
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		for _, element := range lists[name] {
			if element == nil {
				return fmt.Errorf("%s: an element is null", name)
			}
			last++
			element["Sequence"] = strconv.AppendInt(nil, int64(last), 10)
			if entries[numbered(name, last)], err = json.Marshal(element); err != nil {
				return err
			}
		}
	}
	entries["Sequence"] = strconv.AppendInt(nil, int64(last), 10)
	return nil
}

// decodeEntry decodes an entry, if it exists.
func decodeEntry(entries map[string][]byte, key string, into any) error {
	text, there := entries[key]
	if !there {
		return nil
	}
	if err := decode(text, into); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

// editionEntry is the entry with the number of the edition. Edition 0 does not have it.
const editionEntry = "Edition"

// migrate converts entries to this edition.
func migrate(entries map[string][]byte) error {
	of := 0
	if text, numbered := entries[editionEntry]; numbered {
		number, err := strconv.Atoi(string(text))
		if err != nil || number < 0 {
			return fmt.Errorf("%s: %q is not the number of an edition", editionEntry, text)
		}
		of = number
	}
	if of > edition {
		return fmt.Errorf("they are of edition %d, and this fake service reads editions up to %d: use a newer fake service", of, edition)
	}
	for ; of < edition; of++ {
		if err := migrations[of](entries); err != nil {
			return fmt.Errorf("edition %d: %w", of, err)
		}
	}
	entries[editionEntry] = strconv.AppendInt(nil, edition, 10)
	return nil
}

// readEntries reads the records from the entries of a --state folder or of a snapshot,
// which another program may have written. Records without an entry keep their value in r.
func readEntries(entries map[string][]byte, r *records) error {
	entries = maps.Clone(entries)
	if err := migrate(entries); err != nil {
		return err
	}
	if err := decodeEntries(entries, r); err != nil {
		return err
	}
	return r.check()
}

// decodeEntries is readEntries for unchanged entries of this edition.
func decodeEntries(entries map[string][]byte, r *records) error {
	all := reflect.ValueOf(r).Elem()
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		name, _, element := strings.Cut(key, "/")
		field := all.FieldByName(name)
		if !field.IsValid() {
			return fmt.Errorf("%s is nothing that this edition of the fake keeps", key)
		}
		into := field
		if element {
			if field.Kind() != reflect.Slice {
				return fmt.Errorf("%s: there is one %s", key, name)
			}
			into = reflect.New(field.Type().Elem()).Elem()
		}
		if err := decode(entries[key], into.Addr().Interface()); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if element {
			if e, ok := into.Interface().(entry); !ok || !into.IsNil() && e.key() != key {
				return fmt.Errorf("%s: the record has another number", key)
			}
			field.Set(reflect.Append(field, into))
		}
	}
	return nil
}

// decode decodes a single JSON value and refuses unknown fields.
func decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if decoder.More() {
		return errors.New("there is something after the value")
	}
	return nil
}

// identifier matches valid ids of records. Ids are used in paths, in host names and in
// the names of folders.
var identifier = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// CheckIdentifier checks the id of a record.
func CheckIdentifier(id string) error {
	if identifier.MatchString(id) {
		return nil
	}
	return errors.New("it takes up to 63 small letters, digits and hyphens, and begins with no hyphen")
}

// check refuses records that would lead outside their folder or that this program cannot
// work with. It accepts values that only a test can set, such as an empty name.
func (r *records) check() error {
	seen := ids{}
	for _, in := range r.Instances {
		if in == nil {
			return errors.New("an instance is null")
		}
		if err := errors.Join(seen.add("instance", in.ID), in.check(r.Catalog)); err != nil {
			return fmt.Errorf("instance %q: %w", in.ID, err)
		}
	}
	for _, j := range r.Jobs {
		if j == nil {
			return errors.New("a job is null")
		}
		if err := errors.Join(seen.add("job", j.ID), j.check(seen)); err != nil {
			return fmt.Errorf("job %q: %w", j.ID, err)
		}
	}
	for _, w := range r.Webhooks {
		if w == nil {
			return errors.New("a webhook endpoint is null")
		}
		if err := seen.add("webhook endpoint", w.ID); err != nil {
			return fmt.Errorf("webhook endpoint %q: %w", w.ID, err)
		}
	}
	if slices.Contains(r.Events, nil) || slices.Contains(r.Deliveries, nil) || slices.Contains(r.Builds, nil) ||
		slices.Contains(r.Answers, nil) || slices.Contains(r.Keys, nil) ||
		slices.Contains(r.Subscriptions, nil) || slices.Contains(r.Charges, nil) || slices.Contains(r.Mails, nil) {
		return errors.New("a record is null")
	}
	// The next record gets the next number, which must not be in use.
	last := numbered("", r.Sequence)
	var beyond error
	r.entries(func(key string, _ any) {
		if _, number, element := strings.Cut(key, "/"); element && "/"+number > last {
			beyond = fmt.Errorf("%s: the last number is %d", key, r.Sequence)
		}
	})
	return beyond
}

// ids has the ids that were seen, by kind.
type ids map[[2]string]bool

// add adds an id, which must be valid and new.
func (s ids) add(kind, id string) error {
	if err := CheckIdentifier(id); err != nil {
		return fmt.Errorf("id: %w", err)
	}
	if s.has(kind, id) {
		return errors.New("id: there are two")
	}
	s[[2]string{kind, id}] = true
	return nil
}

func (s ids) has(kind, id string) bool { return s[[2]string{kind, id}] }

func (in *instance) check(catalog Catalog) error {
	if in.Name != "" {
		if err := checkName(in.Name); err != nil {
			return err
		}
	}
	if err := checkTags(in.Tags); err != nil {
		return err
	}
	for name, engine := range in.Engines {
		if _, known := catalog.Engines[name]; !known || engine == nil || engine.MemoryMB < 0 {
			return fmt.Errorf("engines: invalid engine %q", name)
		}
	}
	for _, entry := range in.Allowlist {
		if _, err := canonicalAddress(entry); err != nil {
			return err
		}
	}
	seen := ids{}
	for _, a := range in.Apps {
		if a == nil {
			return errors.New("an app is null")
		}
		if err := errors.Join(seen.add("app", a.Name), a.check()); err != nil {
			return fmt.Errorf("app %q: %w", a.Name, err)
		}
	}
	for _, d := range in.Databases {
		if err := checkDatabase(d.Name); err != nil {
			return err
		}
	}
	for _, b := range in.Backups {
		if err := seen.add("backup", b.ID); err != nil {
			return fmt.Errorf("backup %q: %w", b.ID, err)
		}
	}
	return nil
}

func (a *App) check() error {
	if !appName.MatchString(a.Name) {
		return errors.New("name: invalid app name")
	}
	if err := checkPrintable("health_path", a.HealthPath); err != nil {
		return err
	}
	if a.Branch != "" {
		if err := checkBranch(a.Branch); err != nil {
			return err
		}
	}
	return checkVariables(a.Env)
}

// check checks a job in progress. A job that has ended is only shown.
func (j *job) check(seen ids) error {
	if !j.InProgress() {
		return nil
	}
	if !seen.has("instance", j.InstanceID) {
		return fmt.Errorf("in progress on the unknown instance %q", j.InstanceID)
	}
	switch kind := j.Kind.jobKind.(type) {
	case nil:
		return errors.New("the kind of the job is missing")
	case *appImportJob:
		return kind.App.check()
	case *databaseCreateJob:
		return checkDatabase(kind.Database)
	case *restoreJob:
		return errors.Join(CheckIdentifier(kind.BackupID), CheckIdentifier(kind.Undo.ID))
	case *resetJob:
		return CheckIdentifier(kind.Undo.ID)
	}
	return nil
}

func checkDatabase(name string) error {
	if !databaseName.MatchString(name) {
		return fmt.Errorf("%q is not a database name", name)
	}
	return nil
}
