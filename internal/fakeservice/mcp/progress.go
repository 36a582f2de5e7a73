package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressEvery is the real time between two notifications about a tool that runs long,
// such as a statement.
const progressEvery = 2 * time.Second

// notifyProgress tells the client at intervals that a tool is still running, if the client
// has asked for that with a progress token. It returns a function that ends this.
func notifyProgress(ctx context.Context, call *sdk.CallToolRequest) (end func()) {
	token := call.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var told sync.WaitGroup
	told.Go(func() {
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		for n := 1; ; n++ {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
			// A client that has gone needs no notification.
			_ = call.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: token, Progress: float64(n), Message: fmt.Sprintf("%s has been running for %s", call.Params.Name, time.Duration(n)*progressEvery),
			})
		}
	})
	return func() {
		cancel()
		told.Wait()
	}
}
