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
	"money":   money,
	"path":    url.PathEscape,
	"join":    func(list []string) string { return strings.Join(list, ", ") },
	"words":   func(text string) string { return strings.ReplaceAll(text, "_", " ") },
	"tone":    tone,
	"working": working,
	"answer":  answer,
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
	var t time.Time
	switch given := moment.(type) {
	case time.Time:
		t = given
	case *time.Time:
		if given != nil {
			t = *given
		}
	}
	if t.IsZero() {
		return "never"
	}
	// The text has only digits, letters and colons, so nothing needs escaping.
	return template.HTML(fmt.Sprintf(`<time datetime="%s">%s</time>`, t.UTC().Format(time.RFC3339), timeText(t))) //nolint:gosec // see above
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
