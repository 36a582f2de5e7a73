package pluginserver

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// A working server has calls that take a while.
type working struct {
	ProviderServer
	takes time.Duration
}

func (w working) GetMetadata(context.Context, *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	time.Sleep(w.takes)
	return nil, nil
}

func (w working) InvokeAction(context.Context, *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	return &tfprotov6.InvokeActionServerStream{Events: func(func(tfprotov6.InvokeActionEvent) bool) { time.Sleep(w.takes) }}, nil
}

// failing refuses every action.
type failing struct{ working }

func (failing) InvokeAction(context.Context, *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	return nil, errors.New("refused")
}

// A provider whose CLI has ended ends once its calls are over, or after half a minute.
func TestAwaitOrphaned(t *testing.T) {
	const grace = 30 * time.Second
	call := func(s ProviderServer) { _, _ = s.GetMetadata(context.Background(), nil) }
	action := func(s ProviderServer) {
		if stream, err := s.InvokeAction(context.Background(), nil); err == nil {
			stream.Events(func(tfprotov6.InvokeActionEvent) bool { return true })
		}
	}
	const lives = time.Hour
	for name, row := range map[string]struct {
		server ProviderServer
		calls  []func(ProviderServer)
		want   time.Duration // after the end of the CLI
	}{
		"nothing runs":        {working{}, nil, 0},
		"calls that end soon": {working{takes: 10 * time.Second}, []func(ProviderServer){call, call}, 10 * time.Second},
		"an action":           {working{takes: 10 * time.Second}, []func(ProviderServer){action}, 10 * time.Second},
		"a refused action":    {failing{}, []func(ProviderServer){action}, 0},
		"a call without end":  {working{takes: time.Hour}, []func(ProviderServer){call}, grace},
	} {
		synctest.Test(t, func(t *testing.T) {
			server := WithShortContexts(row.server)
			var parent atomic.Int64
			parent.Store(42)
			ended := make(chan struct{})
			go func() {
				AwaitOrphaned(server, 42, func() int { return int(parent.Load()) }, grace)
				close(ended)
			}()
			call(server) // has ended by then
			time.Sleep(lives)
			select {
			case <-ended:
				t.Fatalf("%s: got the server's end, want it to run as long as its CLI", name)
			default:
			}
			for _, begin := range row.calls {
				go begin(server)
			}
			synctest.Wait()
			gone := time.Now()
			parent.Store(1)
			<-ended
			if took := time.Since(gone); took < row.want || took > row.want+parentPeriod {
				t.Errorf("%s: got the server's end after %s, want it after %s", name, took, row.want)
			}
			time.Sleep(lives) // for the call without end
		})
	}
}
