package toolchain

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// providerSchema is the part of the output of `terraform providers schema -json` that an
// editor shows.
type providerSchema struct {
	Provider   blockSchema            `json:"provider"`
	Resources  map[string]blockSchema `json:"resource_schemas"`
	Data       map[string]blockSchema `json:"data_source_schemas"`
	Ephemerals map[string]blockSchema `json:"ephemeral_resource_schemas"`
	Lists      map[string]blockSchema `json:"list_resource_schemas"`
	Actions    map[string]blockSchema `json:"action_schemas"`
	Functions  map[string]any         `json:"functions"`
}

type blockSchema struct {
	Block struct{ Attributes attributes }
}

type attributes map[string]struct {
	Required, Optional bool
	Description        string
	Nested             *struct {
		Attributes attributes
		Mode       string `json:"nesting_mode"`
	} `json:"nested_type"`
}

// settable returns the names of the attributes that a configuration can set, sorted.
func (a attributes) settable() []string {
	var names []string
	for name, attribute := range a {
		if attribute.Required || attribute.Optional {
			names = append(names, name)
		}
	}
	return slices.Sorted(slices.Values(names))
}

// A spot is a place in a document where a person begins to type, with the attributes that
// the editor should offer there.
type spot struct {
	path  string
	at    position
	known attributes
}

// A draft is a document with a spot in each body of each block.
type draft struct {
	text  strings.Builder
	spots []spot
}

// write writes a body between an opening and a closing, with its spot. Then it writes a
// separate copy for each nested body.
func (d *draft) write(path, opening, closing string, known attributes) {
	d.text.WriteString(opening)
	if len(known.settable()) > 0 {
		d.spots = append(d.spots, spot{path, position{strings.Count(d.text.String(), "\n"), 2}, known})
	}
	d.text.WriteString("  \n" + closing)
	for _, name := range known.settable() {
		if nested := known[name].Nested; nested != nil {
			begin, end := brackets(nested.Mode)
			d.write(path+"."+name, opening+name+" = "+begin+"\n", end+"\n"+closing, nested.Attributes)
		}
	}
}

// brackets returns the brackets around a nested body of a mode.
func brackets(mode string) (begin, end string) {
	switch mode {
	case "map":
		return "{ key = {", "} }"
	case "list", "set":
		return "[{", "}]"
	default:
		return "{", "}"
	}
}

// drafts returns a document of each language with a block for everything in a schema.
// Each has a mistake, which the server underlines once it knows the schema.
func drafts(schema providerSchema) map[string]*draft {
	configuration, query := &draft{}, &draft{}
	configuration.write("provider", "provider \"hosting\" {\n", "}\n", schema.Provider.Block.Attributes)
	kinds := map[string]map[string]blockSchema{"resource": schema.Resources, "data": schema.Data, "ephemeral": schema.Ephemerals}
	for _, keyword := range slices.Sorted(maps.Keys(kinds)) {
		for _, name := range slices.Sorted(maps.Keys(kinds[keyword])) {
			configuration.write(keyword+" "+name, fmt.Sprintf("%s %q \"x\" {\n", keyword, name), "}\n", kinds[keyword][name].Block.Attributes)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Actions)) {
		configuration.write("action "+name, fmt.Sprintf("action %q \"x\" {\nconfig {\n", name), "}\n}\n", schema.Actions[name].Block.Attributes)
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Lists)) {
		query.write("list "+name, fmt.Sprintf("list %q \"x\" {\nprovider = hosting\nconfig {\n", name), "}\n}\n", schema.Lists[name].Block.Attributes)
	}
	configuration.text.WriteString("resource \"hosting_console_mode\" \"mistaken\" {\n  colour = 1\n}\n")
	query.text.WriteString("list \"hosting_instance\" \"mistaken\" {\n  provider = hosting\n  colour = 1\n}\n")
	return map[string]*draft{"drafts.tf": configuration, "drafts.tfquery.hcl": query}
}

// languages maps file names to an editor's names of their languages.
var languages = map[string]string{"main.tf": "terraform", "drafts.tf": "terraform", "drafts.tfquery.hcl": "terraform-search"}

