package client

import (
	"context"
	"errors"
	"fmt"
)

// A CheckoutError reports that an instance is not paid yet and cannot be changed before
// its checkout page is opened.
type CheckoutError struct {
	InstanceID string
	URL        string
	JobID      string
}

func (e *CheckoutError) Error() string {
	return fmt.Sprintf("instance %s waits for its checkout: open %s to finish its creation", e.InstanceID, e.URL)
}

// AwaitsCheckout returns a *CheckoutError if a person must open the instance's checkout
// page before anything else can happen to it. If the job that creates the instance has
// started, the instance is paid, even if its record still has a checkout_url. Any other
// error comes from reading the job.
func (c *Client) AwaitsCheckout(ctx context.Context, instance Instance) error {
	if !instance.IsCreating() || instance.CheckoutURL == "" {
		return nil
	}
	if instance.JobID != "" {
		job, err := c.Job(ctx, instance.JobID)
		switch {
		case errors.Is(err, ErrNotFound): // only the record counts
		case err != nil:
			return err
		case job.Status != "queued":
			return nil
		}
	}
	return &CheckoutError{InstanceID: instance.ID, URL: instance.CheckoutURL, JobID: instance.JobID}
}

// awaitsCheckout is AwaitsCheckout for a wait, which ends with a *CheckoutError.
func (c *Client) awaitsCheckout(ctx context.Context, instance Instance) error {
	err := c.AwaitsCheckout(ctx, instance)
	if checkout := (*CheckoutError)(nil); errors.As(err, &checkout) {
		return permanent(err)
	}
	return err
}
