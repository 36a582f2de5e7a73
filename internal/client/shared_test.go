package client

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

func TestEqualReadsAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShared[int](&sequence{})
		reads := 0
		read := func(context.Context) (int, error) {
			reads++
			time.Sleep(time.Second)
			return reads, nil
		}
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if n, err := s.get(t.Context(), "k", always, read); n != 1 || err != nil {
					t.Errorf("a shared read: got %d and error %v, want 1 and none", n, err)
				}
			})
		}
		all.Wait()
		if n, err := s.get(t.Context(), "another", always, read); n != 2 || err != nil {
			t.Errorf("a read of another key: got %d and error %v, want 2 and none", n, err)
		}
	})
}

// A failed read is not kept, and callers that did not wait for it do not get its error.
func TestFailedReadIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShared[int](&sequence{})
		broken := errors.New("broken")
		reads := 0
		read := func(context.Context) (int, error) {
			reads++
			time.Sleep(time.Second)
			if reads == 1 {
				return 0, broken
			}
			return reads, nil
		}
		for range 3 {
			go func() {
				if _, err := s.get(t.Context(), "k", always, read); !errors.Is(err, broken) {
					t.Errorf("get: got error %v, want %v", err, broken)
				}
			}()
		}
		time.Sleep(2 * time.Second)
		if n, err := s.get(t.Context(), "k", always, read); n != 2 || err != nil {
			t.Errorf("a read after the ended ones: got %d and error %v, want 2 and none", n, err)
		}
	})
}

// No lock is held during a read, so each caller ends with its own context.
func TestImpatientLeavesASharedReadAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, says(silent, nil), func(o *Options) { o.MaxRetries = 0 })
		begun := time.Now()
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if _, err := c.Plans(within(t, 100*time.Millisecond)); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("Plans: got error %v, want context.DeadlineExceeded", err)
				}
				if took := time.Since(begun); took != 100*time.Millisecond {
					t.Errorf("Plans: got an end after %s, want one after 100ms", took)
				}
			})
		}
		for range 5 {
			all.Go(func() {
				if _, err := c.Plans(t.Context()); !errors.Is(err, transport.ErrUnreachable) {
					t.Errorf("Plans: got error %v, want ErrUnreachable", err)
				}
				if took := time.Since(begun); took > 30*time.Second {
					t.Errorf("Plans: got an end after %s, want one within 30 s", took)
				}
			})
		}
		all.Wait()
		if n := len(wire.Requests()); n != 1 {
			t.Errorf("requests: got %d, want 1", n)
		}
	})
}

// A read that takes longer than the maximum age of a reading is read only once, because
// it began after the call.
func TestReadSlowerThanItMayBeOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShared[int](&sequence{})
		reads := 0
		read := func(context.Context) (int, error) {
			reads++
			time.Sleep(2 * snapshotAge)
			return reads, nil
		}
		for want := 1; want < 3; want++ {
			if n, err := s.get(within(t, time.Hour), "k", recent(), read); n != want || err != nil {
				t.Errorf("a read of an old value: got %d and error %v, want %d", n, err, want)
			}
		}
	})
}

func TestChangeWhileAReadIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReads()
		reads := 0
		read := func(context.Context) (Instance, error) {
			reads++
			if reads < 3 {
				r.changed("i") // an answer on its way shows the state from before the change
			}
			return Instance{ID: "i"}, nil
		}
		if _, err := r.instance.get(t.Context(), "i", r.ofInstance("i"), read); err != nil || reads != 3 {
			t.Errorf("reads: got %d and error %v, want 3 and none", reads, err)
		}
	})
}
