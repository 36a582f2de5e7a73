package provider

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// described is what the schemas of all kinds have of an attribute.
type described interface {
	GetMarkdownDescription() string
	GetDescription() string
	IsOptional() bool
	IsRequired() bool
	IsComputed() bool
}

// TestEveryAttributeIsDescribed holds that each says what it is, each optional
// argument its default, and each argument of a resource what a change does.
func TestEveryAttributeIsDescribed(t *testing.T) {
	ctx := context.Background()
	p := &hostingProvider{}
	check := func(address string, a described, ofResource bool) {
		text := a.GetMarkdownDescription() + a.GetDescription()
		given := a.IsOptional() || a.IsRequired()
		switch {
		case text == "":
			t.Errorf("%s has no description", address)
		case a.IsOptional() && !strings.Contains(text, "Default") && !strings.Contains(address, "_wo") && !strings.Contains(text, "Give this or") && !strings.Contains(text, "environment variable"):
			t.Errorf("%s does not say its default: %s", address, text)
		case ofResource && given && !strings.Contains(strings.ToLower(text), "change") && !strings.Contains(text, "state counts") && !strings.Contains(text, "destroy"):
			t.Errorf("%s does not say what a change does: %s", address, text)
		}
	}
	for _, make := range p.Resources(ctx) {
		var meta resource.MetadataResponse
		var schema resource.SchemaResponse
		make().Metadata(ctx, resource.MetadataRequest{ProviderTypeName: "hosting"}, &meta)
		make().Schema(ctx, resource.SchemaRequest{}, &schema)
		walk(meta.TypeName, schema.Schema.Attributes, func(address string, a resourceschema.Attribute) {
			if !strings.Contains(address, ".timeouts") && !strings.HasPrefix(address, "hosting_instance.engines.") {
				check(address, a, true)
			}
		})
	}
	for _, make := range p.DataSources(ctx) {
		var meta datasource.MetadataResponse
		var schema datasource.SchemaResponse
		make().Metadata(ctx, datasource.MetadataRequest{ProviderTypeName: "hosting"}, &meta)
		make().Schema(ctx, datasource.SchemaRequest{}, &schema)
		for name, a := range schema.Schema.Attributes {
			check("data "+meta.TypeName+"."+name, a, false)
		}
	}
	for _, make := range p.EphemeralResources(ctx) {
		var schema ephemeral.SchemaResponse
		make().Schema(ctx, ephemeral.SchemaRequest{}, &schema)
		for name, a := range schema.Schema.Attributes {
			check("ephemeral "+name, a, false)
		}
	}
	for _, make := range p.Actions(ctx) {
		var meta action.MetadataResponse
		var schema action.SchemaResponse
		make().Metadata(ctx, action.MetadataRequest{ProviderTypeName: "hosting"}, &meta)
		make().Schema(ctx, action.SchemaRequest{}, &schema)
		for name, a := range schema.Schema.Attributes {
			if name != "timeouts" {
				check("action "+meta.TypeName+"."+name, a, false)
			}
		}
	}
	for _, make := range p.ListResources(ctx) {
		var schema list.ListResourceSchemaResponse
		make().ListResourceConfigSchema(ctx, list.ListResourceSchemaRequest{}, &schema)
		for name, a := range schema.Schema.Attributes {
			check("list "+name, a, false)
		}
	}
	var schema provider.SchemaResponse
	p.Schema(ctx, provider.SchemaRequest{}, &schema)
	for name, a := range schema.Schema.Attributes {
		check("provider "+name, a, false)
	}
}

// walk visits an attribute and those nested in it.
func walk(address string, attributes map[string]resourceschema.Attribute, visit func(string, resourceschema.Attribute)) {
	for name, a := range attributes {
		visit(address+"."+name, a)
		if nested, ok := a.(resourceschema.SingleNestedAttribute); ok {
			walk(address+"."+name, nested.Attributes, visit)
		}
	}
}
