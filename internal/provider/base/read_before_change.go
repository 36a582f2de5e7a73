package base

import (
	"context"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// ReadBeforeChange reads a record before a change. A record that already shows a part of the
// change is read again once reads no longer lag: an interrupted apply or a person may have
// made the change, but the read may also show the object as it was before its last change.
func ReadBeforeChange[T any](ctx context.Context, turn *client.Turn, read func(context.Context, *client.Turn) (T, error), showsPart func(T) bool) (T, error) {
	record, err := read(ctx, turn)
	if err != nil || !showsPart(record) {
		return record, err
	}
	if waited, err := turn.AwaitFreshReads(ctx); err != nil || !waited {
		return record, err
	}
	return read(ctx, turn)
}
