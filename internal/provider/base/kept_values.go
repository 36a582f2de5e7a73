package base

import (
	"context"
	"maps"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// This file compares what a change has asked for with what the service keeps, once reads
// can no longer lag. A service may keep a value in another form (SERVICE.md#tolerance). Any
// other value means that the service did not make the change.

// A likeness says how a kept value compares with the one that was asked for.
type likeness int

const (
	same      likeness = iota
	otherForm          // the change is in effect
	another            // the change is not in effect
)

// likenessOf compares the values of an attribute. It ignores values that were not asked for
// or not read. A form of a text is other white space at its ends, another letter case, and
// one without a final slash, the prefix of a single address, or the ending of a repository.
// A form of a budget is a bigger one, and of tags more tags, which the platform adds. A block of an allowlist and a console mode protect
// data, so nothing else is a form of theirs.
func likenessOf(name string, asked, kept tftypes.Value) likeness {
	if !asked.IsKnown() || asked.IsNull() || !kept.IsKnown() || kept.IsNull() || asked.Equal(kept) {
		return same
	}
	var askedNumber, keptNumber big.Float
	var askedElements, keptElements []tftypes.Value
	worst := same
	switch of := asked.Type(); {
	case of.Is(tftypes.Object{}), of.Is(tftypes.Map{}):
		there := valuesIn(kept)
		switch {
		case name == "env":
			return likenessOfVariables(valuesIn(asked), there)
		case of.Is(tftypes.Map{}) && !hasAll(there, valuesIn(asked)) || !hasAll(valuesIn(asked), there):
			return another
		}
		for part, value := range valuesIn(asked) {
			worst = max(worst, likenessOf(part, value, there[part]))
		}
		return worst
	case name == "cidrs", name == "mode":
		return another
	case of.Is(tftypes.String):
		if plain := plainForm(kept); plain != "" && plain == plainForm(asked) {
			return otherForm
		}
	case name == "memory_mb" && asked.As(&askedNumber) == nil && kept.As(&keptNumber) == nil:
		if keptNumber.Cmp(&askedNumber) > 0 {
			return otherForm
		}
	case asked.As(&askedElements) == nil && kept.As(&keptElements) == nil:
		wanted, there := plainForms(askedElements), plainForms(keptElements)
		if slices.Equal(wanted, there) || isTags(name) && containsAll(there, wanted) {
			return otherForm
		}
	}
	return another
}

func isTags(name string) bool { return name == "tags" || name == "tags_all" }

func containsAll(texts, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(text string) bool { return !slices.Contains(texts, text) })
}

// plainForm returns what all forms of a text have in common, or "" if the value is not a text.
func plainForm(v tftypes.Value) string {
	var text string
	if v.As(&text) != nil {
		return ""
	}
	text = strings.ToLower(strings.TrimSpace(text))
	for _, ending := range []string{"/", "/32", "/128", ".git"} {
		text = strings.TrimSuffix(text, ending)
	}
	return text
}

func plainForms(elements []tftypes.Value) []string {
	var all []string
	for _, element := range elements {
		all = append(all, plainForm(element))
	}
	return attributes.Sorted(all)
}

// hasAll reports whether a map has all keys of another one.
func hasAll(m, keys map[string]tftypes.Value) bool {
	for key := range keys {
		if _, ok := m[key]; !ok {
			return false
		}
	}
	return true
}

// likenessOfVariables compares build variables. A record may mask or cut their values, and
// the platform may add its own, so only a missing one shows that a change is not in effect.
func likenessOfVariables(asked, kept map[string]tftypes.Value) likeness {
	if !hasAll(kept, asked) {
		return another
	}
	return otherForm
}

// HiddenVariable is the value, in a state, of a variable whose value Terraform has not set.
const HiddenVariable = "(value not shown)"

// leavesVariable reports whether a change of variables has no effect on one whose value is in
// the state: the record still has one that the change removes, or the old value of another.
func leavesVariable(asked, was, kept map[string]tftypes.Value) bool {
	for name, before := range was {
		there, isKept := kept[name]
		now, stays := asked[name]
		if isKept && isKnown(before) && (!stays || !now.Equal(before) && there.Equal(before)) {
			return true
		}
	}
	return false
}

