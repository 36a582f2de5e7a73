package portal

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// liveEvery is the real time after which a page's contents are checked for changes. A
// job's progress changes with the clock.
const liveEvery = 250 * time.Millisecond

// isStream reports whether a request comes from a page's script, which keeps it up to
// date.
func isStream(r *http.Request) bool { return r.Header.Get("Accept") == "text/event-stream" }

// stream sends the changed parts of a page as server-sent events. Each event has the name
// of the part and its new HTML. The stream ends with the session.
func (c *call) stream(s pageRoute) {
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
			// The page shows the reason when it is loaded again.
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

// liveParts returns the current parts of a page that can change.
func (c *call) liveParts(s pageRoute) (map[string]string, error) {
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
