package client

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// TestReadBack checks how long a record is read again after a write. When a failing
// gateway was tolerated for only five seconds, an app that was still being built was
// reported as not deployed.
func TestReadBack(t *testing.T) {
	const old, shown = "old", "shown"
	gateway := fmt.Errorf("502: %w", transport.ErrForeign)
	refused := errors.New("not yours")
	type answer struct {
		record string
		err    error
	}
	for name, row := range map[string]struct {
		until  time.Duration // when the write is shown; 0 means never
		before answer
		want   answer
		takes  time.Duration
	}{
		"at once":                     {time.Nanosecond, answer{record: old}, answer{record: shown}, time.Second},
		"a replica that lags":         {10 * time.Second, answer{record: old}, answer{record: shown}, 12 * time.Second},
		"a replica without it":        {10 * time.Second, answer{err: ErrNotFound}, answer{record: shown}, 12 * time.Second},
		"never shown":                 {0, answer{record: old}, answer{record: old}, ReadLag + 2*time.Second},
		"never there":                 {0, answer{err: ErrNotFound}, answer{err: ErrNotFound}, ReadLag + 2*time.Second},
		"a gateway in trouble":        {90 * time.Second, answer{err: gateway}, answer{record: shown}, 90*time.Second + longestBlindDelay*11/10},
		"a gateway that never mends":  {0, answer{err: gateway}, answer{err: gateway}, ToleratedOutage + longestBlindDelay*11/10},
		"a refusal, which is no wait": {0, answer{err: refused}, answer{err: refused}, 0},
	} {
		inBubble(t, name, func(t *testing.T) {
			begun := time.Now()
			c, _ := newTestClient(t, nil)
			record, err := ReadBack(t.Context(), c, func(context.Context) (string, error) {
				if row.until > 0 && time.Since(begun) >= row.until {
					return shown, nil
				}
				return row.before.record, row.before.err
			}, func(record string) bool { return record == shown })
			if record != row.want.record || !errors.Is(err, row.want.err) {
				t.Errorf("the record: got %q and error %v, want %q and %v", record, err, row.want.record, row.want.err)
			}
			if took := time.Since(begun); took > row.takes {
				t.Errorf("the reads: got an end after %s, want one within %s", took, row.takes)
			}
		})
	}
}

// An interrupt ends the reads, and the caller gets the last record with the interrupt.
func TestReadBackIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, nil)
		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Second, interrupt)
		begun := time.Now()
		record, err := ReadBack(ctx, c, func(context.Context) (string, error) { return "old", nil }, func(string) bool { return false })
		if record != "old" || !errors.Is(err, context.Canceled) {
			t.Errorf("the record: got %q and error %v, want the old one and the interrupt", record, err)
		}
		if took := time.Since(begun); took != 5*time.Second {
			t.Errorf("the reads: got an end after %s, want one at the interrupt after 5s", took)
		}
	})
}