var hidden = tftypes.NewValue(tftypes.String, HiddenVariable)

// A keptValue is the value of an attribute as asked for, as the service keeps it, and as it was
// before an update.
type keptValue struct{ asked, kept, was tftypes.Value }

// keptValues are values of attributes by name.
type keptValues map[string]keptValue

// compareKept returns the asked values that the service keeps in another form, and those
// that it did not change as asked. prior is the state before an update, or the zero value.
// An attribute that the change does not alter is left out, because another client has
// changed it.
func compareKept(asked map[string]tftypes.Value, prior, read tftypes.Value) (forms, missing keptValues) {
	before, after := valuesIn(prior), valuesIn(read)
	forms, missing = keptValues{}, keptValues{}
	for name, value := range asked {
		was := before[name]
		kept := keptValue{value, after[name], was}
		if prior.IsKnown() && !prior.IsNull() && !was.IsNull() && likenessOf(name, value, was) == same {
			continue
		}
		switch likenessOf(name, value, kept.kept) {
		case otherForm:
			if name == "env" && leavesVariable(valuesIn(value), valuesIn(was), valuesIn(kept.kept)) {
				missing[name] = kept
			} else {
				forms[name] = kept
			}
		case another:
			missing[name] = kept
		}
	}
	return forms, missing
}

// askedBy returns the arguments that a change sends: those that the configuration sets, and
// what the plan adds to them, such as defaults and tags_all. An attribute that the plan leaves
// as in the prior state is not asked for, even if the configuration writes it otherwise.
func askedBy(config tfsdk.Config, plan tfsdk.Plan, prior tftypes.Value) map[string]tftypes.Value {
	asked, planned, before := maps.Clone(valuesIn(config.Raw)), valuesIn(plan.Raw), valuesIn(prior)
	for name, value := range planned {
		if asked[name].IsNull() && value.IsKnown() {
			asked[name] = value
		}
	}
	maps.DeleteFunc(asked, func(name string, _ tftypes.Value) bool {
		was, had := before[name]
		return had && planned[name].Equal(was)
	})
	return asked
}

// valuesIn returns the values of an object or a map by name, or nil if it is null or
// unknown.
func valuesIn(v tftypes.Value) map[string]tftypes.Value {
	var attributes map[string]tftypes.Value
	if v.Type() == nil || !v.IsKnown() || v.As(&attributes) != nil {
		return nil
	}
	return attributes
}

// names returns the names of the attributes to report, sorted. tags_all is left out if tags
// says the same.
func (k keptValues) names() []string {
	names := slices.Sorted(maps.Keys(k))
	if _, own := k["tags"]; own {
		names = slices.DeleteFunc(names, func(name string) bool { return name == "tags_all" })
	}
	return names
}

