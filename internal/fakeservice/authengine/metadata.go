package authengine

import (
	"encoding/json"
	"maps"
)

// metadata is a JSON object that callers choose.
type metadata map[string]any

// UnmarshalJSON takes an object, and null as none.
func (m *metadata) UnmarshalJSON(text []byte) error {
	var object map[string]any
	if json.Unmarshal(text, &object) != nil {
		return invalid("validation_failed", "Metadata must be an object.")
	}
	*m = object
	return nil
}

// with is the metadata after a change: a value of null takes a name away.
func (m metadata) with(change metadata) metadata {
	merged := metadata{}
	maps.Copy(merged, m)
	for name, value := range change {
		if value == nil {
			delete(merged, name)
		} else {
			merged[name] = value
		}
	}
	return merged
}
