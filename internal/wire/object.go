// Package wire reads values off the plugin protocol, and writes them, at the price of
// what they hold. The framework's own way decodes them into one form, walks the
// schema for each path in it, converts that into another form and encodes it again.
//
// It knows the few types that this provider's schemas are made of. What it does not
// know for sure how to read as the framework would, it does not read: the second
// result of its functions is false then.
package wire

import (
	"bytes"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/vmihailenco/msgpack/v5"
)

// An Object is the shape of the objects of a schema: its attributes, by their names
// in order.
type Object struct {
	names      []string
	attributes []valueType
}

// NewObject is the shape of objects with attributes of some types.
func NewObject(attributes map[string]attr.Type) (*Object, bool) {
	o := &Object{names: slices.Sorted(maps.Keys(attributes))}
	for _, name := range o.names {
		of, ok := newValueType(attributes[name])
		if !ok {
			return nil, false
		}
		o.attributes = append(o.attributes, of)
	}
	return o, true
}

// Names are the names of the attributes, in the order of their values.
func (o *Object) Names() []string { return o.names }

// Values are the values of an object's attributes, in the order of their names. All
// of them are known; the object itself is not null.
func (o *Object) Values(encoded *tfprotov6.DynamicValue) ([]attr.Value, bool) {
	if encoded == nil || encoded.JSON != nil {
		return nil, false
	}
	r := bytes.NewReader(encoded.MsgPack)
	d := msgpack.GetDecoder()
	defer msgpack.PutDecoder(d)
	d.Reset(r)
	values, ok := o.read(d)
	return values, ok && r.Len() == 0
}

// read reads the values of an object: each attribute once, in whatever order.
func (o *Object) read(d *msgpack.Decoder) ([]attr.Value, bool) {
	code, err := d.PeekCode()
	if err != nil || !isMap(code) {
		return nil, false
	}
	if n, err := d.DecodeMapLen(); err != nil || n != len(o.names) {
		return nil, false
	}
	values := make([]attr.Value, len(o.names))
	for range o.names {
		name, ok := readString(d)
		if !ok {
			return nil, false
		}
		i, found := slices.BinarySearch(o.names, name)
		if !found || values[i] != nil {
			return nil, false
		}
		if values[i], ok = o.attributes[i].read(d); !ok {
			return nil, false
		}
	}
	return values, true
}
