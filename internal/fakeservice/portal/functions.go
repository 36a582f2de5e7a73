package portal

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// functions has the functions that templates call.
var functions = template.FuncMap{
	"time":    timeElement,
	"ago":     agoElement,
	"event":   eventName,
	"money":   money,
	"path":    url.PathEscape,
	"join":    func(list []string) string { return strings.Join(list, ", ") },
	"words":   func(text string) string { return strings.ReplaceAll(text, "_", " ") },
	"tone":    tone,
	"working": working,
	"answer":  answer,
	"open":    core.OpensToAll,
	"short":   func(commit *string) string { return (*commit)[:min(7, len(*commit))] },
	"size":    size,
	"status":  statusText,
	"cell":    cell,
	"share":   func(part, whole int) string { return fmt.Sprintf("%d of %d MB", part, whole) },
	"root":    func() string { return Root },
	"fakes":   func() []tab { return fakeTabs },
	"list":    func(items ...any) []any { return items },
}

// timeElement shows a time.Time or a *time.Time, which may be nil.
func timeElement(moment any) template.HTML {
	t := timeOf(moment)
	return element(t, timeText(t))
}

// agoElement shows a time like timeElement, as the distance from now by the fake's clock.
// The title has the time itself.
func agoElement(now time.Time, moment any) template.HTML {
	t := timeOf(moment)
	return element(t, ago(now, t))
}

// timeOf returns a time.Time or a *time.Time, which may be nil.
func timeOf(moment any) time.Time {
	switch given := moment.(type) {
	case time.Time:
		return given
	case *time.Time:
		if given != nil {
			return *given
		}
	}
	return time.Time{}
}

func element(t time.Time, text string) template.HTML {
	if t.IsZero() {
		return "never"
	}
	// The texts have only digits, letters and colons, so nothing needs escaping.
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`, t.UTC().Format(time.RFC3339), timeText(t), text)) //nolint:gosec // see above
}

// ago returns the distance of a time from now in words. A page is updated when its text
// changes, so the smallest unit is a minute.
func ago(now, t time.Time) string {
	distance := now.Sub(t).Abs()
	var text string
	switch {
	case distance < time.Minute && t.After(now):
		return "in less than a minute"
	case distance < time.Minute:
		return "just now"
	case distance < time.Hour:
		text = count(distance, time.Minute, "minute")
	case distance < 48*time.Hour:
		text = count(distance, time.Hour, "hour")
	default:
		text = count(distance, 24*time.Hour, "day")
	}
	if t.After(now) {
		return "in " + text
	}
	return text + " ago"
}

// count returns the number of whole units in a duration, such as "2 hours".
func count(d, unit time.Duration, name string) string {
	n := int(d / unit)
	if n != 1 {
		name += "s"
	}
	return fmt.Sprint(n, " ", name)
}

func money(cents int, currency string) string {
	if cents == 0 {
		return "free"
	}
	return fmt.Sprintf("%d.%02d %s", cents/100, cents%100, currency)
}

// tone returns the color of a status, which is shown together with its word.
func tone(status string) string {
	switch status {
	case "running", "done", "successful", "active", "enabled", "healthy", "delivered":
		return "good"
	case "failed", "unhealthy", "disabled", "given_up":
		return "bad"
	case "creating", "deleting", "queued", "building", "pending", "progress":
		return "busy"
	}
	return "quiet"
}

// working is tone for jobs and builds, for which running means that they have not ended.
func working(status string) string {
	if status == "running" {
		return "busy"
	}
	return tone(status)
}

// answer returns the state of a delivery for a receiver's status.
func answer(status int) string {
	if status >= 200 && status < 300 {
		return core.DeliveryDelivered
	}
	return "failed"
}

// statusText returns an HTTP status with its words, such as "503 Service Unavailable".
func statusText(status *int) string {
	return strings.TrimSpace(fmt.Sprint(*status, " ", http.StatusText(*status)))
}

func size(bytes int64) string {
	switch {
	case bytes >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(bytes)/(1<<30))
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%.0f KB", float64(bytes)/(1<<10))
}

// cell returns a value of a statement's result as a text.
func cell(value any) string {
	if value == nil {
		return "null"
	}
	return fmt.Sprint(value)
}
