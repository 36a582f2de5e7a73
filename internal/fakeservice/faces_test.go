package fakeservice_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/operations"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// documented returns the operations of the API document.
func documented(t *testing.T) []apispec.Operation {
	t.Helper()
	return must.Get(apispec.Operations())(t)
}

// The table of operations has each operation of the document and each tool, and nothing
// else. Each operation has a tool. TestEveryOperationInThePortal does the same for the
// portal.
func TestFacesHaveTheSameOperations(t *testing.T) {
	t.Parallel()
	routes := map[string]int{}
	for _, o := range documented(t) {
		routes[o.String()] = 0
	}
	tools := map[string]int{}
	for name := range maps.Keys(toolsOf(t, start(t).Agent(t))) {
		tools[name] = 0
	}
	for _, o := range operations.All {
		if len(o.Tools()) == 0 {
			t.Errorf("operations/table.go: %s has no tool", o.Name)
		}
		for _, route := range o.REST {
			if _, there := routes[route]; !there {
				t.Errorf("to %s: %s is not in the document", o.Name, route)
			}
			routes[route]++
		}
		for _, tool := range o.Tools() {
			if _, there := tools[tool]; !there {
				t.Errorf("to %s: the MCP server has no tool %s", o.Name, tool)
			}
			tools[tool]++
		}
	}
	for _, route := range slices.Sorted(maps.Keys(routes)) {
		if routes[route] != 1 {
			t.Errorf("%s in operations/table.go: got it %d times, want 1", route, routes[route])
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(tools)) {
		if tools[tool] == 0 {
			t.Errorf("the tool %s is not in operations/table.go", tool)
		}
	}
}
