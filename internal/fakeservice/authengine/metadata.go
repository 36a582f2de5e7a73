package authengine

import (
	"encoding/json"
	"maps"
)

// metadata is a JSON object with content of the caller's choice.
type metadata map[string]any

// UnmarshalJSON accepts an object, or null for no metadata.
func (m *metadata) UnmarshalJSON(text []byte) error {
	var object map[string]any
	if json.Unmarshal(text, &object) != nil {
		return invalid("validation_failed", "Metadata must be an object.")
	}
	*m = object
	return nil
}

// with returns the metadata after a change: a null value removes a name.
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
