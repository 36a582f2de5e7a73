package provider

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"pgregory.net/rapid"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// The functions below draw the requests of a CLI about a resource and the records of the
// service at random. Most values fit together, because otherwise every call would change
// something.

// An object contains attributes in the form that encoding/json uses, with notKnown for an
// unknown value.
type object = map[string]any

type notKnown struct{}

// plausible contains realistic values of attributes, by name. nil is null. The first value
// is the usual one. A setting without a row has the examples of the API's document, or null.
var plausible = map[string][]any{
	"id":                    {"i-1", "i-2"},
	"instance_id":           {"i-1", "i-2"},
	"name":                  {"pgvector", "shop", "pg_trgm"},
	"plan":                  examples("InstanceCreate", "plan"),
	"region":                examples("InstanceCreate", "region"),
	"engines":               {object{"postgres": object{"memory_mb": 512}, "auth": object{"memory_mb": 256}, "apps": object{"memory_mb": 256}}, object{"redis": object{"memory_mb": nil}}, object{}},
	"tags":                  {[]any{"a", "b"}, nil, []any{}, []any{"b", "a"}},
	"tags_all":              {[]any{"a", "b"}, []any{}, []any{"b", "a"}, []any{"a", "b", "team"}, nil},
	"deletion_protection":   {true, false, nil},
	"status":                {"running", "creating", "deleting", "failed", "building", "stopped", "odd", nil},
	"host":                  {"127.0.0.2", nil},
	"checkout_url":          {nil, "https://pay.example/1"},
	"created_at":            {"2025-01-02T03:04:05Z", "2025-01-02T03:04:05+00:00", nil},
	"ca_certificate":        {"-----BEGIN CERTIFICATE-----", nil},
	"auth_url":              {"https://127.0.0.2/auth/v1", nil},
	"auth_anon_key":         {"anon", nil},
	"timeouts":              {nil, object{"create": "5m"}, object{"create": "soon", "delete": "1h"}},
	"cidrs":                 examples("Allowlist", "allowlist", []any{"203.0.113.7"}, []any{"203.0.113.7/32"}, []any{"0.0.0.0/0"}, []any{"no address"}, []any{"10.0.0.1", "10.0.0.1/32"}),
	"on_destroy":            {"keep", "open", nil, "burn"},
	"mode":                  examples("Console", "mode", "on"),
	"site_url":              examples("AuthSettings", "site_url", "HTTPS://One.example", "no url", ""),
	"redirect_urls":         examples("AuthSettings", "redirect_urls", nil, []any{}),
	"url":                   examples("Webhook", "url", "https://Hooks.example/one", "http://hooks.example", nil),
	"secret":                examples("WebhookCreate", "secret", nil, "short"),
	"secret_wo":             {nil, nil, nil, "another secret of a kind", "short"},
	"secret_wo_version":     {nil, nil, 1},
	"database":              examples("Query", "database", nil, ""),
	"version":               {"0.7", nil},
	"sql":                   examples("Query", "sql", nil, ""),
	"sql_wo":                {nil, nil, nil, "SELECT 2"},
	"sql_wo_version":        {nil, nil, 2},
	"destroy_sql":           {nil, "DROP TABLE x", ""},
	"repo":                  examples("AppImport", "repo", "Acme/Shop", "https://github.com/acme/shop", nil),
	"port":                  examples("AppImport", "port", nil, 0, 70000),
	"health_path":           examples("AppImport", "health_path", "up", nil),
	"env":                   {object{"A": "1", "B": "2"}, nil, object{}, object{"A": ""}},
	"secret_env_wo":         {nil, nil, nil, object{"S": "s"}, object{"A": "s"}},
	"secret_env_wo_version": {nil, nil, 1},
	"links":                 examples("AppUpdate", "links", nil, []any{"auth", "redis"}),
	"memory_mb":             examples("AppImport", "memory_mb", nil, 1),
	"redeploy_triggers":     {nil, object{"by": "hand"}},
	"deploy_commit":         {nil, "0123456789abcdef", "0123456", "fedcba9"},
	"build_id":              {"b-1", nil},
	"commit":                {"0123456789abcdef", nil},
}

// examples returns the document's examples of a property, and other values.
func examples(schema, property string, others ...any) []any {
	return append(apispec.Examples[any](schema, property), others...)
}

// settingSchemas are the schemas of the document with the settings of objects.
var settingSchemas = []string{"AppUpdate", "InstanceUpdate", "WebhookUpdate", "ProfileUpdate"}

// valuesOf returns realistic values of an attribute.
func valuesOf(name string) []any {
	if usual := plausible[name]; len(usual) > 0 {
		return usual
	}
	for _, schema := range settingSchemas {
		if slices.Contains(apispec.Properties(schema), name) {
			return examples(schema, name, nil)
		}
	}
	return nil
}

// odd contains unusual values, by type.
var odd = map[string][]any{
	"string": {"", "odd", nil, "Ünïcode"},
	"bool":   {nil, true, false},
	"number": {nil, 0, -1, 1 << 40, 1.5},
	"set":    {nil, []any{}, []any{""}, []any{"odd", "a"}, []any{nil}},
	"map":    {nil, object{}, object{"odd": nil}},
}

func oddOf(t tftypes.Type) []any {
	switch {
	case t.Is(tftypes.String):
		return odd["string"]
	case t.Is(tftypes.Bool):
		return odd["bool"]
	case t.Is(tftypes.Number):
		return odd["number"]
	case t.Is(tftypes.Set{}):
		return odd["set"]
	case t.Is(tftypes.Map{}):
		return odd["map"]
	}
	return []any{nil}
}

