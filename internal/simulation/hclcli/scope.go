package hclcli

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// instances returns the keys of the objects of a block, with their each and count. ok is
// false if they are not known.
func (r *run) instances(b *block) (all map[string]map[string]cty.Value, ok bool) {
	switch {
	case b.count != nil:
		v, known := r.evaluate(b.address(), b.count, nil)
		if v, err := convert.Convert(v, cty.Number); err == nil && known && v.IsKnown() && !v.IsNull() {
			all = map[string]map[string]cty.Value{}
			n, _ := v.AsBigFloat().Int64()
			for i := range n {
				index := cty.NumberIntVal(i)
				all[keyOf(index)] = map[string]cty.Value{"count": cty.ObjectVal(map[string]cty.Value{"index": index})}
			}
			return all, true
		}
		return nil, false
	case b.forEach != nil:
		v, known := r.evaluate(b.address(), b.forEach, nil)
		if !known || !v.IsKnown() || v.IsNull() || v.Type().IsSetType() && !v.IsWhollyKnown() {
			return nil, false
		}
		all = map[string]map[string]cty.Value{}
		for it := v.ElementIterator(); it.Next(); {
			key, value := it.Element()
			if v.Type().IsSetType() {
				key = value
			}
			all[keyOf(key)] = map[string]cty.Value{"each": cty.ObjectVal(map[string]cty.Value{"key": key, "value": value})}
		}
		return all, true
	}
	return map[string]map[string]cty.Value{"": nil}, true
}

// evaluate evaluates an expression, and reports an error for the address.
func (r *run) evaluate(address string, e hclsyntax.Expression, own map[string]cty.Value) (cty.Value, bool) {
	v, diags := e.Value(r.scope(own))
	for _, d := range diags {
		r.hear(Diagnostic{Severity: "error", Summary: d.Summary, Detail: d.Detail, Address: address})
	}
	return v, !diags.HasErrors()
}

// scope returns the names that expressions use. Objects that are not known yet are unknown.
func (r *run) scope(own map[string]cty.Value) *hcl.EvalContext {
	roots := map[string]map[string]map[string]cty.Value{"resource": {}, "data": {}, "ephemeral": {}}
	for address, b := range r.config.blocks {
		kinds := roots[b.mode]
		if kinds[b.kind] == nil {
			kinds[b.kind] = map[string]cty.Value{}
		}
		kinds[b.kind][b.name] = r.valueOf(address, b)
	}
	names := map[string]cty.Value{}
	for kind, all := range roots["resource"] {
		names[kind] = cty.ObjectVal(all)
	}
	for _, mode := range []string{"data", "ephemeral"} {
		kinds := map[string]cty.Value{}
		for kind, all := range roots[mode] {
			kinds[kind] = cty.ObjectVal(all)
		}
		names[mode] = cty.ObjectVal(kinds)
	}
	variables := map[string]cty.Value{}
	for name, e := range r.config.variables {
		variables[name] = cty.NullVal(cty.DynamicPseudoType)
		if e != nil && !r.validating {
			variables[name], _ = e.Value(nil) // a default is a constant
		} else if r.validating {
			variables[name] = cty.DynamicVal
		}
	}
	names["var"] = cty.ObjectVal(variables)
	for name, v := range own {
		names[name] = v
	}
	ctx := &hcl.EvalContext{Variables: names, Functions: r.cli.functions}
	// A local value may use others, which come first.
	locals := map[string]cty.Value{}
	var local func(name string)
	local = func(name string) {
		if _, done := locals[name]; done || r.config.locals[name] == nil {
			return
		}
		e := r.config.locals[name]
		for _, reference := range e.Variables() {
			if used, ok := strings.CutPrefix(blockAddress(reference), "local."); ok {
				local(used)
			}
		}
		ctx.Variables["local"] = cty.ObjectVal(locals)
		locals[name], _ = e.Value(ctx) // its users report an error
	}
	for name := range r.config.locals {
		local(name)
	}
	ctx.Variables["local"] = cty.ObjectVal(locals)
	return ctx
}

// valueOf returns the value of a whole block: one object, or a collection of them.
func (r *run) valueOf(address string, b *block) cty.Value {
	r.mu.Lock()
	defer r.mu.Unlock()
	keys, done := r.keys[address]
	if !done {
		return cty.DynamicVal
	}
	value := func(key string) cty.Value {
		if v, ok := r.values[address+key]; ok {
			return v
		}
		return cty.DynamicVal
	}
	switch {
	case b.count != nil:
		elements := make([]cty.Value, len(keys))
		for i := range elements {
			elements[i] = value(keyOf(cty.NumberIntVal(int64(i))))
		}
		return cty.TupleVal(elements)
	case b.forEach != nil:
		members := map[string]cty.Value{}
		for _, key := range keys {
			members[strings.Trim(key, `[]"`)] = value(key)
		}
		return cty.ObjectVal(members)
	}
	return value("")
}

// configOf evaluates the arguments of a block into a value of its schema's type.
func (r *run) configOf(address string, b *block, own map[string]cty.Value) (cty.Value, bool) {
	return r.argumentsOf(address, schemaOf(b), b.attributes, own)
}

func (r *run) argumentsOf(address string, s schema, given map[string]hclsyntax.Expression, own map[string]cty.Value) (cty.Value, bool) {
	members, good := map[string]cty.Value{}, true
	fail := func(name, summary, detail string) {
		good = false
		r.hear(Diagnostic{Severity: "error", Summary: summary, Detail: detail, Address: address, Attribute: name})
	}
	for name, a := range s.attributes {
		members[name] = cty.NullVal(a.config.WithoutOptionalAttributesDeep())
		e := given[name]
		if e == nil {
			if a.required && !r.validating {
				fail(name, "Missing required argument", `The argument "`+name+`" is required, but no definition was found.`)
			}
			continue
		}
		v, ok := r.evaluate(address, e, own)
		if !ok {
			good = false
			continue
		}
		v, err := convert.Convert(v, a.config)
		if err != nil {
			fail(name, "Incorrect attribute value type", "Inappropriate value for attribute \""+name+"\": "+err.Error()+".")
			continue
		}
		members[name] = v
	}
	for name := range given {
		if _, known := s.attributes[name]; !known {
			fail(name, "Unsupported argument", `An argument named "`+name+`" is not expected here.`)
		}
	}
	return cty.ObjectVal(members), good
}
