package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// A state is the part of the CLI's state that the benchmark reads.
type state struct {
	Version          int             `json:"version"`
	TerraformVersion string          `json:"terraform_version"`
	Serial           int             `json:"serial"`
	Lineage          string          `json:"lineage"`
	Outputs          json.RawMessage `json:"outputs"`
	Resources        []stateResource `json:"resources"`
	CheckResults     json.RawMessage `json:"check_results"`
}

type stateResource struct {
	Module    string                       `json:"module,omitempty"`
	Mode      string                       `json:"mode"`
	Type      string                       `json:"type"`
	Name      string                       `json:"name"`
	Provider  string                       `json:"provider"`
	Instances []map[string]json.RawMessage `json:"instances"`
}

// readState reads a state of a configuration with a module for each row.
func readState(text []byte) (state, error) {
	var read state
	if err := json.Unmarshal(text, &read); err != nil {
		return read, fmt.Errorf("the state: %w", err)
	}
	return read, nil
}

// spread turns a state with one row, by module, into one with n rows. Each row is a copy of
// the first with different ids and names. id is the id of the first row's instance.
func (s state) spread(id string, n int) (state, error) {
	spread := s
	spread.Resources = nil
	for row := range n {
		of := strings.NewReplacer(id, idOf(row), nameOf(0), nameOf(row))
		for _, r := range s.Resources {
			text, err := json.Marshal(r)
			if err != nil {
				return s, err
			}
			var copied stateResource
			if err := json.Unmarshal([]byte(of.Replace(string(text))), &copied); err != nil {
				return s, err
			}
			spread.Resources = append(spread.Resources, copied)
		}
	}
	return spread, nil
}

// as converts a state by module to another shape.
func (s state) as(to shape) (state, error) {
	if to == byModule {
		return s, nil
	}
	shaped := s
	shaped.Resources = nil
	places := map[string]int{} // of each resource among those shaped
	for _, r := range s.Resources {
		address := r.Type + "." + r.Name
		place, ok := places[address]
		if !ok {
			place = len(shaped.Resources)
			places[address] = place
			root := r
			root.Module, root.Instances = "", nil
			shaped.Resources = append(shaped.Resources, root)
		}
		of := &shaped.Resources[place]
		if len(r.Instances) != 1 || r.Module == "" {
			return s, fmt.Errorf("the state has %d of %s in place of one in a module", len(r.Instances), address)
		}
		instance := maps.Clone(r.Instances[0])
		if err := outOfModule(instance); err != nil {
			return s, err
		}
		// The CLI writes the modules in the order of their keys, which is the order of the
		// rows.
		row := len(of.Instances)
		instance["index_key"] = json.RawMessage(fmt.Sprint(row))
		if to == byForEach {
			instance["index_key"] = json.RawMessage(fmt.Sprintf("%q", nameOf(row)))
		}
		of.Instances = append(of.Instances, instance)
	}
	return shaped, nil
}

// outOfModule moves the dependencies of a resource to the root, too.
func outOfModule(instance map[string]json.RawMessage) error {
	if instance["dependencies"] == nil {
		return nil
	}
	var names []string
	if err := json.Unmarshal(instance["dependencies"], &names); err != nil {
		return fmt.Errorf("dependencies: %w", err)
	}
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], "module.stack.")
	}
	text, err := json.Marshal(names)
	instance["dependencies"] = text
	return err
}

// idOfFirst returns the id of the first row of a resource.
func (s state) idOfFirst(typ, name string) (string, error) {
	for _, r := range s.Resources {
		if r.Type != typ || r.Name != name || len(r.Instances) == 0 {
			continue
		}
		var attributes struct {
			ID string `json:"id"`
		}
		err := json.Unmarshal(r.Instances[0]["attributes"], &attributes)
		return attributes.ID, err
	}
	return "", fmt.Errorf("the state has no %s.%s", typ, name)
}

// text returns the state in the form that the CLI reads.
func (s state) text() (string, error) {
	text, err := json.Marshal(s)
	return string(text), err
}
