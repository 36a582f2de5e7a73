package wire

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

func shape(t *testing.T, of attr.Type) *Object {
	t.Helper()
	o, ok := NewObject(map[string]attr.Type{"a": of})
	if !ok {
		t.Fatalf("there is no shape with a %s", of)
	}
	return o
}

// What is not written as the framework writes it is left to the framework.
func TestValues(t *testing.T) {
	object := types.ObjectType{AttrTypes: map[string]attr.Type{"b": types.Int64Type}}
	for _, test := range []struct {
		name    string
		of      attr.Type
		encoded string
		want    attr.Value // nil for what is not read
	}{
		{"a string", types.StringType, "\x81\xa1a\xa1x", types.StringValue("x")},
		{"null", types.StringType, "\x81\xa1a\xc0", types.StringNull()},
		{"unknown", types.StringType, "\x81\xa1a\xd4\x00\x00", nil},
		{"bytes for a string", types.StringType, "\x81\xa1a\xc4\x01x", nil},
		{"a number for a string", types.StringType, "\x81\xa1a\x01", nil},
		{"an object that is null", types.StringType, "\xc0", nil},
		{"nothing", types.StringType, "", nil},
		{"more after it", types.StringType, "\x81\xa1a\xa1x\xc0", nil},
		{"cut off", types.StringType, "\x81\xa1a\xa2x", nil},
		{"another attribute", types.StringType, "\x81\xa1b\xa1x", nil},
		{"one attribute too many", types.StringType, "\x82\xa1a\xa1x\xa1b\xa1x", nil},
		{"an attribute twice", types.StringType, "\x82\xa1a\xa1x\xa1a\xa1x", nil},
		{"a bool", types.BoolType, "\x81\xa1a\xc3", types.BoolValue(true)},
		{"a number for a bool", types.BoolType, "\x81\xa1a\x01", nil},
		{"a number", types.Int64Type, "\x81\xa1a\xcd\x02\x00", types.Int64Value(512)},
		{"a negative number", types.Int64Type, "\x81\xa1a\xff", types.Int64Value(-1)},
		{"a number that does not fit", types.Int64Type, "\x81\xa1a\xcf\xff\xff\xff\xff\xff\xff\xff\xff", nil},
		{"a fraction", types.Int64Type, "\x81\xa1a\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00", nil},
		{"a time", timetypes.RFC3339Type{}, "\x81\xa1a\xb42025-01-02T03:04:05Z", timetypes.RFC3339{StringValue: types.StringValue("2025-01-02T03:04:05Z")}},
		{"no time", timetypes.RFC3339Type{}, "\x81\xa1a\xa1x", nil},
		{"a set", types.SetType{ElemType: types.StringType}, "\x81\xa1a\x92\xa1y\xa1x", types.SetValueMust(types.StringType, []attr.Value{types.StringValue("y"), types.StringValue("x")})},
		{"a set with an element twice", types.SetType{ElemType: types.StringType}, "\x81\xa1a\x92\xa1x\xa1x", nil},
		{"a set with null", types.SetType{ElemType: types.StringType}, "\x81\xa1a\x91\xc0", nil},
		{"a map", types.MapType{ElemType: types.StringType}, "\x81\xa1a\x81\xa1k\xa1x", types.MapValueMust(types.StringType, map[string]attr.Value{"k": types.StringValue("x")})},
		{"a map with null", types.MapType{ElemType: types.StringType}, "\x81\xa1a\x81\xa1k\xc0", nil},
		{"an object", object, "\x81\xa1a\x81\xa1b\x01", types.ObjectValueMust(object.AttrTypes, map[string]attr.Value{"b": types.Int64Value(1)})},
		{"an object without its attribute", object, "\x81\xa1a\x80", nil},
	} {
		values, ok := shape(t, test.of).Values(&tfprotov6.DynamicValue{MsgPack: []byte(test.encoded)})
		switch {
		case ok != (test.want != nil):
			t.Errorf("%s: read: %t", test.name, ok)
		case ok && !same(values[0], test.want):
			t.Errorf("%s: it is %s, not %s", test.name, values[0], test.want)
		}
	}
}

func TestFromJSON(t *testing.T) {
	for _, test := range []struct {
		name string
		of   attr.Type
		json string
		want string // "" for what is not written
	}{
		{"a string", types.StringType, ` { "a" : "\u00fc" } `, "\x81\xa1a\xa2\xc3\xbc"},
		{"null", types.StringType, `{"a":null}`, "\x81\xa1a\xc0"},
		{"a string that is missing", types.StringType, `{}`, "\x81\xa1a\xc0"},
		{"an attribute that is gone", types.StringType, `{"a":"x","b":1}`, ""},
		{"a number for a string", types.StringType, `{"a":1}`, ""},
		{"a state that is null", types.StringType, `null`, ""},
		{"no JSON", types.StringType, `{"a":"x"`, ""},
		{"a bool", types.BoolType, `{"a":false}`, "\x81\xa1a\xc2"},
		{"a string for a bool", types.BoolType, `{"a":"false"}`, ""},
		{"a number", types.Int64Type, `{"a":512}`, "\x81\xa1a\xcd\x02\x00"},
		{"a number in another form", types.Int64Type, `{"a":5e2}`, ""},
		{"a set", types.SetType{ElemType: types.StringType}, `{"a":["y","x"]}`, "\x81\xa1a\x92\xa1y\xa1x"},
		{"a map", types.MapType{ElemType: types.StringType}, `{"a":{"l":"y","k":null}}`, "\x81\xa1a\x82\xa1k\xc0\xa1l\xa1y"},
		{"a list for a map", types.MapType{ElemType: types.StringType}, `{"a":[]}`, ""},
	} {
		encoded, ok := shape(t, test.of).FromJSON([]byte(test.json))
		if ok != (test.want != "") || ok && string(encoded) != test.want {
			t.Errorf("%s: %q is written %q: %t", test.name, test.json, encoded, ok)
		}
	}
}
