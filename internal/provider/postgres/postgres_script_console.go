package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
)

// A console is an instance's SQL console while a script uses it. The turn of the instance
// is held the whole time.
type console struct {
	client *client.Client
	turn   *client.Turn
	found  string // the mode to restore, or "" if it was not changed
	opened bool   // the change to rw has ended successfully
}

// query opens the console for writing if necessary and runs SQL once. It always restores
// the mode that it found, unless another client has changed it since. ran reports whether
// the SQL ran.
func (c *console) query(ctx context.Context, database, sql string) (ran bool, err error) {
	defer func() { err = errors.Join(err, c.restore(ctx)) }()
	for pause := (client.Backoff{}); ; {
		if err := c.open(ctx); err != nil {
			return false, err
		}
		err := c.turn.Query(ctx, database, sql)
		if err == nil {
			return true, nil
		}
		again, closedErr := c.closed(ctx, err)
		if closedErr != nil || !again {
			return false, errors.Join(err, closedErr)
		}
		if ended := c.turn.BackOff(ctx, &pause); ended != nil {
			return false, errors.Join(err, ended)
		}
	}
}

// mode reads the console's mode. It is "" if the service does not report it.
func (c *console) mode(ctx context.Context) (string, error) {
	mode, err := c.client.ConsoleMode(ctx, c.turn.InstanceID())
	if err != nil || mode != "" {
		return mode, err
	}
	instance, err := c.client.Instance(ctx, c.turn.InstanceID())
	return string(instance.ConsoleMode.Value), err
}

// open sets the console to rw, unless it is rw already. A console of an unknown mode stays
// as it is, because it could not be restored.
func (c *console) open(ctx context.Context) error {
	mode, err := c.mode(ctx)
	if err != nil || mode == client.ConsoleReadWrite || mode == "" {
		return err
	}
	// Stored before the change, so that a change that fails midway is also reverted.
	c.found, c.opened = mode, false
	err = c.set(ctx, client.ConsoleReadWrite)
	c.opened = err == nil
	return err
}

// closed reports whether a statement was refused because another process closed the
// console after it was opened: that process restored the mode that it had found. If so,
// the statement did not run and can be sent again. Any other refusal is final: a script may
// have committed some of its statements.
func (c *console) closed(ctx context.Context, err error) (bool, error) {
	switch {
	case ctx.Err() != nil:
		return false, lifetime.CauseOf(ctx)
	case errors.Is(err, client.ErrConsoleOff), client.IsReadOnly(err):
		mode, modeErr := c.mode(ctx)
		isRole := client.IsReadOnly(err) && mode == client.ConsoleReadWrite // it may never write
		return mode != "" && !isRole, modeErr
	}
	return false, nil
}

// restore sets the console to the mode that it was found in. It does nothing if the
// console is not open, because another client has set it, or it was never opened. A mode
// that is no longer reported counts as open. After an interruption, restore runs within the
// grace period, like other work.
func (c *console) restore(ctx context.Context) error {
	if c.found == "" {
		return nil
	}
	ctx = lifetime.Detached(ctx)
	isOpen := func(mode string) bool { return mode == client.ConsoleReadWrite || mode == "" }
	if !c.opened {
		_, _, _ = c.turn.AwaitIdle(ctx) // the job that opens the console may still run
	}
	mode, err := client.ReadBack(ctx, c.client, c.mode, isOpen)
	if err == nil && !isOpen(mode) {
		return nil
	}
	if err := c.set(ctx, c.found); err != nil {
		return fmt.Errorf("the SQL console of instance %s was left in mode rw and must be set to %s by hand: %w", c.turn.InstanceID(), c.found, err)
	}
	return nil
}

func (c *console) set(ctx context.Context, mode string) error {
	return c.turn.Do(ctx, client.OpConsole, func(ctx context.Context) (client.Pending, error) { return c.turn.SetConsoleMode(ctx, mode) })
}
