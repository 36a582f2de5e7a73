package portal

import (
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// functions are what templates call beside methods.
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
	"cell":    cell,
	"share":   func(part, whole int) string { return fmt.Sprintf("%d of %d MB", part, whole) },
	"root":    func() string { return Root },
	"list":    func(items ...any) []any { return items },
}

// timeElement shows a moment, given as it is or by a pointer that may be nil.
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
	// Digits, letters and colons alone, so nothing has to be escaped.
	return template.HTML(fmt.Sprintf(`<time datetime="%s">%s</time>`, t.UTC().Format(time.RFC3339), timeText(t))) //nolint:gosec // see above
}

func money(cents int, currency string) string {
	if cents == 0 {
		return "free"
	}
	return fmt.Sprintf("%d.%02d %s", cents/100, cents%100, currency)
}

// tone is the colour in which a status is shown, beside its word.
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

// working is tone for a job and a build, which have not ended while they run.
func working(status string) string {
	if status == "running" {
		return "busy"
	}
	return tone(status)
}

// answer is what a receiver's status says of a delivery.
func answer(status int) string {
	if status >= 200 && status < 300 {
		return core.DeliveryDelivered
	}
	return "failed"
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

// cell is a value of a statement's result.
func cell(value any) string {
	if value == nil {
		return "null"
	}
	return fmt.Sprint(value)
}
