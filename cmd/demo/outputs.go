package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// outputLines turns the output of `output -json` into one line for each output, sorted by
// name. An output without a value is an error: the guestbook's outputs all come from the
// service, so one is missing only if the provider lost it. The values of sensitive outputs
// are not shown.
func outputLines(text []byte) ([]string, error) {
	var outputs map[string]struct {
		Sensitive bool            `json:"sensitive"`
		Value     json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(text, &outputs); err != nil {
		return nil, err
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		output := outputs[name]
		switch value := string(output.Value); {
		case value == "", value == "null", value == `""`:
			return nil, fmt.Errorf("output %q has no value", name)
		case output.Sensitive:
			lines = append(lines, fmt.Sprintf("%s = (sensitive, %d characters)", name, len(value)-2))
		default:
			var line bytes.Buffer
			if err := json.Compact(&line, output.Value); err != nil {
				return nil, err
			}
			lines = append(lines, fmt.Sprintf("%s = %s", name, abridged(line.String())))
		}
	}
	return lines, nil
}

// abridged shortens a value to fit a line. The CLI's output has the whole value.
func abridged(value string) string {
	const most = 50
	letters := []rune(value)
	if len(letters) <= most {
		return value
	}
	return fmt.Sprintf("%s… (%d characters)", string(letters[:most/2]), len(letters))
}
