package provider

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A shownSchema contains what `terraform providers schema -json` shows of a schema, in
// one line per attribute: its properties by its path, such as "engines.memory_mb".
// Descriptions are in docs/.
type shownSchema struct {
	Version    int64             `json:"version"`
	Attributes map[string]string `json:"attributes,omitempty"`
	Identity   *shownSchema      `json:"identity,omitempty"`
}

// shownSchemas contains all schemas of the provider, under the CLI's names of their
// kinds.
type shownSchemas struct {
	Provider           shownSchema            `json:"provider"`
	Resources          map[string]shownSchema `json:"resource_schemas"`
	DataSources        map[string]shownSchema `json:"data_source_schemas"`
	EphemeralResources map[string]shownSchema `json:"ephemeral_resource_schemas"`
	ListResources      map[string]shownSchema `json:"list_resource_schemas"`
	Actions            map[string]shownSchema `json:"action_schemas"`
	Functions          map[string]string      `json:"functions"`
}

// TestGoldenSchema makes each change of a schema visible in a review. It compares the
// schemas that the provider sends to a CLI with a golden file.
func TestGoldenSchema(t *testing.T) {
	server := providerserver.NewProtocol6(New("test")())()
	told, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil || len(told.Diagnostics) > 0 {
		t.Fatalf("the schemas: got error %v and diagnostics %v, want neither", err, told.Diagnostics)
	}
	identities, err := server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil || len(identities.Diagnostics) > 0 {
		t.Fatalf("the schemas of the identities: got error %v and diagnostics %v, want neither", err, identities.Diagnostics)
	}
	shown := shownSchemas{
		Provider:           showSchema(t, told.Provider),
		Resources:          showSchemas(t, told.ResourceSchemas),
		DataSources:        showSchemas(t, told.DataSourceSchemas),
		EphemeralResources: showSchemas(t, told.EphemeralResourceSchemas),
		ListResources:      showSchemas(t, told.ListResourceSchemas),
		Actions:            map[string]shownSchema{},
		Functions:          map[string]string{},
	}
	for name, identity := range identities.IdentitySchemas {
		resource := shown.Resources[name]
		resource.Identity = showIdentity(identity)
		shown.Resources[name] = resource
	}
	for name, action := range told.ActionSchemas {
		shown.Actions[name] = showSchema(t, action.Schema)
	}
	for name, function := range told.Functions {
		shown.Functions[name] = showFunction(function)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(shown); err != nil {
		t.Fatal(err)
	}
	mustBeGolden(t, "schema.golden.json", text.String())
}

func showSchemas(t *testing.T, schemas map[string]*tfprotov6.Schema) map[string]shownSchema {
	t.Helper()
	shown := map[string]shownSchema{}
	for name, schema := range schemas {
		shown[name] = showSchema(t, schema)
	}
	return shown
}

func showSchema(t *testing.T, schema *tfprotov6.Schema) shownSchema {
	t.Helper()
	if len(schema.Block.BlockTypes) > 0 {
		t.Fatal("got a schema with blocks, want attributes only")
	}
	shown := shownSchema{Version: schema.Version, Attributes: map[string]string{}}
	showAttributes(shown.Attributes, "", schema.Block.Attributes)
	return shown
}

// showAttributes adds each attribute by its path, including nested ones.
func showAttributes(to map[string]string, within string, attributes []*tfprotov6.SchemaAttribute) {
	for _, a := range attributes {
		words := []string{""}
		if a.NestedType == nil {
			words[0] = showType(a.Type)
		} else {
			words[0] = strings.TrimSpace(nestings[a.NestedType.Nesting] + " object")
			showAttributes(to, within+a.Name+".", a.NestedType.Attributes)
		}
		for _, property := range []struct {
			holds bool
			word  string
		}{
			{a.Required, "required"}, {a.Optional, "optional"}, {a.Computed, "computed"},
			{a.Sensitive, "sensitive"}, {a.WriteOnly, "write-only"}, {a.Deprecated, "deprecated"},
		} {
			if property.holds {
				words = append(words, property.word)
			}
		}
		to[within+a.Name] = strings.Join(words, ", ")
	}
}

var nestings = map[tfprotov6.SchemaObjectNestingMode]string{
	tfprotov6.SchemaObjectNestingModeSingle: "",
	tfprotov6.SchemaObjectNestingModeList:   "list of",
	tfprotov6.SchemaObjectNestingModeSet:    "set of",
	tfprotov6.SchemaObjectNestingModeMap:    "map of",
}

// showType returns a short form of a type, such as set[string].
func showType(of tftypes.Type) string {
	return strings.ToLower(strings.ReplaceAll(of.String(), "tftypes.", ""))
}

func showIdentity(identity *tfprotov6.ResourceIdentitySchema) *shownSchema {
	shown := &shownSchema{Version: identity.Version, Attributes: map[string]string{}}
	for _, a := range identity.IdentityAttributes {
		words := showType(a.Type)
		if a.RequiredForImport {
			words += ", required for import"
		}
		if a.OptionalForImport {
			words += ", optional for import"
		}
		shown.Attributes[a.Name] = words
	}
	return shown
}

// showFunction returns a function's signature.
func showFunction(function *tfprotov6.Function) string {
	var parameters []string
	for _, p := range function.Parameters {
		parameters = append(parameters, p.Name+" "+showType(p.Type))
	}
	if p := function.VariadicParameter; p != nil {
		parameters = append(parameters, p.Name+" "+showType(p.Type)+"...")
	}
	return "(" + strings.Join(parameters, ", ") + ") " + showType(function.Return.Type)
}
