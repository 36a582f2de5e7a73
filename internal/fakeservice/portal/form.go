package portal

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// Kinds of a field, besides those of an HTML input such as text, url and number.
const (
	hidden   = "hidden"
	textarea = "textarea"
	choice   = "select"
	checkbox = "checkbox"
	radios   = "radio"
)

// form is a form of a page. It is sent to Action, by which it is known.
type form struct {
	ID, Action string
	Title      string
	Help       string
	Submit     string
	// Danger is what cannot be taken back.
	Danger bool
	// Plain is a button alone, beside others.
	Plain bool
	// Pairs has its fields beside each other, two by two.
	Pairs  bool
	Fields []*field
	// Problem is why it was refused, where that concerns no one field.
	Problem string
	CSRF    string
}

// field is one thing that a form asks for.
type field struct {
	Name, Label, Help, Kind string
	Value                   string
	// Checked is a checkbox's.
	Checked      bool
	Choices      []option
	Required     bool
	Autocomplete string
	Rows         int
	// Code is text that is no prose.
	Code  bool
	Error string
	// ID is unique in a page, and made of the form's.
	ID string
}

// option is one of a field's choices.
type option struct{ Value, Label string }

// Describers are the ids of what a field's help and error are in.
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

// Refused tells whether a form is shown again with what is wrong in it.
func (f *form) Refused() bool {
	return f.Problem != "" || slices.ContainsFunc(f.Fields, func(one *field) bool { return one.Error != "" })
}

// prepare makes a form ready to be shown in a session.
func (f *form) prepare(csrf string) {
	f.CSRF = csrf
	for _, one := range f.Fields {
		one.ID = f.ID + "-" + strings.ReplaceAll(one.Name, ".", "-")
	}
}

// fill puts back what was typed. A password for the portal itself is typed again.
func (f *form) fill(sent url.Values) {
	for _, one := range f.Fields {
		switch {
		case one.Kind == checkbox:
			one.Checked = sent.Has(one.Name)
		case one.Autocomplete == "current-password":
		case sent.Has(one.Name):
			one.Value = sent.Get(one.Name)
		}
	}
}

// refuse shows what was typed and why it was refused: at the field that the refusal is
// about, or above the form.
func (f *form) refuse(sent url.Values, p *core.Problem) {
	f.fill(sent)
	if at := f.about(p); at != nil {
		at.Error = sentence(strings.TrimPrefix(p.Detail, at.Name+": "))
		return
	}
	f.Problem = sentence(p.Detail)
}

// about is the field that a refusal names, or that its kind is about; nil is none.
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

// sentence begins and ends a detail as people write.
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

// lines are the entries of a text area, one a line.
func lines(text string) []string { return entries(text, "\r\n") }

// listed are the entries of a text, one a line or between commas.
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

// button is a form that is a button alone.
func button(id, action, label string) *form {
	return &form{ID: id, Action: action, Submit: label, Plain: true}
}

// confirmField has what is destroyed typed once more.
func confirmField(what, value string) *field {
	return &field{Name: "confirm", Label: "Type " + value + " to confirm", Kind: "text", Required: true, Autocomplete: "off", Code: true, Help: what}
}

// confirmed refuses what the portal has confirmed and the API does without.
func (c *call) confirmed(want string) error {
	if c.r.PostFormValue("confirm") != want {
		return core.Refuse(core.ConfirmMismatch, "it must be %s", want)
	}
	return nil
}
