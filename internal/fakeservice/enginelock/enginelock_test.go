package enginelock

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestLock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lock := New(t.Context())
		held, release, err := lock.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		impatient, cancel := context.WithCancel(t.Context())
		refused := make(chan error, 1)
		go func() {
			_, _, err := lock.Acquire(impatient)
			refused <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-refused; !errors.Is(err, context.Canceled) {
			t.Errorf("Acquire with an ended context: got error %v, want context.Canceled", err)
		}
		closed := make(chan func())
		go func() { closed <- lock.Close() }()
		<-held.Done()
		select {
		case <-closed:
			t.Error("Close does not wait for the holder of the lock")
		default:
		}
		release()
		(<-closed)()
		if _, _, err := lock.Acquire(t.Context()); !errors.Is(err, ErrClosed) || lock.Life().Err() == nil {
			t.Errorf("Acquire after Close: got error %v and %v from the context of Life, want %v and an error", err, lock.Life().Err(), ErrClosed)
		}
		lock.Close()()
	})
}
