package properties

import (
	"fmt"
	"net/http"
	"strings"
)

// tally counts the requests that were played.
type tally struct {
	requests, compared, pages int
	// failure is the number of the first request that failed. Later requests shrink the
	// failure.
	failure int
	of      map[string]*counts
	kinds   map[string]int
}

// counts has the number of answers to one operation, by kind.
type counts struct {
	done, tool, badRequest, unauthorized, notFound, conflict, refused int
}

func newTally() *tally {
	t := &tally{of: map[string]*counts{}, kinds: map[string]int{}}
	for _, o := range document() {
		t.of[o.String()] = &counts{}
	}
	return t
}

// count counts a request by its answer.
func (t *tally) count(r *request, status int) {
	t.requests++
	t.kinds[r.kind]++
	c := t.of[r.operation.String()]
	switch {
	case status < 400:
		c.done++
		if r.tool {
			c.tool++
		}
	case status == http.StatusBadRequest:
		c.badRequest++
	case status == http.StatusUnauthorized:
		c.unauthorized++
	case status == http.StatusNotFound:
		c.notFound++
	case status == http.StatusConflict:
		c.conflict++
	default:
		c.refused++
	}
}

// noteEnd records the first request that failed. If a sequence is not over, a failure,
// which is a panic, has ended it.
func (t *tally) noteEnd(over bool) {
	if !over && t.failure == 0 {
		t.failure = t.requests
	}
}

// missing returns what no request has reached: operations that were never carried out or
// never refused.
func (t *tally) missing() []string {
	var missing []string
	for _, o := range document() {
		c := t.of[o.String()]
		if c.done == 0 {
			missing = append(missing, o.String()+" was never carried out")
		}
		if c.badRequest == 0 || c.unauthorized == 0 {
			missing = append(missing, o.String()+" was never refused with 400 and 401")
		}
		if o.has(http.StatusNotFound) && c.notFound == 0 {
			missing = append(missing, o.String()+" was never answered 404")
		}
		if o.has(http.StatusConflict) && c.conflict == 0 {
			missing = append(missing, o.String()+" was never answered 409")
		}
		if o.mutates() && c.tool == 0 {
			missing = append(missing, o.String()+" was never carried out as a tool")
		}
	}
	return missing
}

// String returns a table with one line per operation.
func (t *tally) String() string {
	var text strings.Builder
	row := func(name string, c ...any) {
		fmt.Fprintf(&text, "%-58s %6v %6v %6v %6v %6v %6v %6v\n", append([]any{name}, c...)...)
	}
	row("operation", "2xx", "tool", "400", "401", "404", "409", "else")
	for _, o := range document() {
		c := t.of[o.String()]
		row(o.String(), c.done, c.tool, c.badRequest, c.unauthorized, c.notFound, c.conflict, c.refused)
	}
	fmt.Fprintf(&text, "%d requests, %d of them compared with a tool, and %d pages of the portal\n", t.requests, t.compared, t.pages)
	return text.String()
}
