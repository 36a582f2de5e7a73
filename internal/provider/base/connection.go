package base

import (
	"context"
	"errors"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// ConnectionOf reads the connection record of an instance that has run, until the record
// is complete or reads can no longer lag. A refusal because the instance is being created
// comes from a lagging replica, so the read is repeated.
func ConnectionOf(ctx context.Context, c *client.Client, id string, complete func(client.Connection) bool) (client.Connection, error) {
	var refusal error
	record, err := ReadBack(ctx, func(ctx context.Context) (client.Connection, error) {
		record, err := c.Connection(ctx, id)
		if refusal = nil; errors.Is(err, client.ErrJobRunning) {
			refusal, err = err, nil
		}
		return record, err
	}, func(record client.Connection) bool { return refusal == nil && complete(record) })
	if err == nil {
		err = refusal
	}
	return record, err
}
