package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// A table is the result of one benchmark.
type table struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Columns []column `json:"columns"`
	Rows    []row    `json:"rows"`
	// Notes add information to the numbers.
	Notes   []string `json:"notes,omitempty"`
	Targets []target `json:"targets,omitempty"`
}

// A column has a name, which is its key in each row, and the number of decimals with which
// its numbers are printed. JSON has the full numbers.
type column struct {
	Name   string `json:"name"`
	Digits int    `json:"-"`
}

// A row has a text, an int or a float64 for each column, by its name. Values that were not
// measured are missing.
type row map[string]any

// add adds a row of values in the order of the columns. nil means that a value was not
// measured.
func (t *table) add(values ...any) {
	added := row{}
	for i, value := range values {
		if value != nil {
			added[t.Columns[i].Name] = value
		}
	}
	t.Rows = append(t.Rows, added)
}

func (t *table) note(format string, arguments ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, arguments...))
}

// print writes the table for people.
func (t *table) print(out io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "\n%s: %s\n\n", t.Name, t.Title)
	lines := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, c := range t.Columns {
		fmt.Fprintf(lines, "%s\t", c.Name)
	}
	fmt.Fprintln(lines)
	for _, r := range t.Rows {
		for _, c := range t.Columns {
			fmt.Fprintf(lines, "%s\t", c.shown(r[c.Name]))
		}
		fmt.Fprintln(lines)
	}
	if err := lines.Flush(); err != nil {
		return err
	}
	for _, note := range t.Notes {
		fmt.Fprintf(&text, "\n%s\n", note)
	}
	if len(t.Targets) > 0 {
		fmt.Fprintln(&text)
	}
	for _, held := range t.Targets {
		fmt.Fprintln(&text, held.String())
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// shown returns a value as its column prints it.
func (c column) shown(value any) string {
	switch v := value.(type) {
	case nil:
		return "-"
	case float64:
		return strconv.FormatFloat(v, 'f', c.Digits, 64)
	}
	return fmt.Sprint(value)
}

// A report is the result of one run of the program, stored as JSON.
type report struct {
	head
	Tables []*table `json:"tables"`
}

// keep writes the report into a folder, named for the time at which the run began, and
// returns the file's name.
func (r report) keep(folder string) (string, error) {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	name := filepath.Join(folder, r.Date.UTC().Format("20060102T150405Z")+".json")
	return name, os.WriteFile(name, append(text, '\n'), 0o644)
}

// seconds, milliseconds and mebibytes are the units of columns.
func seconds(d time.Duration) float64      { return d.Seconds() }
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func mebibytes(bytes int64) float64        { return float64(bytes) / (1 << 20) }