// text returns both values of each attribute, one per line. It shows only the names of
// variables, of hidden attributes, and of those with a URL that may contain a token.
func (k keptValues) text(isHidden func(name string) bool) string {
	var lines []string
	for _, name := range k.names() {
		v := k[name]
		switch {
		case name == "env":
			lines = append(lines, variableLines(valuesIn(v.asked), valuesIn(v.kept), valuesIn(v.was))...)
		case isHidden(name), mayHaveToken(v.asked), mayHaveToken(v.kept):
			lines = append(lines, name+": the values are not shown here")
		default:
			line := name + ": requested " + formText(v.asked, v.asked) + ", kept " + formText(v.kept, v.asked)
			if isTags(name) && hasMore(v.kept, v.asked) {
				line += ". To leave tags that the service adds alone: lifecycle { ignore_changes = [tags] }"
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// mayHaveToken reports whether a text, or one in a set, is a URL with a user or a query. The
// message about any other URL needs both values: they may differ in a final slash.
func mayHaveToken(v tftypes.Value) bool {
	var text string
	var elements []tftypes.Value
	switch {
	case v.As(&text) == nil:
		u, err := url.Parse(text)
		return strings.Contains(text, "://") && (err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "")
	case v.As(&elements) == nil:
		return slices.ContainsFunc(elements, mayHaveToken)
	}
	return false
}

// hasMore reports whether a set has more elements than another one.
func hasMore(set, other tftypes.Value) bool {
	var elements, others []tftypes.Value
	return set.As(&elements) == nil && other.As(&others) == nil && len(elements) > len(others)
}

// isKnown reports whether Terraform has set a variable that has this value in the state.
func isKnown(v tftypes.Value) bool { return v.IsKnown() && !v.IsNull() && !v.Equal(hidden) }

// variableLines says which variables differ and what to write. The values may be secret.
func variableLines(asked, kept, was map[string]tftypes.Value) []string {
	var lines []string
	for _, name := range attributes.Union(slices.Collect(maps.Keys(asked)), slices.Collect(maps.Keys(kept))) {
		address := "env[" + strconv.Quote(name) + "]"
		value, wanted := asked[name]
		there, isKept := kept[name]
		switch {
		case wanted && !isKept:
			lines = append(lines, address+": the service does not have it")
		case !wanted && isKnown(was[name]):
			lines = append(lines, address+": the service still has it")
		case !wanted:
			lines = append(lines, address+": the service adds it. To leave it alone: lifecycle { ignore_changes = ["+address+"] }")
		case !value.Equal(there):
			lines = append(lines, address+": the service returns another value. If it only hides the value: lifecycle { ignore_changes = ["+address+"] }")
		}
	}
	return lines
}

// formText formats a value as in a configuration, without the attributes that asked does
// not have.
func formText(v, asked tftypes.Value) string {
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
	wanted, there := valuesIn(asked), valuesIn(v)
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(there)) {
		value, ok := wanted[name]
		switch {
		case asked.Type().Is(tftypes.Map{}) && !ok:
			texts = append(texts, name+" = "+formText(there[name], there[name]))
		case ok && (!value.IsNull() || asked.Type().Is(tftypes.Map{})):
			texts = append(texts, name+" = "+formText(there[name], value))
		}
	}
	if len(texts) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(texts, ", ") + " }"
}

// reportForms warns of values that are kept in another form.
func (of Change) reportForms(ctx context.Context, forms keptValues) {
	if len(forms) == 0 {
		return
	}
	of.diags.AddWarning("The service stores values in its own form",
		"The change is in effect, but the service keeps another form of what was requested:\n\n"+forms.text(of.isHidden(ctx))+"\n\n"+
			"Write in the configuration what the service keeps. Until then each plan changes it again, or replaces the resource where a change of the argument does that.")
}

// reportMissing reports values that the service did not set. The state of an update keeps the
// old values. A new object is not tainted, because the next apply would destroy it.
func (of Change) reportMissing(ctx context.Context, missing keptValues) {
	if len(missing) == 0 {
		return
	}
	at, differ := path.Root(missing.names()[0]), missing.text(of.isHidden(ctx))
	const support = "If that does not help, ask the service's support why it ignores the value."
	if of.made == anObject {
		of.diags.AddAttributeWarning(at, "The service did not set all values",
			"The object was created, but the service returns other values than requested:\n\n"+differ+"\n\n"+
				"It is in the state and not tainted. Apply again: the next plan shows what still differs. "+support)
		return
	}
	of.diags.AddAttributeError(at, "The service did not make the change",
		"It accepted the request, but returns other values than requested:\n\n"+differ+"\n\n"+
			"The state keeps the old values. Plan again to see what the service returns then, and apply again. "+support)
	if of.made == aSetting {
		of.state.RemoveResource(ctx)
		return
	}
	values := maps.Clone(valuesIn(of.state.Raw))
	for name := range missing {
		values[name] = valuesIn(of.prior)[name]
	}
	of.state.Raw = tftypes.NewValue(of.state.Raw.Type(), values)
}

// isHidden returns a function that reports whether messages must not show an attribute: it is
// sensitive, or a URL, which may contain a token.
func (of Change) isHidden(ctx context.Context) func(name string) bool {
	return func(name string) bool {
		attribute, diags := of.config.Schema.AttributeAtPath(ctx, path.Root(name))
		return name == "url" || diags.HasError() || attribute.IsSensitive()
	}
}
