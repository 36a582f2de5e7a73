package portal

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// Kinds of a field, in addition to those of an HTML input such as text, url and number.
const (
	hidden   = "hidden"
	textarea = "textarea"
	choice   = "select"
	checkbox = "checkbox"
	radios   = "radio"
)

// form is a form of a page. It is sent to Action, which identifies it.
type form struct {
	ID, Action string
	Title      string
	Help       string
	Submit     string
	// Filter marks a form that only selects what its page shows, with a GET request.
	Filter bool
	// Danger marks a form that cannot be undone.
	Danger bool
	// Losses names what the form destroys, in lines such as "Databases: shop, stock".
	Losses []string
	// Asks is the label of a button that only opens the form, which then asks whether to
	// continue. With "" the form is open.
	Asks string
	// Plain marks a form that is only a button in a row of others.
	Plain bool
	// Main marks a plain form that is the main choice of its row.
	Main bool
	// Pairs shows the fields in two columns.
	Pairs  bool
	Fields []*field
	// Sums, if non-nil, shows the memory of the chosen plan and engines. It has the values
	// that no field has.
	Sums *memorySum
	// Problem is the reason of a refusal that is not about a single field.
	Problem string
	CSRF    string
}

// field is an input of a form.
type field struct {
	Name, Label, Help, Kind string
	Value                   string
	// Checked is the state of a checkbox.
	Checked bool
	Choices []option
	// Floor is the memory in MB that an engine needs when its checkbox is ticked.
	Floor int
	// Plans has the plans that the choices name, by value.
	Plans        map[string]offer
	Required     bool
	Autocomplete string
	Rows         int
	// Sends marks a text area in which Ctrl-Enter sends the form.
	Sends bool
	// Code marks text that is not prose.
	Code  bool
	Error string
	// ID is unique in a page and includes the form's.
	ID string
}

// option is a choice of a field.
type option struct{ Value, Label string }

// Describers returns the ids of the elements with the field's help and error.
func (f *field) Describers() string {
	var ids []string
	if f.Error != "" {
		ids = append(ids, f.ID+"-error")
	}
	if f.Help != "" {
		ids = append(ids, f.ID+"-help")
	}
	return strings.Join(ids, " ")
}

// Refused reports whether the form is shown with an error.
func (f *form) Refused() bool {
	return f.Problem != "" || slices.ContainsFunc(f.Fields, func(one *field) bool { return one.Error != "" })
}

// prepare completes a form for a session.
func (f *form) prepare(csrf string) {
	if !f.Filter { // its values become a part of the address
		f.CSRF = csrf
	}
	for _, one := range f.Fields {
		one.ID = f.ID + "-" + strings.ReplaceAll(one.Name, ".", "-")
	}
}

// fill restores the values that the user entered, except the password for the portal.
func (f *form) fill(sent url.Values) {
	for _, one := range f.Fields {
		switch {
		case one.Kind == hidden: // its value is that of the page as shown now
		case one.Kind == checkbox:
			one.Checked = sent.Has(one.Name)
		case one.Autocomplete == "current-password":
		case sent.Has(one.Name):
			one.Value = sent.Get(one.Name)
		}
	}
}

// refuse restores the values and shows the reason of a refusal, at the field that it is
// about or above the form.
func (f *form) refuse(sent url.Values, p *core.Problem) {
	f.fill(sent)
	if at := f.about(p); at != nil {
		at.Error = sentence(strings.TrimPrefix(p.Detail, at.Name+": "))
		return
	}
	f.Problem = sentence(p.Detail)
}

// about returns the field that a refusal is about, by its name or its code, or nil.
func (f *form) about(p *core.Problem) *field {
	name, _, _ := strings.Cut(p.Detail, ":")
	switch p.Code {
	case core.ConfirmMismatch:
		name = "confirm"
	case core.AlreadyExists:
		name = "name"
	case core.StatementError, core.ConsoleOff:
		name = "sql"
	}
	at := slices.IndexFunc(f.Fields, func(one *field) bool { return one.Name == name && one.Kind != hidden })
	if at < 0 {
		return nil
	}
	return f.Fields[at]
}

// sentence returns a detail with a capital letter and a period.
func sentence(detail string) string {
	detail = strings.TrimSpace(detail)
	if detail == "" {
		return detail
	}
	if !strings.HasSuffix(detail, ".") {
		detail += "."
	}
	letter, size := utf8.DecodeRuneInString(detail)
	return string(unicode.ToTitle(letter)) + detail[size:]
}

// lines returns the entries of a text area with one entry per line.
func lines(text string) []string { return entries(text, "\r\n") }

// listed returns the entries of a text, separated by lines or commas.
func listed(text string) []string { return entries(text, "\r\n,") }

func entries(text, between string) []string {
	list := []string{}
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(between, r) }) {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// button returns a form that is only a button.
func button(id, action, label string) *form {
	return &form{ID: id, Action: action, Submit: label, Plain: true}
}

// question returns a form that destroys something, behind a button. help says what happens.
func question(id, action, label, help string, losses ...string) *form {
	return &form{ID: id, Action: action, Asks: label, Help: help, Losses: losses, Submit: "Yes: " + label, Danger: true}
}

// confirmField makes the user type the name of the thing to destroy.
func confirmField(what, value string) *field {
	return &field{Name: "confirm", Label: "Type " + value + " to confirm", Kind: "text", Required: true, Autocomplete: "off", Code: true, Help: what}
}

// confirmed checks the confirmation of a form whose request in the API needs none.
func (c *call) confirmed(want string) error {
	if c.r.PostFormValue("confirm") != want {
		return core.Refuse(core.ConfirmMismatch, "it must be %s", want)
	}
	return nil
}
