package portal

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// liveEvery is how often what a page shows is looked at, in real time: the progress of a
// job is a matter of the clock.
const liveEvery = 250 * time.Millisecond

// isStream tells whether a page's script asks to be kept up to date.
func isStream(r *http.Request) bool { return r.Header.Get("Accept") == "text/event-stream" }

// stream tells a page of the parts of it that have changed, as server-sent events: each
// has the name of the part and its new HTML. It ends with the session.
func (c *call) stream(s show) {
	c.w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(c.w)
	if err := control.Flush(); err != nil {
		return
	}
	ticker := time.NewTicker(liveEvery)
	defer ticker.Stop()
	shown := map[string]string{}
	for c.sessions.goesOn(c.session) {
		parts, err := c.liveParts(s)
		if err != nil {
			// What the page is about is gone: the page says so when it is loaded again.
			_, _ = fmt.Fprint(c.w, "event: gone\ndata:\n\n")
			_ = control.Flush()
			return
		}
		for _, name := range []string{"head", "live"} {
			if parts[name] == shown[name] {
				continue
			}
			if _, err := fmt.Fprintf(c.w, "event: %s\ndata: %s\n\n", name, strings.ReplaceAll(parts[name], "\n", "\ndata: ")); err != nil {
				return
			}
		}
		shown = parts
		if err := control.Flush(); err != nil {
			return
		}
		select {
		case <-ticker.C:
		case <-c.context().Done():
			return
		case <-c.life.Done():
			return
		}
	}
}

// liveParts are those of a page as it is now.
func (c *call) liveParts(s show) (map[string]string, error) {
	p, err := s.build(c)
	if err != nil {
		return nil, err
	}
	c.dress(p)
	parts := map[string]string{}
	for _, name := range []string{"head", "live"} {
		part := templates[p.Template].Lookup(name)
		if part == nil || name == "head" && p.Instance == nil {
			continue
		}
		var text bytes.Buffer
		if err := part.Execute(&text, p); err != nil {
			return nil, err
		}
		parts[name] = strings.ReplaceAll(text.String(), "\r", "")
	}
	return parts, nil
}
