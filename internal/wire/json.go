package wire

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/vmihailenco/msgpack/v5"
)

// A jsonWriter writes a value of JSON in MessagePack, as the framework would. It is
// false where the value is of another kind than its type.
type jsonWriter func(*msgpack.Encoder, json.RawMessage) bool

// FromJSON is an object of a state's JSON in MessagePack. An attribute that it does
// not have is null. One that the schema does not have is left to the framework.
func (o *Object) FromJSON(state []byte) ([]byte, bool) {
	var encoded bytes.Buffer
	e := msgpack.GetEncoder()
	defer msgpack.PutEncoder(e)
	e.Reset(&encoded)
	ok := o.fromJSON(e, state)
	return encoded.Bytes(), ok
}

func (o *Object) fromJSON(e *msgpack.Encoder, raw json.RawMessage) bool {
	var attributes map[string]json.RawMessage
	if json.Unmarshal(raw, &attributes) != nil || attributes == nil || e.EncodeMapLen(len(o.names)) != nil {
		return false
	}
	known := 0
	for i, name := range o.names {
		value, there := attributes[name]
		if there {
			known++
		}
		if e.EncodeString(name) != nil || !valueFromJSON(e, value, o.attributes[i].fromJSON) {
			return false
		}
	}
	return known == len(attributes)
}

// valueFromJSON writes a value that may be null, or missing.
func valueFromJSON(e *msgpack.Encoder, raw json.RawMessage, write jsonWriter) bool {
	if len(raw) == 0 || string(raw) == "null" {
		return e.EncodeNil() == nil
	}
	return write(e, raw)
}

func stringFromJSON(e *msgpack.Encoder, raw json.RawMessage) bool {
	var text string
	return raw[0] == '"' && json.Unmarshal(raw, &text) == nil && e.EncodeString(text) == nil
}

func boolFromJSON(e *msgpack.Encoder, raw json.RawMessage) bool {
	value := string(raw) == "true"
	return (value || string(raw) == "false") && e.EncodeBool(value) == nil
}

// integerFromJSON writes a whole number in its plain form.
func integerFromJSON(e *msgpack.Encoder, raw json.RawMessage) bool {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return err == nil && e.EncodeInt(n) == nil
}

func setFromJSON(write jsonWriter) jsonWriter {
	return func(e *msgpack.Encoder, raw json.RawMessage) bool {
		var elements []json.RawMessage
		if json.Unmarshal(raw, &elements) != nil || e.EncodeArrayLen(len(elements)) != nil {
			return false
		}
		for _, element := range elements {
			if !valueFromJSON(e, element, write) {
				return false
			}
		}
		return true
	}
}

func mapFromJSON(write jsonWriter) jsonWriter {
	return func(e *msgpack.Encoder, raw json.RawMessage) bool {
		var elements map[string]json.RawMessage
		if json.Unmarshal(raw, &elements) != nil || e.EncodeMapLen(len(elements)) != nil {
			return false
		}
		for _, key := range slices.Sorted(maps.Keys(elements)) {
			if e.EncodeString(key) != nil || !valueFromJSON(e, elements[key], write) {
				return false
			}
		}
		return true
	}
}
