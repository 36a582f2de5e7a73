package base

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestPromised(t *testing.T) {
	text := func(s any) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
	ofTexts := tftypes.Map{ElementType: tftypes.String}
	texts := func(values map[string]tftypes.Value) tftypes.Value { return tftypes.NewValue(ofTexts, values) }
	setOfTexts := tftypes.Set{ElementType: tftypes.String}
	set := func(values ...tftypes.Value) tftypes.Value { return tftypes.NewValue(setOfTexts, values) }
	engine := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"name": tftypes.String, "budget": tftypes.String}}
	object := func(name, budget tftypes.Value) tftypes.Value {
		return tftypes.NewValue(engine, map[string]tftypes.Value{"name": name, "budget": budget})
	}
	unknown := text(tftypes.UnknownValue)
	engines := func(of map[string]tftypes.Value) tftypes.Value {
		return tftypes.NewValue(tftypes.Map{ElementType: engine}, of)
	}
	for name, row := range map[string]struct{ planned, read, want tftypes.Value }{
		"known":                       {text("planned"), text("read"), text("planned")},
		"known, read as null":         {text("planned"), text(nil), text("planned")},
		"null is known":               {text(nil), text("read"), text(nil)},
		"not known":                   {unknown, text("read"), text("read")},
		"not known, read as null":     {unknown, text(nil), text(nil)},
		"part of an object":           {object(text("planned"), unknown), object(text("a"), text("read")), object(text("planned"), text("read"))},
		"an object that is gone":      {object(text("planned"), unknown), tftypes.NewValue(engine, nil), object(text("planned"), text(nil))},
		"an element that is not read": {engines(map[string]tftypes.Value{"a": object(text("planned"), unknown)}), engines(nil), engines(map[string]tftypes.Value{"a": object(text("planned"), text(nil))})},
		"a whole object not known":    {tftypes.NewValue(engine, tftypes.UnknownValue), object(text("a"), text("b")), object(text("a"), text("b"))},
		"part of a map":               {texts(map[string]tftypes.Value{"a": text("planned"), "b": unknown}), texts(map[string]tftypes.Value{"b": text("read"), "c": text("more")}), texts(map[string]tftypes.Value{"a": text("planned"), "b": text("read")})},
		"a known set":                 {set(text("planned")), set(text("read"), text("more")), set(text("planned"))},
		"a set with an unknown value": {set(unknown), set(text("read")), set(text("read"))},
	} {
		t.Run(name, func(t *testing.T) {
			if got := promised(row.planned, row.read); !got.Equal(row.want) {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}
