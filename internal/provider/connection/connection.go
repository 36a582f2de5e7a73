package connection

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
)

// connectionTimeout limits how long to wait for a connection record while its instance is
// being created, which takes about 8 minutes (SERVICE.md#instances).
const connectionTimeout = 20 * time.Minute

var errConnectionTimeout = errors.New("20 minutes have passed")

// awaitConnection reads the connection record of an instance. An instance that is being
// created has no record yet, so awaitConnection waits for the creation, because the
// values are needed now. It returns an *UnpaidError immediately if the checkout
// is unpaid.
func awaitConnection(ctx context.Context, c *client.Client, instanceID string) (client.Connection, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, connectionTimeout, errConnectionTimeout)
	defer cancel()
	read := func(ctx context.Context) (client.Instance, error) { return c.Instance(ctx, instanceID) }
	instance, err := read(ctx)
	exists := c.HasClaimed(instanceID)
	if errors.Is(err, client.ErrNotFound) && exists {
		instance, err = client.ReadBack(ctx, c, read, client.AnyRecord) // the instance was created a moment ago
	}
	switch {
	case err != nil:
		return client.Connection{}, err
	case instance.IsCreating():
	case instance.Host == "" && (instance.Status == client.StatusFailed || instance.Status == client.StatusDeleting):
		// The record of an instance that has run may lack its host.
		connection, err := c.Connection(ctx, instanceID)
		if errors.Is(err, client.ErrNotFound) {
			err = &neverRanError{instanceID, string(instance.Status)}
		}
		return connection, err
	case exists:
		return c.CompleteConnection(ctx, instanceID, client.AnyRecord)
	default:
		return c.Connection(ctx, instanceID)
	}
	if err := c.WaitCreated(ctx, instanceID, instance.JobID); err != nil {
		var checkout *client.CheckoutError
		if errors.As(err, &checkout) {
			err = &UnpaidError{err}
		}
		return client.Connection{}, err
	}
	if instance, err = client.ReadBack(ctx, c, read, base.HasRun); err != nil {
		return client.Connection{}, err
	}
	return c.CompleteConnection(ctx, instanceID, func(record client.Connection) bool { return record.Lists(instance.Engines.Value) })
}

// An UnpaidError reports that a connection was read while the instance's
// checkout was unpaid.
type UnpaidError struct{ Err error }

func (e *UnpaidError) Error() string { return e.Err.Error() }

func (e *UnpaidError) Unwrap() error { return e.Err }

// NextStep says what to do about it.
func (e *UnpaidError) NextStep() string {
	return "Open that page to pay for the instance, then run the same command again: it waits until the instance runs.\n\n" +
		"Until then, what does not use the connection can be applied alone, with its address for ADDRESS:\n\nterraform apply -target=ADDRESS\n\n" +
		"To cancel the purchase instead, with the address of the instance:\n\nterraform destroy -target=ADDRESS"
}

// A neverRanError reports that a connection was read of an instance whose creation
// failed. Its deletion may have failed since.
type neverRanError struct{ id, status string }

func (e *neverRanError) Error() string {
	return fmt.Sprintf("instance %s has never run and its status is %s, so it has no connection record", e.id, e.status)
}

func (e *neverRanError) NextStep() string {
	return "Replace or destroy the instance first, with its address for ADDRESS:\n\n" +
		"terraform apply -target=ADDRESS -replace=ADDRESS\n\nterraform destroy -target=ADDRESS"
}
