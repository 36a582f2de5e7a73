package acceptance

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// An object that two addresses of a state manage is not destroyed with one of them. A
// rename without a moved block leaves such a state if it is interrupted or done by an
// import.
func TestObjectIsNotDestroyedWhereAnotherResourceKeepsIt(t *testing.T) {
	t.Parallel()
	for kind, c := range map[string]struct{ id, arguments string }{
		"hosting_allowlist":          {"i-one", "cidrs = [\"203.0.113.0/24\"]\n  on_destroy = \"open\""},
		"hosting_console_mode":       {"i-one", twiceCases["hosting_console_mode"][0]},
		"hosting_auth_settings":      {"i-one", twiceCases["hosting_auth_settings"][0]},
		"hosting_postgres_database":  {"i-one/shop", "name = \"shop\"\n  deletion_protection = false"},
		"hosting_postgres_extension": {"i-one/main/pgcrypto", "database = \"main\"\n  name = \"pgcrypto\""},
		"hosting_app":                {"i-one/web", "name = \"web\"\n  repo = \"octo/web\"\n  port = 3000\n  health_path = \"/up\"\n  public = true\n  links = [\"auth\"]\n  deletion_protection = false"},
		"hosting_instance":           {"i-two", "name = \"two\"\n  plan = \"free\"\n  region = \"us-east\"\n  engines = { postgres = {}, apps = {}, auth = {} }\n  deletion_protection = false"},
		"hosting_webhook_endpoint":   {"", `url = "https://hooks.example/1"`},
	} {
		t.Run(kind, func(t *testing.T) {
			fake := seeded(t)
			body := func(name, id string, imported bool) string {
				text := fmt.Sprintf("resource %q %q {\n", kind, name)
				if strings.HasPrefix(id, "i-one") {
					text += "  instance_id = \"i-one\"\n"
				}
				text += "  " + c.arguments + "\n}\n"
				if imported {
					text += fmt.Sprintf("import {\n  to = %s.%s\n  id = %q\n}\n", kind, name, id)
				}
				return text
			}
			isThere := kind == "hosting_app" || kind == "hosting_instance"
			w := newWorkspace(t, fake, body("first", c.id, isThere))
			w.apply()
			id := c.id
			if id == "" {
				id = w.mustBeKept(kind, "first").Attributes["id"].(string)
			}
			before := len(changes(fake))

			w.configure(body("renamed", id, true))
			w.says(1, []string{"The plan destroys what another resource keeps", "Two resources manage", "terraform state rm ADDRESS"}, "plan")
			w.says(1, []string{"Two resources manage"}, "apply", "-auto-approve")
			w.says(1, []string{"Two resources manage"}, "plan", "-refresh=false")
			w.says(0, nil, "state", "rm", kind+".first")
			w.apply()
			w.mustBeSettled()
			must(t, len(changes(fake)) == before, "changes that were sent after the rename: got %d, want none", len(changes(fake))-before)

			w.says(0, []string{"1 destroyed"}, "destroy", "-auto-approve")
		})
	}
}

// The same holds for a replacement: its first address gets another object, and a second
// address imports the old one.
func TestObjectIsNotReplacedWhereAnotherResourceKeepsIt(t *testing.T) {
	t.Parallel()
	const database = "deletion_protection = false\n  name = "
	const app = "repo = \"octo/web\"\n  port = 3000\n  health_path = \"/up\"\n  public = true\n  deletion_protection = false\n  name = "
	const instance = "name = \"two\"\n  plan = \"free\"\n  engines = { postgres = {}, apps = {}, auth = {} }\n  deletion_protection = false\n  region = "
	for kind, c := range map[string]struct{ id, old, other string }{
		"hosting_console_mode":      {"i-one", "instance_id = \"i-one\"\n  mode = \"ro\"", "instance_id = \"i-two\"\n  mode = \"ro\""},
		"hosting_postgres_database": {"i-one/shop", "instance_id = \"i-one\"\n  " + database + `"shop"`, "instance_id = \"i-one\"\n  " + database + `"shop2"`},
		"hosting_app":               {"i-one/web", "instance_id = \"i-one\"\n  " + app + `"web"`, "instance_id = \"i-one\"\n  " + app + `"web2"`},
		"hosting_instance":          {"i-two", instance + `"us-east"`, instance + `"eu-central"`},
	} {
		t.Run(kind, func(t *testing.T) {
			fake := seeded(t)
			block := func(name, arguments string) string {
				return fmt.Sprintf("resource %q %q {\n  %s\n}\n", kind, name, arguments)
			}
			imports := func(name string) string {
				return fmt.Sprintf("import {\n  to = %s.%s\n  id = %q\n}\n", kind, name, c.id)
			}
			first := block("first", c.old)
			if kind != "hosting_postgres_database" { // which the account does not have yet
				first += imports("first")
			}
			w := newWorkspace(t, fake, first)
			w.apply()
			before := len(changes(fake))

			w.configure(block("first", c.other) + block("kept", c.old) + imports("kept"))
			w.says(1, []string{"The plan destroys what another resource keeps", "Two resources manage", "terraform state rm ADDRESS"}, "plan")
			w.says(1, []string{"The plan destroys what another resource keeps"}, "apply", "-auto-approve")
			w.says(1, []string{"The plan destroys what another resource keeps"}, "plan", "-refresh=false")
			must(t, len(changes(fake)) == before, "changes that were sent: got %d, want none", len(changes(fake))-before)
			w.says(0, nil, "state", "rm", kind+".first")
			w.says(0, []string{"1 imported, 1 added", "0 destroyed"}, "apply", "-auto-approve")
			w.mustBeSettled()
		})
	}
}

