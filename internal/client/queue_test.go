package client

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestQueueIsFirstInFirstOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, nil)
		first, err := c.Enter(t.Context(), "i")
		if err != nil {
			t.Fatal(err)
		}
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
		other, err := c.Enter(t.Context(), "another")
		if err != nil {
			t.Fatal(err)
		}
		other.Leave()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Enter(ctx, "i"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want to give up with the context", err)
		}
		first.Leave()
		synctest.Wait()
		for n, got := range order {
			if n != got {
				t.Fatalf("order %v", order)
			}
		}
		if len(order) != 10 {
			t.Errorf("%d turns, want 10", len(order))
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
			t.Errorf("%d queues are left", n)
		}
	})
}

// Every change of an instance after its turn was left is an error and is not sent.
func TestTurnAfterLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				t.Errorf("%s was sent", r.Method)
			}
			respond(w, 200, object{"id": "i", "status": "deleting", "apps": []object{}, "databases": []object{}})
		})
		turn := enter(t, c)
		turn.Leave()
		ctx := t.Context()
		for name, err := range map[string]error{
			"Update":          second(turn.Update(ctx, InstanceChange{})),
			"Delete":          second(turn.Delete(ctx, nil)),
			"SetEngines":      second(turn.SetEngines(ctx, nil)),
			"SetAllowlist":    second(turn.SetAllowlist(ctx, nil)),
			"SetConsoleMode":  second(turn.SetConsoleMode(ctx, ConsoleOff)),
			"SetAuthSettings": second(turn.SetAuthSettings(ctx, "", nil)),
			"Rotate":          second(turn.Rotate(ctx)),
			"Resize":          second(turn.Resize(ctx, "p")),
			"Reset":           second(turn.Reset(ctx, "i", "")),
			"Restore":         second(turn.Restore(ctx, "i", "b")),
			"RestartEngine":   second(turn.RestartEngine(ctx, "redis")),
			"ImportApp":       second(turn.ImportApp(ctx, NewApp{Name: "a"})),
			"UpdateApp":       second(turn.UpdateApp(ctx, "a", AppChange{})),
			"DeleteApp":       second(turn.DeleteApp(ctx, "a", nil)),
			"RedeployApp":     second(turn.RedeployApp(ctx, "a")),
			"RebuildApp":      second(turn.RebuildApp(ctx, "a", nil)),
			"RestartApp":      second(turn.RestartApp(ctx, "a")),
			"CreateDatabase":  second(turn.CreateDatabase(ctx, "d")),
			"DropDatabase":    second(turn.DropDatabase(ctx, "d", nil)),
			"SetExtension":    second(turn.SetExtension(ctx, "d", "e")),
			"DropExtension":   second(turn.DropExtension(ctx, "d", "e")),
			"Query":           turn.Query(ctx, "", "SELECT 1"),
		} {
			if !errors.Is(err, ErrTurnLeft) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if methods := reflect.TypeFor[*Turn]().NumMethod(); methods != 22+8 {
			t.Errorf("a Turn has %d methods, and the table of TestTurnAfterLeave in queue_test.go has 22: add a new method to the table and to both counts; AwaitFreshReads, AwaitIdle, BusySince, Do, InstanceID, Leave, OwnDatabase and Wait change nothing by themselves", methods)
		}
	})
}
