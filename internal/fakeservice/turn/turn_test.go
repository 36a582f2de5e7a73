package turn

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turn := New(t.Context())
		held, leave, err := turn.Enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		impatient, cancel := context.WithCancel(t.Context())
		refused := make(chan error, 1)
		go func() {
			_, _, err := turn.Enter(impatient)
			refused <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-refused; !errors.Is(err, context.Canceled) {
			t.Errorf("Enter with an ended context: got error %v, want context.Canceled", err)
		}
		closed := make(chan func())
		go func() { closed <- turn.Close() }()
		<-held.Done()
		select {
		case <-closed:
			t.Error("Close does not wait for the holder of the turn")
		default:
		}
		leave()
		(<-closed)()
		if _, _, err := turn.Enter(t.Context()); !errors.Is(err, ErrClosed) || turn.Life().Err() == nil {
			t.Errorf("who comes after Close got %v", err)
		}
		turn.Close()()
	})
}
