package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// redrawEvery is the time between two drawings of the bars.
const redrawEvery = 200 * time.Millisecond

// bars draws a bar for each open step, and prints a line for each that has ended.
type bars struct {
	container *mpb.Progress
	stop      chan struct{}
	stopped   sync.WaitGroup

	mu   sync.Mutex
	open map[string]openStep // by key
}

// openStep is a step that has not ended, with its bar.
type openStep struct {
	step
	bar *mpb.Bar
}

func newBars(out io.Writer) *bars {
	b := &bars{
		container: mpb.New(mpb.WithOutput(out), mpb.WithAutoRefresh(), mpb.WithWidth(30), mpb.WithRefreshRate(redrawEvery)),
		stop:      make(chan struct{}), open: map[string]openStep{},
	}
	b.stopped.Go(b.redraw)
	return b
}

// redraw moves the bars of steps that are not reported for a while.
func (b *bars) redraw() {
	ticker := time.NewTicker(redrawEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			b.mu.Lock()
			for _, of := range b.open {
				of.bar.SetCurrent(int64(of.percent(time.Now())))
			}
			b.mu.Unlock()
		case <-b.stop:
			return
		}
	}
}

func (b *bars) update(of step, isNew bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := of.last.Key()
	switch {
	case of.last.Ended():
		if open, there := b.open[key]; there {
			open.bar.Abort(true)
			delete(b.open, key)
		}
		_, _ = fmt.Fprintln(b.container, of.result(of.last.Time))
	case isNew:
		b.open[key] = openStep{of, b.container.New(100, mpb.BarStyle(), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return of.took(time.Now()).String() }, decor.WC{W: 7})),
			mpb.AppendDecorators(decor.Percentage(decor.WC{W: 5}), decor.Name(" "+of.name())))}
	default:
		b.open[key] = openStep{of, b.open[key].bar}
	}
}

func (b *bars) end() {
	close(b.stop)
	b.stopped.Wait()
	b.mu.Lock()
	for _, of := range b.open {
		of.bar.Abort(true)
	}
	b.mu.Unlock()
	b.container.Wait()
}
