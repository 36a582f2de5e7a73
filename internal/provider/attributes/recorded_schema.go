package attributes

import (
	"context"
	"fmt"
	"maps"
	"strings"

	data "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// Recorded returns the attributes with which a data source shows the named settings of a
// resource: computed, with the first sentence of their descriptions. others are the data
// source's further attributes, and those that need words of their own.
func Recorded(ctx context.Context, of resource.Resource, names []string, others map[string]data.Attribute) map[string]data.Attribute {
	var resp resource.SchemaResponse
	of.Schema(ctx, resource.SchemaRequest{}, &resp)
	all := map[string]data.Attribute{}
	for _, name := range names {
		description, _, _ := strings.Cut(resp.Schema.Attributes[name].GetMarkdownDescription(), ". ")
		description, sensitive := strings.TrimSuffix(description, ".")+".", resp.Schema.Attributes[name].IsSensitive()
		switch kind := resp.Schema.Attributes[name].GetType().(type) {
		case basetypes.StringTypable:
			all[name] = data.StringAttribute{Computed: true, CustomType: kind, Sensitive: sensitive, MarkdownDescription: description}
		case basetypes.Int64Typable:
			all[name] = data.Int64Attribute{Computed: true, CustomType: kind, Sensitive: sensitive, MarkdownDescription: description}
		case basetypes.BoolTypable:
			all[name] = data.BoolAttribute{Computed: true, CustomType: kind, Sensitive: sensitive, MarkdownDescription: description}
		case basetypes.SetType:
			all[name] = data.SetAttribute{Computed: true, ElementType: kind.ElemType, Sensitive: sensitive, MarkdownDescription: description}
		default:
			panic(fmt.Sprintf("internal/provider/attributes/recorded_schema.go has no case for %s, which is a %s: add one", name, kind))
		}
	}
	maps.Copy(all, others)
	return all
}
