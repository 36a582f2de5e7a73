package client

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestQueueIsFirstInFirstOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, nil)
		first := must.Get(c.Enter(t.Context(), "i"))(t)
		var mu sync.Mutex
		var order []int
		for n := range 10 {
			go func() {
				turn, err := c.Enter(t.Context(), "i")
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, n)
				mu.Unlock()
				turn.Leave()
				turn.Leave() // leaving twice does not release another caller's turn
			}()
			synctest.Wait()
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if _, err := c.Enter(ended, "another"); !errors.Is(err, context.Canceled) {
			t.Errorf("Enter a free queue after the end of the context: got error %v, want context.Canceled", err)
		}
		other := must.Get(c.Enter(t.Context(), "another"))(t)
		other.Leave()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Enter(ctx, "i"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Enter: got error %v, want to give up with the context", err)
		}
		first.Leave()
		synctest.Wait()
		for n, got := range order {
			if n != got {
				t.Fatalf("the order of the turns: got %v, want 0 to 9", order)
			}
		}
		if len(order) != 10 {
			t.Errorf("turns: got %d, want 10", len(order))
		}
	})
}

// An empty queue uses no memory.
func TestQueuesShrink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueues[int]()
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for n := range 300 {
			all.Go(func() {
				patient := t.Context()
				if n%3 == 0 {
					patient = ctx
				}
				leave, err := q.enter(patient, n%100)
				if err != nil {
					return
				}
				time.Sleep(time.Second)
				leave()
			})
		}
		time.Sleep(500 * time.Millisecond)
		cancel()
		all.Wait()
		if _, err := q.enter(ctx, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("enter: got error %v, want context.Canceled", err)
		}
		if n := len(q.lines); n != 0 {
			t.Errorf("queues that are left: got %d, want none", n)
		}
	})
}
