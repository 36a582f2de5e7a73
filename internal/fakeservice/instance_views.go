package fakeservice

import (
	"encoding/base64"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The page size of the instance list, which is its maximum too.
const pageLimit = 200

func (st *state) getInstance(c *call) response {
	in, err := st.lookup(c)
	if err != nil {
		return fail(err)
	}
	return answer(http.StatusOK, st.viewInstance(in))
}

func (st *state) listInstances(c *call) response {
	limit := pageLimit
	if text := c.query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > pageLimit {
			return fail(badRequest("limit must be from 1 to %d", pageLimit))
		}
		limit = n
	}
	after, err := readCursor(c.query.Get("cursor"))
	if err != nil {
		return fail(err)
	}
	begin := slices.IndexFunc(st.instances, func(in *instance) bool { return in.sequence > after })
	if begin < 0 {
		begin = len(st.instances)
	}
	end := min(begin+limit, len(st.instances))
	views := make([]map[string]any, 0, end-begin)
	for _, in := range st.instances[begin:end] {
		views = append(views, st.viewInstance(in))
	}
	body := map[string]any{"instances": views}
	if end < len(st.instances) {
		body["next_cursor"] = writeCursor(st.instances[end-1].sequence)
	}
	return answer(http.StatusOK, body)
}

// A cursor names the last instance of the page before, so that a page is right
// whatever was created or deleted in between. It is opaque to clients.
const cursorMark = "after:"

func writeCursor(sequence int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(cursorMark + strconv.Itoa(sequence)))
}

func readCursor(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		if number, ok := strings.CutPrefix(string(text), cursorMark); ok {
			if sequence, err := strconv.Atoi(number); err == nil {
				return sequence, nil
			}
		}
	}
	return 0, badRequest("cursor is none that this service gave")
}

// viewInstance is an instance as the API shows it.
func (st *state) viewInstance(in *instance) map[string]any {
	view := map[string]any{
		"id": in.ID, "name": in.Name, "plan": in.Plan, "region": in.Region, "status": in.Status,
		"host": textOrNull(in.Host), "engines": st.viewEngines(in),
		"tags": listOf(in.Tags), "allowlist": listOf(in.Allowlist), "console_mode": in.ConsoleMode,
		"job_id": textOrNull(in.JobID), "created_at": in.CreatedAt,
		"usage": usageOf(in), "monitoring": st.monitoringOf(in),
		"backups": map[string]any{"count": len(in.Backups), "last_at": nil},
	}
	if len(in.Backups) > 0 {
		view["backups"] = map[string]any{"count": len(in.Backups), "last_at": in.Backups[0].CreatedAt}
	}
	if in.CheckoutURL != "" {
		view["checkout_url"] = in.CheckoutURL
	}
	activity := make([]map[string]any, 0, len(in.Activity))
	for _, line := range in.Activity[:min(len(in.Activity), activityShown)] {
		activity = append(activity, map[string]any{"at": line.At, "type": line.Type, "detail": line.Detail})
	}
	view["activity"] = activity
	return view
}

func (st *state) viewEngines(in *instance) map[string]any {
	views := map[string]any{}
	for name, engine := range in.Engines {
		view := map[string]any{"memory_mb": engine.MemoryMB, "status": in.Status}
		if port := st.catalog.Engines[name].Port; port != nil {
			view["port"] = *port
		}
		// A real Postgres may have had to take another port.
		if real := st.endpoints(in).PostgresDirectPort; name == EnginePostgres && real != 0 {
			view["port"] = real
		}
		if name == EngineAuth {
			view["site_url"] = engine.SiteURL
			view["redirect_urls"] = listOf(engine.RedirectURLs)
		}
		views[name] = view
	}
	return views
}

// usageOf makes plausible figures from what runs. They do not waver, so that
// an unchanged record keeps its ETag.
func usageOf(in *instance) map[string]any {
	if in.Status != StatusRunning {
		return map[string]any{"cpu_percent": 0, "memory_mb": 0, "disk_gb": 0}
	}
	memory, disk := 120, 1.2
	for _, engine := range in.Engines {
		memory += engine.MemoryMB / 3
		disk += 0.2
	}
	disk += 0.4 * float64(len(in.apps))
	return map[string]any{
		"cpu_percent": 2 + len(in.Engines) + 3*len(in.apps),
		"memory_mb":   memory,
		"disk_gb":     math.Round(disk*10) / 10,
	}
}

// monitoringOf shows a health check at each full minute.
func (st *state) monitoringOf(in *instance) map[string]any {
	if in.Host == "" {
		return map[string]any{"healthy": false, "checked_at": nil}
	}
	return map[string]any{"healthy": in.Status == StatusRunning, "checked_at": st.now.Truncate(time.Minute)}
}

// listOf makes an empty list of a nil one, as JSON tells them apart.
func listOf(items []string) []string {
	if items == nil {
		return []string{}
	}
	return slices.Clone(items)
}
