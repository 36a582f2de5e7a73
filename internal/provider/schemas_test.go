package provider

import (
	"context"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// An anySchema is a schema of the provider, of any kind.
type anySchema struct {
	kind string // "resource", "data source" and so on
	name string // such as hosting_app; "" for the provider
	file string // file that declares the schema
	top  any    // the schema package's Schema
}

// An anyAttribute is an attribute of any kind of schema.
type anyAttribute interface {
	GetType() attr.Type
	GetMarkdownDescription() string
	IsOptional() bool
	IsRequired() bool
	IsComputed() bool
}

// allSchemas returns the schemas of the provider and of everything that it serves.
func allSchemas(t *testing.T) []anySchema {
	t.Helper()
	ctx := context.Background()
	p := &hostingProvider{}
	const prefix = "hosting"
	var all []anySchema
	add := func(kind, name, file string, top any) {
		all = append(all, anySchema{kind: kind, name: name, file: file, top: top})
	}
	for _, make := range resourceConstructors() {
		r := make()
		var meta resource.MetadataResponse
		var schema resource.SchemaResponse
		r.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: prefix}, &meta)
		r.Schema(ctx, resource.SchemaRequest{}, &schema)
		add("resource", meta.TypeName, fileOf(t, r, "Schema"), schema.Schema)
	}
	for _, make := range p.DataSources(ctx) {
		d := make()
		var meta datasource.MetadataResponse
		var schema datasource.SchemaResponse
		d.Metadata(ctx, datasource.MetadataRequest{ProviderTypeName: prefix}, &meta)
		d.Schema(ctx, datasource.SchemaRequest{}, &schema)
		add("data source", meta.TypeName, fileOf(t, d, "Schema"), schema.Schema)
	}
	for _, make := range p.EphemeralResources(ctx) {
		e := make()
		var meta ephemeral.MetadataResponse
		var schema ephemeral.SchemaResponse
		e.Metadata(ctx, ephemeral.MetadataRequest{ProviderTypeName: prefix}, &meta)
		e.Schema(ctx, ephemeral.SchemaRequest{}, &schema)
		add("ephemeral resource", meta.TypeName, fileOf(t, e, "Schema"), schema.Schema)
	}
	for _, make := range p.ListResources(ctx) {
		l := make()
		var meta resource.MetadataResponse
		var schema list.ListResourceSchemaResponse
		l.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: prefix}, &meta)
		l.ListResourceConfigSchema(ctx, list.ListResourceSchemaRequest{}, &schema)
		add("list resource", meta.TypeName, fileOf(t, l, "ListResourceConfigSchema"), schema.Schema)
	}
	for _, make := range p.Actions(ctx) {
		a := make()
		var meta action.MetadataResponse
		var schema action.SchemaResponse
		a.Metadata(ctx, action.MetadataRequest{ProviderTypeName: prefix}, &meta)
		a.Schema(ctx, action.SchemaRequest{}, &schema)
		// Actions share one Schema method. Each declares its arguments in its
		// constructor.
		add("action", meta.TypeName, fileAt(reflect.ValueOf(make).Pointer()), schema.Schema)
	}
	var schema provider.SchemaResponse
	p.Schema(ctx, provider.SchemaRequest{}, &schema)
	add("provider", "", fileOf(t, p, "Schema"), schema.Schema)
	return all
}

// fileOf returns the file that declares a method.
func fileOf(t *testing.T, of any, method string) string {
	t.Helper()
	m, ok := reflect.TypeOf(of).MethodByName(method)
	if !ok {
		t.Fatalf("%T has no method %s", of, method)
	}
	return fileAt(m.Func.Pointer())
}

// fileAt returns the file that declares the function with an entry point.
func fileAt(entry uintptr) string {
	file, _ := runtime.FuncForPC(entry).FileLine(entry)
	return file
}

// String names the schema in a failure.
func (s anySchema) String() string { return strings.TrimSpace(s.kind + " " + s.name) }

// visit calls f for each attribute, including nested ones, with its path. It skips the
// attributes in timeouts, which belong to another module.
func (s anySchema) visit(t *testing.T, f func(path []string, a anyAttribute)) {
	t.Helper()
	visitAttributes(t, reflect.ValueOf(s.top).FieldByName("Attributes"), nil, f)
}

func visitAttributes(t *testing.T, attributes reflect.Value, within []string, f func([]string, anyAttribute)) {
	t.Helper()
	for _, key := range attributes.MapKeys() {
		path := append(append([]string{}, within...), key.String())
		value := attributes.MapIndex(key).Elem()
		a, ok := value.Interface().(anyAttribute)
		if !ok {
			t.Fatalf("%s: got a %s, want an attribute", strings.Join(path, "."), value.Type())
		}
		f(path, a)
		if key.String() == "timeouts" {
			continue
		}
		if nested := value.FieldByName("NestedObject"); nested.IsValid() {
			visitAttributes(t, nested.FieldByName("Attributes"), path, f)
		} else if nested := value.FieldByName("Attributes"); nested.IsValid() {
			visitAttributes(t, nested, path, f)
		}
	}
}
