package main

import (
	"fmt"
	"strings"
)

// A shape is a way in which a configuration repeats resources.
type shape string

const (
	byCount   shape = "count"
	byForEach shape = "for_each"
	byModule  shape = "module"
)

// A member is one resource that a configuration has for each instance.
type member string

const (
	theInstance  member = "instance"
	allowlist    member = "allowlist"
	consoleMode  member = "console_mode"
	authSettings member = "auth_settings"
	anApp        member = "app"
	database     member = "postgres_database"
)

// contents lists the resources that a configuration may have for each instance, by name.
var contents = map[string][]member{
	"alone":    {theInstance},
	"settings": {theInstance, allowlist, consoleMode, authSettings, anApp},
	"full":     {theInstance, allowlist, consoleMode, authSettings, anApp, database},
	// Apps of instances that another configuration has.
	"apps": {anApp},
}

// A kind of configuration consists of the provider's resources, or of the same number of
// terraform_data, which is built into the CLI.
type kind string

const (
	ofHosting kind = "hosting"
	ofData    kind = "terraform_data"
)

// A configuration describes the resources that a workspace plans.
type configuration struct {
	kind    kind
	shape   shape
	members []member
	n       int
}

// resources returns the number of resources.
func (c configuration) resources() int { return c.n * len(c.members) }

// nameOf and idOf return the name and the id of the instance of a row.
func nameOf(row int) string { return fmt.Sprintf("bench-%05d", row) }
func idOf(row int) string   { return "i-" + nameOf(row) }

// files returns the configuration's files, by name.
func (c configuration) files() map[string]string {
	var root, blocks strings.Builder
	required := ""
	if c.kind == ofHosting {
		required = "terraform {\n  required_providers {\n    hosting = { source = \"instance-hosting/hosting\" }\n  }\n}\n\n"
	}
	for _, m := range c.members {
		blocks.WriteString(c.block(m))
	}
	root.WriteString(required)
	if c.shape != byCount {
		root.WriteString("locals {\n  names = toset([\n")
		for row := range c.n {
			fmt.Fprintf(&root, "    %q,\n", nameOf(row))
		}
		root.WriteString("  ])\n}\n\n")
	}
	if c.shape != byModule {
		return map[string]string{"main.tf": root.String() + blocks.String()}
	}
	root.WriteString("module \"stack\" {\n  source   = \"./stack\"\n  for_each = local.names\n  name     = each.key\n}\n")
	return map[string]string{
		"main.tf":       root.String(),
		"stack/main.tf": required + "variable \"name\" {\n  type = string\n}\n\n" + blocks.String(),
	}
}

// typeAndName return the type and the name of a member's resource.
func (c configuration) typeAndName(m member) (typ, name string) {
	if c.kind == ofData {
		return "terraform_data", string(m)
	}
	return "hosting_" + string(m), "this"
}

// block returns the resource block of a member.
func (c configuration) block(m member) string {
	typ, name := c.typeAndName(m)
	repeat, row, index := "", `var.name`, ""
	switch c.shape {
	case byCount:
		repeat, row, index = "  count = "+fmt.Sprint(c.n)+"\n", `format("bench-%05d", count.index)`, "[count.index]"
	case byForEach:
		repeat, row, index = "  for_each = local.names\n", "each.key", "[each.key]"
	}
	parentType, parentName := c.typeAndName(theInstance)
	parent := parentType + "." + parentName + index + ".id"
	if c.members[0] != theInstance {
		parent = `"i-${` + row + `}"`
	}
	return fmt.Sprintf("resource %q %q {\n%s%s}\n\n", typ, name, repeat, c.arguments(m, row, parent))
}

// arguments returns the arguments of a member. row is the expression of the instance's
// name, and parent the expression of its id.
func (c configuration) arguments(m member, row, parent string) string {
	if c.kind == ofData {
		if m == theInstance {
			return "  input = " + row + "\n"
		}
		return "  input = " + parent + "\n"
	}
	if m == theInstance {
		return "  name   = " + row + `
  plan   = "free"
  region = "eu-central"
  tags   = ["bench"]
  engines = {
    postgres = {}
    apps     = {}
    auth     = {}
  }
`
	}
	return "  instance_id = " + parent + "\n" + map[member]string{
		allowlist:    "  cidrs = [\"203.0.113.0/24\"]\n",
		consoleMode:  "  mode = \"ro\"\n",
		authSettings: "  site_url      = \"https://bench.example\"\n  redirect_urls = [\"https://bench.example/**\"]\n",
		anApp: `  name        = "web"
  repo        = "acme/shop"
  branch      = "main"
  port        = 3000
  health_path = "/healthz"
  public      = true
  env         = { KEY = "value" }
`,
		database: "  name = \"stock\"\n",
	}[m]
}
