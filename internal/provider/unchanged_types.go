package provider

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/defaults"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// A resourceType contains the schemas and defaults of one type of resource.
type resourceType struct {
	construct      func() resource.Resource
	schema         schema.Schema
	objectType     tftypes.Type // of the schema
	identitySchema identityschema.Schema
	identity       tftypes.Type // of the identity schema
	// defaults contains the default values of attributes, by attribute name.
	defaults  map[string]tftypes.Value
	writeOnly []string
}

// resourceTypes returns the types of all managed resources by name, except scripts: they
// have no identity, so the framework answers for them.
func resourceTypes() map[string]*resourceType {
	ctx := context.Background()
	types := map[string]*resourceType{}
	for _, newResource := range resourceConstructors() {
		r, ok := newResource().(managedResource)
		if !ok {
			continue
		}
		var name resource.MetadataResponse
		r.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: "hosting"}, &name)
		var of resource.SchemaResponse
		r.Schema(ctx, resource.SchemaRequest{}, &of)
		var identity resource.IdentitySchemaResponse
		r.IdentitySchema(ctx, resource.IdentitySchemaRequest{}, &identity)
		t := &resourceType{
			construct: newResource, schema: of.Schema, objectType: of.Schema.Type().TerraformType(ctx),
			identitySchema: identity.IdentitySchema, identity: identity.IdentitySchema.Type().TerraformType(ctx),
			defaults: map[string]tftypes.Value{},
		}
		for name, attribute := range of.Schema.Attributes {
			if value, ok := defaultOf(ctx, attribute); ok {
				t.defaults[name] = value
			}
			if attribute.IsWriteOnly() {
				t.writeOnly = append(t.writeOnly, name)
			}
		}
		types[name.TypeName] = t
	}
	return types
}

// defaultOf returns the default of an attribute, if it has one. TestDefaultsAreKnown
// checks that all other attributes have no default.
func defaultOf(ctx context.Context, attribute schema.Attribute) (tftypes.Value, bool) {
	var of attr.Value
	switch attribute := attribute.(type) {
	case schema.StringAttribute:
		if attribute.Default != nil {
			var resp defaults.StringResponse
			attribute.Default.DefaultString(ctx, defaults.StringRequest{}, &resp)
			of = resp.PlanValue
		}
	case schema.BoolAttribute:
		if attribute.Default != nil {
			var resp defaults.BoolResponse
			attribute.Default.DefaultBool(ctx, defaults.BoolRequest{}, &resp)
			of = resp.PlanValue
		}
	case schema.Int64Attribute:
		if attribute.Default != nil {
			var resp defaults.Int64Response
			attribute.Default.DefaultInt64(ctx, defaults.Int64Request{}, &resp)
			of = resp.PlanValue
		}
	}
	if of == nil {
		return tftypes.Value{}, false
	}
	value, err := of.ToTerraformValue(ctx)
	return value, err == nil
}

// newResource returns a configured resource. Like the framework, callers create one for
// each call.
func (t *resourceType) newResource(ctx context.Context, data base.Data) managedResource {
	r := t.construct().(managedResource)
	r.Configure(ctx, resource.ConfigureRequest{ProviderData: data}, &resource.ConfigureResponse{})
	return r
}

// A givenResource is the state, the identity and the private state in a request.
type givenResource struct {
	state    tfsdk.State
	identity tfsdk.ResourceIdentity // null if the CLI has stored none
	private  map[string][]byte
}

// decode reads the state, the identity and the private state in a request. It returns
// false if the framework refuses or changes one of them. That is the case if the state is
// null or has a write-only value, or if private state is invalid or has keys of the
// framework.
func (t *resourceType) decode(state *tfprotov6.DynamicValue, identity *tfprotov6.ResourceIdentityData, private []byte) (givenResource, bool) {
	if state == nil || state.JSON != nil { // no CLI sends JSON here
		return givenResource{}, false
	}
	raw, err := state.Unmarshal(t.objectType)
	if err != nil || raw.IsNull() {
		return givenResource{}, false
	}
	var values map[string]tftypes.Value
	if err := raw.As(&values); err != nil {
		return givenResource{}, false
	}
	for _, name := range t.writeOnly {
		if !values[name].IsNull() {
			return givenResource{}, false
		}
	}
	given := givenResource{
		state:    tfsdk.State{Schema: t.schema, Raw: raw},
		identity: tfsdk.ResourceIdentity{Schema: t.identitySchema, Raw: tftypes.NewValue(t.identity, nil)},
	}
	if identity != nil && identity.IdentityData != nil {
		if given.identity.Raw, err = identity.IdentityData.Unmarshal(t.identity); err != nil {
			return givenResource{}, false
		}
	}
	if len(private) > 0 && json.Unmarshal(private, &given.private) != nil {
		return givenResource{}, false
	}
	for key, value := range given.private {
		if strings.HasPrefix(key, ".") || !utf8.Valid(value) || !json.Valid(value) {
			return givenResource{}, false
		}
	}
	return given, true
}

// keepsDefaults reports whether the state has the default of each argument that is not
// set. Otherwise the framework plans the default.
func (t *resourceType) keepsDefaults(state, config tftypes.Value) bool {
	var before, set map[string]tftypes.Value
	if state.As(&before) != nil || config.As(&set) != nil {
		return false
	}
	for name, value := range t.defaults {
		if set[name].IsNull() && !before[name].Equal(value) {
			return false
		}
	}
	return true
}

// copyOfIdentity returns a copy for a request or response, because a resource may change
// it.
func (g givenResource) copyOfIdentity() *tfsdk.ResourceIdentity {
	identity := g.identity
	return &identity
}

// keepsIdentity reports whether an identity is the given one, or the first one of a
// resource without a stored identity.
func (g givenResource) keepsIdentity(identity *tfsdk.ResourceIdentity) bool {
	return g.identity.Raw.IsFullyNull() || identity.Raw.Equal(g.identity.Raw)
}

func (t *resourceType) encodeIdentity(identity *tfsdk.ResourceIdentity) (*tfprotov6.ResourceIdentityData, error) {
	encoded, err := tfprotov6.NewDynamicValue(t.identity, identity.Raw)
	return &tfprotov6.ResourceIdentityData{IdentityData: &encoded}, err
}

// privateData is private state in the framework's requests and responses. Its type is
// internal to the framework, so the functions below infer it.
type privateData[P any] interface {
	privatestate.Reader
	privatestate.Writer
	Equal(P) bool
}

// setPrivate creates the private state of a request. All values must be valid.
func setPrivate[T any, P interface {
	*T
	privateData[P]
}](private *P, values map[string][]byte) {
	*private = new(T)
	(*private).SetKey(context.Background(), privatestate.PendingKey, nil) // creates an empty map
	for key, value := range values {
		(*private).SetKey(context.Background(), key, value)
	}
}

// encodePrivate encodes the private state of a response as the framework does. It returns
// false if that has a key that is neither in privatestate.Keys nor in given.
func encodePrivate[T any, P interface {
	*T
	privateData[P]
}](private P, given map[string][]byte) ([]byte, bool) {
	values := maps.Clone(given)
	if values == nil {
		values = map[string][]byte{}
	}
	for _, key := range privatestate.Keys {
		values[key] = nil
	}
	for key := range values {
		value, _ := private.GetKey(context.Background(), key) // each key is valid
		if values[key] = value; value == nil {
			delete(values, key)
		}
	}
	var same P
	if setPrivate(&same, values); !same.Equal(private) {
		return nil, false
	}
	if len(values) == 0 {
		return nil, true
	}
	encoded, err := json.Marshal(values)
	return encoded, err == nil
}
