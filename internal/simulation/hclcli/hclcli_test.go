package hclcli

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
)

// parsed parses a configuration of a test.
func parsed(t *testing.T, source string) *config {
	t.Helper()
	c, err := parse(source)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const chain = `
locals {
  name = hosting_instance.a.name
}
resource "terraform_data" "d" {
  input = "x"
}
resource "hosting_instance" "a" {
  name       = "shop"
  depends_on = [terraform_data.d]
}
data "hosting_instance" "by_local" {
  name = local.name
}
data "hosting_instance" "by_data" {
  name       = "shop"
  depends_on = [data.hosting_instance.by_local]
}
data "hosting_instance" "by_value" {
  name = data.hosting_instance.by_local.name
}
`

func TestWaitsFor(t *testing.T) {
	c := parsed(t, chain)
	for address, want := range map[string][]string{
		"data.hosting_instance.by_local": {"hosting_instance.a"},
		"data.hosting_instance.by_data":  {"hosting_instance.a", "terraform_data.d"},
		"data.hosting_instance.by_value": nil,
	} {
		got := c.waitsFor(c.blocks[address])
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s waits for (-want +got):\n%s", address, diff)
		}
	}
}

func TestWalk(t *testing.T) {
	needs := map[string][]string{"a": nil, "b": {"a"}, "c": {"b"}, "d": {"a"}, "e": {"d"}}
	var mu sync.Mutex
	var visited []string
	walk(needs, func(name string) bool {
		mu.Lock()
		defer mu.Unlock()
		visited = append(visited, name)
		return name != "b"
	})
	if visited[0] != "a" || slices.Contains(visited, "c") || slices.Index(visited, "d") > slices.Index(visited, "e") || len(visited) != 4 {
		t.Errorf("visited: got %v, want a first, no c, and d before e", visited)
	}
}

func TestIgnoring(t *testing.T) {
	// env is a map of single letters, each with its value behind it.
	env := func(pairs ...string) cty.Value {
		members := map[string]cty.Value{}
		for _, pair := range pairs {
			members[pair[:1]] = cty.StringVal(pair[1:])
		}
		return cty.MapVal(members)
	}
	b := parsed(t, `
resource "hosting_app" "web" {
  lifecycle {
    ignore_changes = [env["A"], name]
  }
}
`).blocks["hosting_app.web"]
	object := func(name string, e cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal(name), "env": e})
	}
	for name, c := range map[string]struct{ prior, config, want cty.Value }{
		"kept":    {env("Aold"), env("Anew", "Bb"), env("Aold", "Bb")},
		"removed": {env("Cc"), env("Anew", "Bb"), env("Bb")},
		"added":   {env("Aold"), env("Bb"), env("Aold", "Bb")},
	} {
		got := ignoring(b, object("before", c.prior), object("after", c.config))
		if want := object("before", c.want); !got.RawEquals(want) {
			t.Errorf("%s: got %#v, want %#v", name, got, want)
		}
	}
}

func TestPlanTerraformData(t *testing.T) {
	object := func(id, input, output, trigger cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"id": id, "input": input, "output": output, "triggers_replace": trigger})
	}
	null, a, b := cty.NullVal(cty.DynamicPseudoType), cty.StringVal("a"), cty.StringVal("b")
	id, noID, unknown := cty.StringVal("1"), cty.NullVal(cty.String), cty.UnknownVal(cty.String)
	for name, c := range map[string]struct {
		prior, config, planned cty.Value
		replaces               bool
	}{
		"created":  {cty.NullVal(terraformData.value), object(noID, a, null, null), object(unknown, a, cty.DynamicVal, null), false},
		"the same": {object(id, a, a, null), object(noID, a, null, null), object(id, a, a, null), false},
		"another":  {object(id, a, a, null), object(noID, b, null, null), object(id, b, cty.DynamicVal, null), false},
		"replaced": {object(id, a, a, a), object(noID, a, null, b), object(id, a, a, b), true},
	} {
		made := &change{kind: "terraform_data", config: c.config}
		if got := planTerraformData(made, c.prior); got != c.replaces || !made.planned.RawEquals(c.planned) {
			t.Errorf("%s: got %#v, replaced %t, want %#v, replaced %t", name, made.planned, got, c.planned, c.replaces)
		}
	}
}

func TestParseRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, source := range []string{
		"module \"m\" {\n  source = \"./m\"\n}\n",
		"resource \"hosting_app\" \"web\" {\n  lifecycle {\n    prevent_destroy = true\n  }\n}\n",
		"resource \"hosting_app\" \"web\" {\n  provisioner \"local-exec\" {\n  }\n}\n",
	} {
		if _, err := parse(source); err == nil || !strings.Contains(err.Error(), "not supported here") {
			t.Errorf("parse of %q: got %v, want an error that it is not supported", source, err)
		}
	}
}