// An app of another repository is created under the same name.
func TestAppIsNotReplacedInPlaceWhereAnotherResourceKeepsIt(t *testing.T) {
	fake := seeded(t)
	block := func(name, repo string) string {
		return fmt.Sprintf("resource \"hosting_app\" %q {\n  instance_id = \"i-one\"\n  name = \"web\"\n  repo = %q\n  port = 3000\n  health_path = \"/up\"\n  public = true\n  deletion_protection = false\n}\n"+
			"import {\n  to = hosting_app.%s\n  id = \"i-one/web\"\n}\n", name, repo, name)
	}
	w := newWorkspace(t, fake, block("first", "octo/web"))
	w.apply()
	before := len(changes(fake))
	w.configure(block("first", "octo/other") + block("kept", "octo/web"))
	w.says(1, []string{"The plan destroys what another resource keeps"}, "plan")
	w.says(1, []string{"The plan destroys what another resource keeps"}, "apply", "-auto-approve")
	second, _, _ := strings.Cut(block("second", "octo/web"), "import")
	w.configure(block("first", "octo/other") + second)
	w.says(1, []string{"Two resources manage app web of instance i-one"}, "apply", "-auto-approve")
	must(t, len(changes(fake)) == before, "changes that were sent: got %d, want none", len(changes(fake))-before)
}

// A rename that was only partly applied also leaves both addresses in the state.
func TestSettingThatIsRenamedInPart(t *testing.T) {
	fake := seeded(t)
	const kind = "hosting_console_mode"
	first := settingHCL(kind, "first", `"i-one"`, `mode = "ro"`)
	w := newWorkspace(t, fake, first)
	w.apply()
	w.configure(strings.Replace(first, "first", "renamed", 1))
	w.says(0, []string{"1 added"}, "apply", "-auto-approve", "-target="+kind+".renamed")
	w.says(1, []string{"Two resources manage the console mode of instance i-one"}, "apply", "-auto-approve")
	w.says(1, []string{"Two resources manage the console mode of instance i-one"}, "destroy", "-auto-approve")
	w.says(0, nil, "state", "rm", kind+".first")
	w.mustBeSettled()
	i, _ := fake.Instance("i-one")
	must(t, i.ConsoleMode == "ro", "the console mode: got %q, want ro", i.ConsoleMode)
}

// The message's advice works for a deposed object.
func TestDeposedObjectOfAKeptSetting(t *testing.T) {
	fake := seeded(t)
	const kind = "hosting_console_mode"
	w := newWorkspace(t, fake, settingHCL(kind, "test", `"i-one"`, twiceCases[kind][0]))
	w.apply()
	var state map[string]any
	must(t, json.Unmarshal([]byte(w.state()), &state) == nil, "the state is no JSON")
	resource := state["resources"].([]any)[0].(map[string]any)
	deposed := map[string]any{"deposed": "0badcafe"}
	for name, value := range resource["instances"].([]any)[0].(map[string]any) {
		deposed[name] = value
	}
	resource["instances"] = append(resource["instances"].([]any), deposed)
	text, err := json.Marshal(state)
	must(t, err == nil, "%v", err)
	w.write("terraform.tfstate", string(text))

	before := len(changes(fake))
	w.says(1, []string{"Two resources manage the console mode of instance i-one", "deposed object"}, "plan")
	w.says(0, nil, "state", "rm", kind+".test")
	w.says(0, nil, "import", kind+".test", "i-one")
	w.says(0, []string{"No changes"}, "plan")
	must(t, len(changes(fake)) == before, "something was changed")
}
