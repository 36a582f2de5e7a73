package probe

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Report is the result of a run.
type Report struct {
	Findings []Finding `json:"facts"`
	// Notes are observations that concern no settled fact: fields that the document lacks,
	// and differences from the service's own description.
	Notes []string `json:"notes"`
	// Left describes the instance that the run could not delete, and how to delete it. It is
	// empty if nothing is left.
	Left string `json:"left,omitempty"`
}

// Finding is a fact and the result of its check.
type Finding struct {
	Fact
	Verdict Verdict `json:"verdict"`
	// Details describe how it differs, or why it was not seen.
	Details []string `json:"details,omitempty"`
}

// report creates the report from the evidence.
func (p *probe) report() Report {
	r := Report{Findings: []Finding{}, Notes: []string{}}
	for _, note := range p.findings.notes {
		r.Notes = append(r.Notes, p.withoutKey(note))
	}
	why := "nothing showed it"
	if !p.options.Create {
		why += "; --create may"
	} else if p.options.Repo == "" {
		why += "; --repo may, if it is about apps"
	}
	for _, fact := range p.document.facts() {
		verdict, details := p.findings.verdict(fact.Place)
		if verdict == NotSeen {
			details = []string{why}
		}
		for i, detail := range details {
			details[i] = p.withoutKey(detail)
		}
		r.Findings = append(r.Findings, Finding{fact, verdict, details})
	}
	if p.instance != "" {
		r.Left = p.howToDelete()
	} else if p.asked && p.name != "" {
		r.Left = p.mayBeLeft()
	}
	return r
}

// Count returns the number of facts with a verdict.
func (r Report) Count(v Verdict) int {
	n := 0
	for _, f := range r.Findings {
		if f.Verdict == v {
			n++
		}
	}
	return n
}

// WriteJSON writes the report as one JSON object.
func (r Report) WriteJSON(to io.Writer) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// WriteTable writes the report as text. Confirmed facts come first and differences last,
// at the end of the output.
func (r Report) WriteTable(to io.Writer) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, verdict := range []Verdict{Holds, NotSeen, Differs} {
		for _, f := range r.Findings {
			if f.Verdict != verdict {
				continue
			}
			told := f.Details
			if verdict == Holds {
				told = []string{f.Says}
			}
			_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", verdict, f.Name, strings.Join(told, "; "))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	var b strings.Builder
	if len(r.Notes) > 0 {
		b.WriteString("\nBeside the settled facts:\n")
		for _, note := range slices.Sorted(slices.Values(r.Notes)) {
			fmt.Fprintf(&b, "- %s\n", note)
		}
	}
	fmt.Fprintf(&b, "\n%d facts: %d hold, %d differ, %d not seen.\n", len(r.Findings), r.Count(Holds), r.Count(Differs), r.Count(NotSeen))
	if r.Left != "" {
		fmt.Fprintf(&b, "\n%s\n", r.Left)
	}
	_, err := io.WriteString(to, b.String())
	return err
}
