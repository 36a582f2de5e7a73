package client

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// serverClock follows the service's own clock, as the Date of its answers tells
// it. This machine's clock may be wrong by a day; when the service made
// something is told by the service's clock alone.
type serverClock struct {
	mu   sync.Mutex
	date time.Time
	read time.Time // this machine's time of the reading; only its age is used
}

func (c *serverClock) observe(h http.Header) {
	date, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.date, c.read = date, time.Now()
}

// now is a time that is not after the service's present and at most some
// seconds before it; false when no answer has told a time yet. A second is
// taken off, as created_at may come in whole seconds.
func (c *serverClock) now() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.date.IsZero() {
		return time.Time{}, false
	}
	return c.date.Add(time.Since(c.read)).Truncate(time.Second).Add(-time.Second), true
}

// now is the service's time; see serverClock.now. A client that has had no
// answer yet asks for one.
func (c *Client) now(ctx context.Context) (time.Time, error) {
	if now, ok := c.clock.now(); ok {
		return now, nil
	}
	if _, err := get[struct{}](ctx, c, "locations"); err != nil {
		return time.Time{}, err
	}
	now, _ := c.clock.now()
	return now, nil
}