// An editor offers every argument of every block, including nested ones, and none that
// only the service can set. Each file has its own server. A server that reads a folder
// for a file in one language may ignore files in another language that exist only in the
// editor.
func TestEditorCompletes(t *testing.T) {
	t.Parallel()
	schema := schemaOf(t, newWorkspace(t, "testdata/shop"))
	spots := 0
	for name, draft := range drafts(schema) {
		if name == "drafts.tfquery.hcl" && schema.Lists == nil {
			continue // the CLI has no lists
		}
		spots += len(draft.spots)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startLanguageServer(t, newWorkspace(t, "testdata/shop"))
			server.open(name, languages[name], draft.text.String())
			server.until(name, says(`An attribute named "colour" is not expected here`))
			for _, spot := range draft.spots {
				var offered []string
				for _, candidate := range server.complete(name, spot.at) {
					if _, known := spot.known[candidate.Label]; known { // without meta-arguments
						offered = append(offered, candidate.Label)
					}
				}
				slices.Sort(offered)
				if want := spot.known.settable(); !slices.Equal(offered, want) {
					t.Errorf("%s:%d, %s: got %q offered, want %q", name, spot.at.Line+1, spot.path, offered, want)
				}
			}
		})
	}
	t.Logf("completed in %d bodies", spots)
	if want := len(schema.Resources) + len(schema.Data); spots < want {
		t.Errorf("completed bodies: got %d, want at least %d", spots, want)
	}
}

// An editor offers the names of types and functions, describes arguments, and underlines
// a mistake until it is fixed.
func TestEditorValidates(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, "testdata/shop")
	server := startLanguageServer(t, w)
	schema := schemaOf(t, w)
	good := w.read("main.tf")

	mistaken := strings.NewReplacer("  region ", "  colour ", "deletion_protection", "deletion_protecton").Replace(good)
	server.open("main.tf", "terraform", mistaken)
	server.until("main.tf", says(
		`An attribute named "region" is required here`,
		`An attribute named "colour" is not expected here`,
		`An attribute named "deletion_protecton" is not expected here`,
	))
	for _, d := range server.diagnostics["main.tf"] {
		if strings.Contains(d.Message, "colour") && d.Range.Start != placeOf(t, mistaken, "colour") {
			t.Errorf("%q: got it said of line %d, want the line of the mistake", d.Message, d.Range.Start.Line+1)
		}
	}
	server.change("main.tf", good)
	server.until("main.tf", says())

	description := schema.Resources["hosting_instance"].Block.Attributes["deletion_protection"].Description
	if shown := server.hover("main.tf", placeOf(t, good, "deletion_protection")); !strings.Contains(shown, description) || description == "" {
		t.Errorf("hover on deletion_protection: got %q, want its description %q", shown, description)
	}
	for text, want := range map[string][]string{
		`hosting_instance" "shop"`: slices.Sorted(maps.Keys(schema.Resources)),
		`hosting_instance" "main"`: slices.Sorted(maps.Keys(schema.Data)),
		`pooled_url(`:              {"provider::hosting::libpq_env", "provider::hosting::pooled_url", "provider::hosting::webhook_signature"},
	} {
		var offered []string
		for _, candidate := range server.complete("main.tf", placeOf(t, good, text)) {
			if strings.Contains(candidate.Label, "hosting") {
				offered = append(offered, candidate.Label)
			}
		}
		if slices.Sort(offered); !slices.Equal(offered, want) {
			t.Errorf("before %s: got %q offered, want %q", text, offered, want)
		}
	}
}

// says returns a function that reports whether diagnostics have each of these endings.
// Without any, it reports whether there are no diagnostics.
func says(wanted ...string) func([]diagnostic) bool {
	return func(got []diagnostic) bool {
		for _, text := range wanted {
			if !slices.ContainsFunc(got, func(d diagnostic) bool { return strings.HasSuffix(d.Message, text) }) {
				return false
			}
		}
		return len(wanted) > 0 || len(got) == 0
	}
}

// schemaOf returns the schema of the provider that is installed in a workspace.
func schemaOf(t *testing.T, w *workspace) providerSchema {
	t.Helper()
	var schemas struct {
		Providers map[string]providerSchema `json:"provider_schemas"`
	}
	if err := json.Unmarshal([]byte(w.run("providers", "schema", "-json")), &schemas); err != nil {
		t.Fatal(err)
	}
	for address, schema := range schemas.Providers {
		if strings.HasSuffix(address, "/instance-hosting/hosting") {
			return schema
		}
	}
	t.Fatal("the provider is not installed")
	return providerSchema{}
}
