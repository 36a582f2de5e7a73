package enginelock

import (
	"context"
	"log/slog"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
)

// reviveEvery is the time between attempts to restart a program.
const reviveEvery = 500 * time.Millisecond

// Revive restarts a program that ends without having been told to. It returns when the
// engine no longer wants p, or is closed. It holds the lock while it calls wanted and start.
// The log has the program's name.
func (l *Lock) Revive(log *slog.Logger, name string, p *process.Process, wanted func() bool, start func(context.Context) error) {
	defer rescue.Log(log, "keep "+name+" running")
	<-p.Ended()
	for {
		ctx, release, err := l.Acquire(l.life)
		if err != nil {
			return
		}
		if !wanted() {
			release()
			return
		}
		log.Warn(name+" ended by itself and is started again", "how", p.How())
		err = start(ctx)
		release()
		if err == nil || l.life.Err() != nil {
			return
		}
		log.Error(name+" could not be started again", "error", err)
		select {
		case <-time.After(reviveEvery):
		case <-l.life.Done():
		}
	}
}
