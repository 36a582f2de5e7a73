package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// instance is the resource of each row.
const instance = `resource "hosting_instance" "this" {
  name   = var.name
  plan   = "free"
  region = "eu-central"
  tags   = ["bench"]
  engines = {
    postgres = {}
    apps     = {}
    auth     = {}
  }
}
`

// children are the resources of an instance.
const children = `
resource "hosting_allowlist" "this" {
  instance_id = hosting_instance.this.id
  cidrs       = ["203.0.113.0/24"]
}

resource "hosting_console_mode" "this" {
  instance_id = hosting_instance.this.id
  mode        = "ro"
}

resource "hosting_auth_settings" "this" {
  instance_id   = hosting_instance.this.id
  site_url      = "https://bench.example"
  redirect_urls = ["https://bench.example/**"]
}

resource "hosting_app" "this" {
  instance_id = hosting_instance.this.id
  name        = "web"
  repo        = "acme/shop"
  branch      = "main"
  port        = 3000
  health_path = "/healthz"
  public      = true
  env         = { KEY = "value" }
}

resource "hosting_postgres_database" "this" {
  instance_id = hosting_instance.this.id
  name        = "stock"
}
`

// contents are the resources that a configuration has for each instance.
var contents = map[string]string{"alone": instance, "full": instance + children}

// configuration returns the files of a configuration with a module for each of n rows.
func configuration(resources string, n int) map[string]string {
	const required = "terraform {\n  required_providers {\n    hosting = { source = \"instance-hosting/hosting\" }\n  }\n}\n\n"
	names := make([]string, n)
	for row := range names {
		names[row] = fmt.Sprintf("%q", nameOf(row))
	}
	return map[string]string{
		"main.tf": required + "module \"stack\" {\n  source   = \"./stack\"\n  for_each = toset([" + strings.Join(names, ", ") +
			"])\n  name     = each.key\n}\n",
		"stack/main.tf": required + "variable \"name\" {\n  type = string\n}\n\n" + resources,
	}
}

// plan measures plans without changes.
func (b *bench) plan(ctx context.Context, report func(result)) error {
	for _, name := range []string{"alone", "full"} {
		for _, n := range b.sizes {
			if err := b.plans(ctx, name, n, report); err != nil {
				return fmt.Errorf("%s, %d instances: %w", name, n, err)
			}
		}
	}
	return nil
}

// plans measures the plans of n instances. One row is really applied, on a fake of its own.
// The others are copies of it, which a refresh then makes correct.
func (b *bench) plans(ctx context.Context, name string, n int, report func(result)) error {
	state, err := b.stateOfOne(ctx, contents[name])
	if err != nil {
		return err
	}
	if state, err = spread(state, n); err != nil {
		return err
	}
	begin, err := content(n)
	if err != nil {
		return err
	}
	f, err := startFake(10_000, begin)
	if err != nil {
		return err
	}
	defer f.close()
	files := configuration(contents[name], n)
	files["terraform.tfstate"] = string(state)
	w, err := b.newWorkspace(f, files)
	if err != nil {
		return err
	}
	if _, err := w.run(ctx, "apply", "-refresh-only", "-auto-approve", "-input=false", "-no-color"); err != nil {
		return err
	}
	resources := float64(n * (1 + strings.Count(contents[name], "instance_id")))
	for range b.count {
		before := len(f.Requests())
		t, err := w.measure(ctx, "plan", "-input=false", "-no-color")
		if err != nil {
			return err
		}
		// The other sentence, with "still matches", indicates drift.
		if !strings.Contains(t.output, "Your infrastructure matches the configuration") {
			return errors.New("the plan is not empty:\n" + t.output)
		}
		report(result{name: fmt.Sprintf("Plan/%s/n=%d", name, n), wall: t.wall, metrics: map[string]float64{
			"requests":             float64(len(f.Requests()) - before),
			"CLI-ms/resource":      t.cli.Seconds() * 1000 / resources,
			"provider-ms/resource": t.provider.Seconds() * 1000 / resources,
			"peak-MiB":             t.peak,
		}})
	}
	return nil
}

// stateOfOne applies one row and returns its state.
func (b *bench) stateOfOne(ctx context.Context, resources string) ([]byte, error) {
	f, err := startFake(10_000, nil)
	if err != nil {
		return nil, err
	}
	defer f.close()
	w, err := b.newWorkspace(f, configuration(resources, 1))
	if err != nil {
		return nil, err
	}
	if _, err := w.run(ctx, "apply", "-auto-approve", "-input=false", "-no-color"); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(w.folder, "terraform.tfstate"))
}

// spread turns a state with one row into one with n rows. Each is a copy of the first with
// another id and name.
func spread(text []byte, n int) ([]byte, error) {
	var state map[string]json.RawMessage
	if err := json.Unmarshal(text, &state); err != nil {
		return nil, err
	}
	var resources []struct {
		Type      string
		Instances []struct{ Attributes struct{ ID string } }
	}
	if err := json.Unmarshal(state["resources"], &resources); err != nil {
		return nil, err
	}
	id := ""
	for _, r := range resources {
		if r.Type == "hosting_instance" {
			id = r.Instances[0].Attributes.ID
		}
	}
	one := strings.TrimSpace(string(state["resources"]))
	one = one[1 : len(one)-1] // without the brackets of the list
	rows := make([]string, n)
	for row := range rows {
		rows[row] = strings.NewReplacer(id, idOf(row), nameOf(0), nameOf(row)).Replace(one)
	}
	state["resources"] = json.RawMessage("[" + strings.Join(rows, ",") + "]")
	return json.Marshal(state)
}
