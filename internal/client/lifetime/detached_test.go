package lifetime

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// The steps of one operation share one grace period, and so does the work that the steps
// begin.
func TestStepsShareTheGracePeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		operation := WithGracePeriod(ctx)
		if WithGracePeriod(operation) != operation {
			t.Error("WithGracePeriod of an operation: got a new context, want the same context")
		}
		inner, end := context.WithTimeout(operation, time.Hour)
		defer end()
		detached := Detached(inner)
		if detached != Detached(operation) {
			t.Error("Detached of two steps: got a bound each, want one for both")
		}
		if WithGracePeriod(detached) != detached || Detached(detached) != detached {
			t.Error("WithGracePeriod or Detached of a detached context: got a new context, want the same context")
		}
		time.Sleep(time.Hour)
		if detached.Err() != nil {
			t.Error("the grace period: got its end before the interrupt, want it to begin then")
		}
		interrupt()
		time.Sleep(GracePeriod - time.Second)
		if detached.Err() != nil {
			t.Errorf("the detached context: got its end before %s were over, want it after", GracePeriod)
		}
		time.Sleep(2 * time.Second)
		if detached.Err() == nil {
			t.Errorf("the detached context: got no end after %s, want one", GracePeriod)
		}
	})
}
