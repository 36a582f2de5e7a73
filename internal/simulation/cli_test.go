package simulation

import (
	"encoding/json"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A cli is Terraform, with one configuration and one state, as a provider sees it.
type cli struct {
	world *world
	name  string
	kind  cliKind
	// createsFirst is the address of a resource with create_before_destroy.
	createsFirst string
	// defaultTags are the default tags of its provider.
	defaultTags []string
	// blocks returns its configuration.
	blocks func() []block

	mu    sync.Mutex
	state map[string]*saved
	// asked contains everything that its configuration has ever set, by address.
	asked map[string]map[string]bool
	// protected says what the configuration protected when it was last applied, by address.
	protected map[string]bool
	// lost are the creations that left nothing in its state.
	lost []*call
	// released are the objects that were removed from its state by hand, and taken those
	// that were imported into it.
	released, taken map[string]bool
	// unknownOutcomes are the calls after which it is unknown whether the script at an
	// address ran, until a person decides it.
	unknownOutcomes map[string]*call
	// busy reports whether the CLI has run any command.
	busy bool
}

// saved is a resource in the state.
type saved struct {
	kind     string
	json     []byte
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	tainted  bool
}

// orphan is an object that a creation made but that did not come into the state.
type orphan struct{ address, id string }

func newCLI(w *world, name string, blocks func() []block) *cli {
	return &cli{world: w, name: name, blocks: blocks, state: map[string]*saved{}, asked: map[string]map[string]bool{}, protected: map[string]bool{}, released: map[string]bool{}, taken: map[string]bool{}, unknownOutcomes: map[string]*call{}}
}

func schemaOf(kind string) *tfprotov6.Schema { return schemas().ResourceSchemas[kind] }
func typeOf(kind string) tftypes.Type        { return schemaOf(kind).ValueType() }

func (c *cli) get(address string) *saved {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state[address]
}

// save stores a resource in the state, or removes it if s is nil. A killed CLI stores
// nothing.
func (c *cli) save(cmd *command, address string, s *saved) {
	if cmd.killed() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s == nil {
		delete(c.state, address)
		delete(c.unknownOutcomes, address)
		return
	}
	c.state[address] = s
}

// addresses returns the sorted addresses in the state.
func (c *cli) addresses() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return sortedNames(c.state)
}

// attribute returns an attribute of a resource in the state, or nil if it does not exist.
func (c *cli) attribute(address string, path ...string) any {
	s := c.get(address)
	if s == nil {
		return nil
	}
	var v any
	_ = json.Unmarshal(s.json, &v) // it was encoded here
	for _, name := range path {
		members, _ := v.(map[string]any)
		v = members[name]
	}
	return v
}

func (c *cli) text(address string, path ...string) string {
	text, _ := c.attribute(address, path...).(string)
	return text
}

// levelOf returns the level of a resource whose block may no longer exist.
func levelOf(kind string) int {
	switch kind {
	case "hosting_instance":
		return 0
	case "hosting_postgres_extension", "hosting_postgres_script":
		return 2
	}
	return 1
}
