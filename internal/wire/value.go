package wire

import (
	"math"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// A valueType reads values of one type.
type valueType struct {
	null attr.Value
	// known reads one that is neither null nor unknown.
	known func(*msgpack.Decoder) (attr.Value, bool)
	// fromJSON writes one in MessagePack that is not null.
	fromJSON jsonWriter
}

// read reads a value; one that is unknown is not read.
func (t valueType) read(d *msgpack.Decoder) (attr.Value, bool) {
	code, err := d.PeekCode()
	if err != nil || msgpcode.IsExt(code) { // unknown, as the protocol has it
		return nil, false
	}
	if code == msgpcode.Nil {
		return t.null, d.DecodeNil() == nil
	}
	return t.known(d)
}

func newValueType(of attr.Type) (valueType, bool) {
	switch of := of.(type) {
	case basetypes.StringType:
		return valueType{types.StringNull(), func(d *msgpack.Decoder) (attr.Value, bool) {
			text, ok := readString(d)
			return types.StringValue(text), ok
		}, stringFromJSON}, true
	case timetypes.RFC3339Type:
		return valueType{timetypes.NewRFC3339Null(), readTime, stringFromJSON}, true
	case basetypes.BoolType:
		return valueType{types.BoolNull(), readBool, boolFromJSON}, true
	case basetypes.Int64Type:
		return valueType{types.Int64Null(), readInt64, integerFromJSON}, true
	case basetypes.SetType:
		return newSetType(of)
	case basetypes.MapType:
		return newMapType(of)
	case timeouts.Type:
		return newObjectType(of.ObjectType, func(o types.Object) attr.Value { return timeouts.Value{Object: o} })
	case basetypes.ObjectType:
		return newObjectType(of, func(o types.Object) attr.Value { return o })
	}
	return valueType{}, false
}

func isMap(code byte) bool {
	return msgpcode.IsFixedMap(code) || code == msgpcode.Map16 || code == msgpcode.Map32
}

func isArray(code byte) bool {
	return msgpcode.IsFixedArray(code) || code == msgpcode.Array16 || code == msgpcode.Array32
}

func readString(d *msgpack.Decoder) (string, bool) {
	code, err := d.PeekCode()
	if err != nil || !msgpcode.IsString(code) {
		return "", false
	}
	text, err := d.DecodeString()
	return text, err == nil
}

// readTime reads a time. One that is none in RFC 3339 is an error of the framework's.
func readTime(d *msgpack.Decoder) (attr.Value, bool) {
	text, ok := readString(d)
	if _, err := time.Parse(time.RFC3339, text); err != nil {
		return nil, false
	}
	return timetypes.RFC3339{StringValue: types.StringValue(text)}, ok
}

func readBool(d *msgpack.Decoder) (attr.Value, bool) {
	code, err := d.PeekCode()
	if err != nil || code != msgpcode.True && code != msgpcode.False {
		return nil, false
	}
	value, err := d.DecodeBool()
	return types.BoolValue(value), err == nil
}

// readInt64 reads a whole number that fits. Those that do not come as other codes, or
// beyond the biggest.
func readInt64(d *msgpack.Decoder) (attr.Value, bool) {
	code, err := d.PeekCode()
	switch {
	case err != nil:
		return nil, false
	case code == msgpcode.Uint64:
		n, err := d.DecodeUint64()
		return types.Int64Value(int64(n)), err == nil && n <= math.MaxInt64
	case msgpcode.IsFixedNum(code), code >= msgpcode.Uint8 && code <= msgpcode.Int64:
		n, err := d.DecodeInt64()
		return types.Int64Value(n), err == nil
	}
	return nil, false
}

// newSetType reads sets of strings. Two elements that are the same are an error of
// the framework's.
func newSetType(of basetypes.SetType) (valueType, bool) {
	if !of.ElemType.Equal(types.StringType) {
		return valueType{}, false
	}
	element, _ := newValueType(of.ElemType)
	return valueType{types.SetNull(of.ElemType), func(d *msgpack.Decoder) (attr.Value, bool) {
		code, err := d.PeekCode()
		if err != nil || !isArray(code) {
			return nil, false
		}
		n, err := d.DecodeArrayLen()
		if err != nil {
			return nil, false
		}
		elements := make([]attr.Value, 0, min(n, 1<<10))
		seen := make(map[string]bool, min(n, 1<<10))
		for range n {
			text, ok := readString(d)
			if !ok || seen[text] {
				return nil, false
			}
			seen[text] = true
			elements = append(elements, types.StringValue(text))
		}
		return types.SetValueMust(of.ElemType, elements), true
	}, setFromJSON(element.fromJSON)}, true
}

// newMapType reads maps. One with an element that is null is left to the framework.
func newMapType(of basetypes.MapType) (valueType, bool) {
	element, ok := newValueType(of.ElemType)
	return valueType{types.MapNull(of.ElemType), func(d *msgpack.Decoder) (attr.Value, bool) {
		code, err := d.PeekCode()
		if err != nil || !isMap(code) {
			return nil, false
		}
		n, err := d.DecodeMapLen()
		if err != nil {
			return nil, false
		}
		elements := make(map[string]attr.Value, min(n, 1<<10))
		for range n {
			key, ok := readString(d)
			if !ok {
				return nil, false
			}
			value, ok := element.read(d)
			if !ok || value.IsNull() {
				return nil, false
			}
			elements[key] = value
		}
		return types.MapValueMust(of.ElemType, elements), len(elements) == n
	}, mapFromJSON(element.fromJSON)}, ok
}

// newObjectType reads objects as wrap wants them.
func newObjectType(of basetypes.ObjectType, wrap func(types.Object) attr.Value) (valueType, bool) {
	shape, ok := NewObject(of.AttrTypes)
	if !ok {
		return valueType{}, false
	}
	return valueType{wrap(types.ObjectNull(of.AttrTypes)), func(d *msgpack.Decoder) (attr.Value, bool) {
		values, ok := shape.read(d)
		if !ok {
			return nil, false
		}
		attributes := make(map[string]attr.Value, len(values))
		for i, name := range shape.names {
			attributes[name] = values[i]
		}
		return wrap(types.ObjectValueMust(of.AttrTypes, attributes)), true
	}, shape.fromJSON}, true
}
