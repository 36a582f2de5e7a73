package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
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
	if err := Decode(text, into); err != nil {
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
	r.makeMaps()
	return r.check()
}

// MachineIDs returns the ids of the instances in a Storage's entries whose machines a data
// plane must have kept. An instance without one has the made-up host of a service without a
// data plane, or is being deleted.
func MachineIDs(entries map[string][]byte) ([]string, error) {
	var r records
	if err := readEntries(entries, &r); err != nil {
		return nil, err
	}
	var ids []string
	for _, in := range r.Instances {
		if in.Host != "" && !strings.HasSuffix(in.Host, madeUpDomain) && in.Status != StatusDeleting {
			ids = append(ids, in.ID)
		}
	}
	return ids, nil
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
		if err := Decode(entries[key], into.Addr().Interface()); err != nil {
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
