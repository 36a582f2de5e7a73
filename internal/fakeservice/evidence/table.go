package evidence

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
)

// columns has the columns of the table, in order.
var columns = []struct {
	title string
	kind  Kind
}{
	{"driven by Terraform", Terraform},
	{"by raw HTTP", Raw},
	{"by an MCP tool", Tool},
	{"refused, as the document says", Negative},
	{"under faults", Faults},
	{"with the real data plane", DataPlane},
	{"in the portal", Portal},
}

const missing = "missing"

// Table returns a Markdown page with the counts of each operation. Parse reads it.
func (c *Counts) Table(operations []apispec.Operation, head string) string {
	var page strings.Builder
	page.WriteString(head + "\n\n| operation |")
	for _, column := range columns {
		page.WriteString(" " + column.title + " |")
	}
	page.WriteString("\n|" + strings.Repeat(" --- |", 1+len(columns)) + "\n")
	for _, o := range operations {
		fmt.Fprintf(&page, "| `%s` |", o)
		for _, column := range columns {
			page.WriteString(" " + cell(c.Operations[o.String()][column.kind]) + " |")
		}
		page.WriteString("\n")
	}
	page.WriteString("\n| client | steps |\n| --- | --- |\n")
	for _, name := range slices.Sorted(maps.Keys(c.Clients)) {
		fmt.Fprintf(&page, "| `%s` | %s |\n", name, cell(c.Clients[name]))
	}
	return page.String()
}

func cell(n int) string {
	if n == 0 {
		return missing
	}
	return strconv.Itoa(n)
}

// Parse reads a page that Table returned.
func Parse(page string) (Counts, error) {
	var c Counts
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		name, quoted := strings.CutPrefix(strings.TrimSpace(cells[0]), "`")
		if !quoted {
			continue
		}
		name = strings.TrimSuffix(name, "`")
		var counts []int
		for _, text := range cells[1:] {
			n := 0
			if text = strings.TrimSpace(text); text != missing {
				var err error
				if n, err = strconv.Atoi(text); err != nil {
					return c, fmt.Errorf("%s: %w", name, err)
				}
			}
			counts = append(counts, n)
		}
		switch len(counts) {
		case len(columns):
			for i, column := range columns {
				c.add(name, column.kind, counts[i])
			}
		case 1:
			c.AddClient(name, counts[0])
		default:
			return c, fmt.Errorf("%s has %d cells, want %d", name, len(counts), len(columns))
		}
	}
	return c, nil
}
