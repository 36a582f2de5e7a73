package attributes

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The rules below are for values that do not come from a closed list (see one_of.go).
// Their errors are in this provider's words, with a suggestion if possible.

// A TextRule validates a string. It is also a plan modifier, for values that a mock may
// have made, see IsMocked.
type TextRule struct {
	must  string // "must have the form owner/repo"
	holds func(string) bool
	// shown, if non-nil, returns what an error shows of the value, or "" for nothing. If
	// nil, the error does not show the value, which may be secret.
	shown func(string) string
	// suggest, if non-nil, returns the value that was probably meant, or "" if that is
	// unknown.
	suggest func(string) string
	// note, if non-nil, returns another sentence for the error, or "".
	note func(string) string
}

func whole(s string) string { return s }

// NotEmpty refuses the empty string.
func NotEmpty() TextRule {
	return TextRule{must: "must not be empty", holds: func(s string) bool { return s != "" }}
}

// PathElement refuses a name that no path of the API can carry: an empty one, "." and "..",
// and one with a slash, a control character, or white space at an end.
func PathElement() TextRule {
	return TextRule{
		must: `must not be empty, "." or "..", and must not have a slash, a control character, or white space at an end`,
		holds: func(s string) bool {
			return s != "" && s != "." && s != ".." && s == strings.TrimSpace(s) && !strings.Contains(s, "/") && !strings.ContainsFunc(s, unicode.IsControl)
		},
	}
}

// AtLeastLong returns the rule for the length of a secret. Its error does not show the
// value.
func AtLeastLong(characters int) TextRule {
	return TextRule{
		must:  fmt.Sprintf("must have at least %d characters", characters),
		holds: func(s string) bool { return utf8.RuneCountInString(s) >= characters },
	}
}

// Trimmed refuses white space at the ends of a secret, such as the last line break of a
// file. The service or a receiver may cut it. Its error does not show the value.
func Trimmed() TextRule {
	return TextRule{
		must:  "must not have white space at an end, which trimspace() removes",
		holds: func(s string) bool { return s == strings.TrimSpace(s) },
	}
}

// BeginsWith refuses a string without a prefix.
func BeginsWith(prefix string) TextRule {
	return TextRule{
		must:    "must begin with " + prefix,
		holds:   func(s string) bool { return strings.HasPrefix(s, prefix) },
		shown:   whole,
		suggest: func(s string) string { return prefix + s },
	}
}

// commitHash matches the hash of a commit, or the first digits of one, as git prints it.
var commitHash = regexp.MustCompile(`^[0-9a-fA-F]{7,64}$`)

// CommitHash returns the rule for the hash of a commit.
func CommitHash() TextRule {
	return TextRule{
		must:  "must be a commit's hash, or its first 7 or more hexadecimal digits",
		holds: commitHash.MatchString,
		shown: whole,
	}
}

// Description implements validator.Describer.
func (r TextRule) Description(context.Context) string { return r.must }

// MarkdownDescription implements validator.Describer.
func (r TextRule) MarkdownDescription(context.Context) string { return r.must }

// ValidateString implements validator.String.
func (r TextRule) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if value := req.ConfigValue; !value.IsNull() && !value.IsUnknown() && !r.isChecked(value.ValueString()) {
		r.refuse(value.ValueString(), req.Path, &resp.Diagnostics)
	}
}

// PlanModifyString implements planmodifier.String. It refuses what ValidateString leaves
// to it.
func (r TextRule) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if value := req.ConfigValue; !value.IsNull() && !value.IsUnknown() && r.isChecked(value.ValueString()) {
		r.refuse(value.ValueString(), req.Path, &resp.Diagnostics)
	}
}

// isChecked reports whether the plan modifier checks a value, and not the validator.
func (r TextRule) isChecked(value string) bool { return r.shown != nil && IsMocked(value) }

func (r TextRule) refuse(value string, at path.Path, diags *diag.Diagnostics) {
	if r.holds(value) {
		return
	}
	text := r.must
	if r.shown != nil && (value == "" || r.shown(value) != "") {
		text += fmt.Sprintf(", not %q", r.shown(value))
	}
	if r.suggest != nil {
		if meant := r.suggest(value); meant != "" {
			text += fmt.Sprintf("; did you mean %q?", meant)
		}
	}
	if r.note != nil {
		if note := r.note(value); note != "" {
			text = strings.TrimSuffix(text, ".") + " " + note
		}
	}
	addInvalid(diags, at, text)
}

