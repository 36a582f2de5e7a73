package client

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// WaitNamed waits for the job that creates an app or a database with a name. The service may
// keep the object under another name: that of the job's target, or the one that is new in
// the list. If such an object is found, the error is a *KeptNameError.
func (t *Turn) WaitNamed(ctx context.Context, p Pending, operation, name string) error {
	target := ""
	if err := t.c.WaitJob(ctx, t.id, p, operation, func(job Job) { target = job.Target }); err != nil {
		return err
	}
	collection, noun, list := "apps/", "app", t.appNames
	if operation == OpDatabaseCreate {
		collection, noun, list = "postgres/databases/", "database", t.databaseNames
	}
	if target == collection+name {
		return nil
	}
	target = strings.TrimPrefix(target, collection)
	var kept []string
	_, _ = t.c.pollUntil(ctx, t.c.readLag, func(ctx context.Context) (bool, error) {
		names, err := list(ctx)
		kept = slices.DeleteFunc(names, func(n string) bool {
			return target != "" && n != target || target == "" && n != name && t.names[n]
		})
		// Without a target, another client may have created the first one that is new.
		return slices.Contains(kept, name) || target != "" && len(kept) > 0, err
	})
	if len(kept) != 1 || kept[0] == name {
		return nil // the caller reads it
	}
	return &KeptNameError{Noun: noun, InstanceID: t.id, Asked: name, Kept: kept[0]}
}

func (t *Turn) appNames(ctx context.Context) ([]string, error) {
	apps, err := readable(t.c.Apps(ctx, t.id))
	return identifiers(apps), err
}

func (t *Turn) databaseNames(ctx context.Context) ([]string, error) {
	databases, err := readable(t.c.Databases(ctx, t.id))
	return identifiers(databases), err
}

func identifiers[T record](records []T) []string {
	var ids []string
	for _, r := range records {
		ids = append(ids, r.Identifier())
	}
	return ids
}

// noteNames notes the names that exist before a creation.
func noteNames[T record](t *Turn, records []T) {
	t.names = setOf(identifiers(records))
}

// A KeptNameError reports that the service has created an object, but keeps it under
// another name than the requested one.
type KeptNameError struct {
	Noun        string // "app" or "database"
	InstanceID  string
	Asked, Kept string
}

func (e *KeptNameError) Error() string {
	return fmt.Sprintf("the service has created %s %q on instance %s, but keeps it as %q", e.Noun, e.Asked, e.InstanceID, e.Kept)
}
