package base

import (
	"context"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// A service may store a value in its own form: a budget rounded up, tags in lower case, a
// URL with a slash (SERVICE.md#tolerance). The state then keeps the value that the plan
// promised, the next refresh shows the value that the service stores, and every plan
// changes it again. The apply therefore says what to write instead.

// A storedForm is the value of an attribute that the service stores in its own form.
type storedForm struct {
	requested tftypes.Value
	kept      tftypes.Value // the form that the service stores
}

// storedForms maps the names of attributes to the forms in which the service stores them.
type storedForms map[string]storedForm

// storedFormsOf compares the requested attributes with those that were read after a
// change. forms has those that were read in a different form. unchanged has those that
// were read as they were before the change: a replica may be behind, or the service may
// not accept the value. An attribute that the change did not alter is in neither, because
// another client has changed it.
func storedFormsOf(requested map[string]tftypes.Value, prior, read tftypes.Value) (forms, unchanged storedForms) {
	before, after := valuesIn(prior), valuesIn(read)
	forms, unchanged = storedForms{}, storedForms{}
	for name, value := range requested {
		kept, there := after[name]
		if !there || sameForm(value, kept) {
			continue
		}
		form := storedForm{value, kept}
		was, existed := before[name]
		switch {
		case !existed:
			forms[name] = form
		case !was.IsNull() && sameForm(value, was):
		case kept.Equal(was):
			unchanged[name] = form
		default:
			forms[name] = form
		}
	}
	return forms, unchanged
}

// requestedBy returns the attributes that a configuration sets, and tags_all, to which
// the provider adds its default tags. It omits values that may be secret, because a
// warning shows the values: sensitive attributes and variables.
func requestedBy(ctx context.Context, config tfsdk.Config, plan tfsdk.Plan) map[string]tftypes.Value {
	requested := map[string]tftypes.Value{}
	for name, value := range valuesIn(config.Raw) {
		attribute, diags := config.Schema.AttributeAtPath(ctx, path.Root(name))
		if !diags.HasError() && !attribute.IsSensitive() && name != "env" {
			requested[name] = value
		}
	}
	if tags, there := valuesIn(plan.Raw)["tags_all"]; there {
		requested["tags_all"] = tags
	}
	return requested
}

// valuesIn returns the values of an object or a map by name, or nil if it is null or
// unknown.
func valuesIn(v tftypes.Value) map[string]tftypes.Value {
	var attributes map[string]tftypes.Value
	if !v.IsKnown() || v.As(&attributes) != nil {
		return nil
	}
	return attributes
}

// sameForm reports whether a value was read as configured. It ignores values that are not
// configured or were not read.
func sameForm(configured, read tftypes.Value) bool {
	if !configured.IsKnown() || configured.IsNull() || !read.IsKnown() || read.IsNull() {
		return true
	}
	switch configured.Type().(type) {
	case tftypes.Object, tftypes.Map:
		there := valuesIn(read)
		for name, value := range valuesIn(configured) {
			if kept, ok := there[name]; ok && !sameForm(value, kept) {
				return false
			}
		}
		return true
	}
	return configured.Equal(read)
}

// text says what to write, one attribute per line. It does not show a URL, which may
// contain a token.
func (f storedForms) text() string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		_, own := f["tags"]
		switch form := f[name]; {
		case name == "url":
			lines = append(lines, "url: the next plan shows the form that is kept")
		case name == "tags_all" && own: // tags shows the same
		case name == "tags_all":
			lines = append(lines, "default_tags of the provider, in tags_all: requested "+formText(form.requested, form.requested)+", kept "+formText(form.kept, form.requested))
		default:
			lines = append(lines, name+": requested "+formText(form.requested, form.requested)+", kept "+formText(form.kept, form.requested))
		}
	}
	return strings.Join(lines, "\n")
}

// formText formats a value as in a configuration, without the attributes that requested
// does not have.
func formText(v, requested tftypes.Value) string {
	var text string
	var number big.Float
	var truth bool
	var elements []tftypes.Value
	switch {
	case v.IsNull():
		return "null"
	case v.As(&text) == nil:
		return strconv.Quote(text)
	case v.As(&number) == nil:
		return number.Text('f', -1)
	case v.As(&truth) == nil:
		return strconv.FormatBool(truth)
	case v.As(&elements) == nil:
		var texts []string
		for _, element := range elements {
			texts = append(texts, formText(element, element))
		}
		return "[" + strings.Join(attributes.Sorted(texts), ", ") + "]"
	}
	asked, there := valuesIn(requested), valuesIn(v)
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if value, ok := asked[name]; ok && !value.IsNull() {
			texts = append(texts, name+" = "+formText(there[name], value))
		}
	}
	return "{ " + strings.Join(texts, ", ") + " }"
}

// warnOfStoredForms reports the values that the service stores in its own form in one
// warning, and the values that the service still shows as before in another.
func warnOfStoredForms(ctx context.Context, of Change, read tftypes.Value) {
	forms, unchanged := storedFormsOf(requestedBy(ctx, of.config, of.plan), of.prior, read)
	if len(forms) > 0 {
		of.diags.AddWarning("The service stores values in its own form",
			"The change is in effect, but the service keeps another form of what was requested:\n\n"+forms.text()+"\n\n"+
				"Write in the configuration what the service keeps. Until then each plan changes it again, or replaces the resource where a change of the argument does that.")
	}
	if len(unchanged) > 0 {
		of.diags.AddWarning("The service still shows the old values",
			"The service accepted the change, but still shows what was there before it:\n\n"+unchanged.text()+"\n\n"+
				"The new values may appear later. If the next plan changes them again, write in the configuration what the service keeps.")
	}
}