// mocked matches the strings that Terraform and OpenTofu make for computed attributes of a
// mocked provider.
var mocked = regexp.MustCompile(`^[A-Za-z0-9]{4,16}$`)

// IsMocked reports whether a mock_provider of `terraform test` may have made a value. The
// values of other resources are such strings there, so that a validator must not refuse
// them. A mocked provider plans nothing, so that a plan modifier can.
func IsMocked(value string) bool { return mocked.MatchString(value) }

// addInvalid adds an error about the value of an argument.
func addInvalid(diags *diag.Diagnostics, at path.Path, text string) {
	if !strings.HasSuffix(text, "?") && !strings.HasSuffix(text, ".") {
		text += "."
	}
	diags.AddAttributeError(at, "Invalid value of "+at.String(), at.String()+" "+text)
}

// NoEmptyElement refuses a set of strings that contains null or an empty string.
type NoEmptyElement struct{ What string } // an element, as an error names it

// Description implements validator.Describer.
func (v NoEmptyElement) Description(context.Context) string {
	return "must not contain an empty " + v.What
}

// MarkdownDescription implements validator.Describer.
func (v NoEmptyElement) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateSet implements validator.Set.
func (v NoEmptyElement) ValidateSet(_ context.Context, req validator.SetRequest, resp *validator.SetResponse) {
	for _, element := range req.ConfigValue.Elements() {
		if s, ok := element.(types.String); ok && !s.IsUnknown() && s.ValueString() == "" {
			resp.Diagnostics.AddAttributeError(req.Path, "Empty "+v.What, fmt.Sprintf("%s contains an empty %s. Remove it.", req.Path, v.What))
			return
		}
	}
}

// NoNullValue refuses a map of strings that contains null.
type NoNullValue struct{}

// Description implements validator.Describer.
func (NoNullValue) Description(context.Context) string { return "must not contain null" }

// MarkdownDescription implements validator.Describer.
func (v NoNullValue) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateMap implements validator.Map.
func (NoNullValue) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	for _, key := range SortedKeys(req.ConfigValue.Elements()) {
		if at := req.Path.AtMapKey(key); req.ConfigValue.Elements()[key].IsNull() {
			resp.Diagnostics.AddAttributeError(at, "Null value", fmt.Sprintf("%s is null. Give it a value or leave it out.", at))
		}
	}
}

// A NumberRule validates that a number is from least to most. If most is 0, it has no
// maximum.
type NumberRule struct{ Least, Most float64 }

// Description implements validator.Describer.
func (r NumberRule) Description(context.Context) string {
	number := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
	if r.Most == 0 {
		return "must be at least " + number(r.Least)
	}
	return "must be from " + number(r.Least) + " to " + number(r.Most)
}

// MarkdownDescription implements validator.Describer.
func (r NumberRule) MarkdownDescription(ctx context.Context) string { return r.Description(ctx) }

func (r NumberRule) holds(n float64) bool { return n >= r.Least && (r.Most == 0 || n <= r.Most) }

// ValidateInt64 implements validator.Int64.
func (r NumberRule) ValidateInt64(ctx context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	if n := req.ConfigValue.ValueInt64(); !req.ConfigValue.IsNull() && !req.ConfigValue.IsUnknown() && !r.holds(float64(n)) {
		addInvalid(&resp.Diagnostics, req.Path, fmt.Sprintf("%s, not %d", r.Description(ctx), n))
	}
}

// ValidateFloat64 implements validator.Float64.
func (r NumberRule) ValidateFloat64(ctx context.Context, req validator.Float64Request, resp *validator.Float64Response) {
	if n := req.ConfigValue.ValueFloat64(); !req.ConfigValue.IsNull() && !req.ConfigValue.IsUnknown() && !r.holds(n) {
		addInvalid(&resp.Diagnostics, req.Path, fmt.Sprintf("%s, not %g", r.Description(ctx), n))
	}
}