// chance returns true in the given percentage of cases.
func chance(t *rapid.T, percent int, what string) bool {
	return rapid.IntRange(0, 99).Draw(t, what) >= 100-percent
}

// drawValue draws a value of an attribute. If tidy, it mostly draws the usual one.
func drawValue(t *rapid.T, name string, of tftypes.Type, tidy bool) any {
	usual := valuesOf(name)
	if len(usual) == 0 {
		t.Fatalf("plausible in internal/provider/unchanged_draw_test.go has no values for the attribute %s: add some", name)
	}
	switch {
	case tidy && !chance(t, 15, "another "+name):
		return usual[0]
	case name != "created_at" && chance(t, 4, "odd "+name): // an invalid time is never stored
		return rapid.SampledFrom(oddOf(of)).Draw(t, name)
	}
	return rapid.SampledFrom(usual).Draw(t, name)
}

// tfValue returns a value in the form of the protocol.
func tfValue(of tftypes.Type, v any) tftypes.Value {
	switch v := v.(type) {
	case nil:
		return tftypes.NewValue(of, nil)
	case notKnown:
		return tftypes.NewValue(of, tftypes.UnknownValue)
	case []any:
		elements := []tftypes.Value{}
		for _, element := range v {
			elements = append(elements, tfValue(of.(tftypes.Set).ElementType, element))
		}
		return tftypes.NewValue(of, elements)
	case object:
		members := map[string]tftypes.Value{}
		if o, ok := of.(tftypes.Object); ok {
			for name, inner := range o.AttributeTypes {
				members[name] = tfValue(inner, v[name])
			}
		} else {
			for name, member := range v {
				members[name] = tfValue(of.(tftypes.Map).ElementType, member)
			}
		}
		return tftypes.NewValue(of, members)
	}
	return tftypes.NewValue(of, v)
}

// drawState draws a state.
func drawState(t *rapid.T, of tftypes.Object) object {
	tidy, state := chance(t, 80, "tidy"), object{}
	for _, name := range slices.Sorted(maps.Keys(of.AttributeTypes)) {
		state[name] = drawValue(t, name, of.AttributeTypes[name], tidy)
	}
	return state
}

// drawEdit returns a copy of an object, with one attribute changed in the given
// percentage of cases.
func drawEdit(t *rapid.T, of tftypes.Object, from object, percent int) object {
	to := maps.Clone(from)
	if chance(t, percent, "edited") {
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(of.AttributeTypes))).Draw(t, "edit")
		to[name] = drawValue(t, name, of.AttributeTypes[name], false)
		if chance(t, 10, "not known") {
			to[name] = notKnown{}
		}
	}
	return to
}

// drawConfig draws the configuration of a state. It omits attributes that only the
// service sets, and sometimes optional arguments.
func drawConfig(t *rapid.T, s drawnSchema, state object) object {
	config := object{}
	for _, a := range s.attributes {
		v := state[a.Name]
		switch {
		case a.WriteOnly:
			v = drawValue(t, a.Name, s.of.AttributeTypes[a.Name], true)
		case !a.Optional && !a.Required, !a.Required && chance(t, 30, "without "+a.Name):
			v = nil
		}
		config[a.Name] = v
	}
	return drawEdit(t, s.of, config, 20)
}

// keptValues contains values of private state, by key.
var keptValues = map[string][]string{
	privatestate.ConfiguredKey:  {`["postgres"]`},
	privatestate.SecretKeysKey:  {`[]`, `["S"]`, `["A"]`, `{}`},
	privatestate.SentKeysKey:    {`["S"]`, `[]`},
	privatestate.PlannedKey:     {`"i-1"`},
	privatestate.AccountNoteKey: {`{"id":"acc-1","origin":"https://hosting.test"}`, `{"id":"acc-1","origin":"https://hosting.test"}`, `{"id":"acc-2","origin":"https://hosting.test"}`, `{"origin":"https://other.test"}`, `[]`},
	privatestate.ProtectedKey:   {`{"title":"Instance x","name":"Instance i-1","import_id":"i-1"}`},
	privatestate.ConnectionKey:  {`true`},
	privatestate.CreationKey:    {`"A"`},
	privatestate.DatabaseKey:    {`{"creation":"A","created_at":"2026-01-02T03:04:05Z"}`, `{"creation":"B"}`},
	privatestate.KeptRegionKey:  {`"eu-central-1"`},
	privatestate.PendingKey:     {`{"job":"j-1","creating":true}`, `{"job":"j-1"}`, `null`},
	"of_long_ago":               {`"kept"`},
	"another.one.":              {`1`},
}

// drawPrivate draws private state, both in the provider's form and broken.
func drawPrivate(t *rapid.T) []byte {
	if chance(t, 3, "broken private state") {
		return []byte(rapid.SampledFrom([]string{"null", "{", `{"a":1}`, `{"a":"bm8gSlNPTg=="}`, `{".import_before_read":"dHJ1ZQ=="}`, `{"a":""}`}).Draw(t, "private"))
	}
	private := map[string][]byte{}
	for _, key := range slices.Sorted(maps.Keys(keptValues)) {
		percent := 5
		switch key {
		case privatestate.ConfiguredKey, privatestate.SecretKeysKey, privatestate.SentKeysKey:
			percent = 50
		case privatestate.AccountNoteKey:
			percent = 90
		}
		if chance(t, percent, "private "+key) {
			private[key] = []byte(rapid.SampledFrom(keptValues[key]).Draw(t, key))
		}
	}
	if len(private) == 0 && chance(t, 50, "no private state") {
		return nil
	}
	encoded, _ := json.Marshal(private)
	return encoded
}
