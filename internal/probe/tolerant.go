package probe

import (
	"maps"
	"slices"
)

// The probe finds the data for its next steps where the document describes it or nearby,
// so that a fact that differs does not hide others.

// records returns the objects of a list. It finds the list under its name, as the only
// list of an object, or bare.
func records(value any, name string) []node {
	found := list(value)
	if body := object(value); body != nil {
		found = list(body[name])
		if _, isThere := body[name]; !isThere {
			for _, key := range slices.Sorted(maps.Keys(body)) {
				if inner := list(body[key]); inner != nil {
					found = inner
				}
			}
		}
	}
	var all []node
	for _, one := range found {
		if record := object(one); record != nil {
			all = append(all, record)
		}
	}
	return all
}

// names returns a field of each record, and skips records without it.
func names(all []node, field string) []string {
	var some []string
	for _, one := range all {
		if value := text(one[field]); value != "" {
			some = append(some, value)
		}
	}
	return some
}

// jobOf returns the id of the job that an answer names, or "" if it names none.
func jobOf(value any) string {
	body := object(value)
	for _, found := range []any{body["job_id"], object(body["job"])["id"], body["job"]} {
		if id := text(found); id != "" {
			return id
		}
	}
	if body["operation"] != nil {
		return text(body["id"]) // the job's own record
	}
	return ""
}

// engineSet returns the engines of an instance's record: an object of objects or of
// booleans, or a list of names.
func engineSet(record node) []string {
	var on []string
	for name, value := range object(record["engines"]) {
		if value != false && value != nil {
			on = append(on, name)
		}
	}
	for _, name := range list(record["engines"]) {
		on = append(on, text(name))
	}
	slices.Sort(on)
	return on
}

func number(value any) int {
	found, _ := value.(float64)
	return int(found)
}
