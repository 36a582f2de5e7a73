package provider

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/pluginserver"
)

// A filteredRead reads a data source or lists a type, with some arguments.
type filteredRead struct {
	kind   string
	config object
}

var (
	shop = object{"instance_id": "i-shop"}
	none = object{"instance_id": "i-none"}

	filteredReads = []filteredRead{
		{"hosting_account", object{}},
		{"hosting_app", object{"instance_id": "i-shop", "name": "web"}},
		{"hosting_app", object{"instance_id": "i-shop", "name": "none"}},
		{"hosting_app_builds", object{"instance_id": "i-shop", "app": "web"}},
		{"hosting_app_builds", object{"instance_id": "i-shop", "app": "web", "status": "failed"}},
		{"hosting_app_builds", object{"instance_id": "i-shop", "app": "web", "status": "queued"}},
		{"hosting_app_builds", object{"instance_id": "i-shop", "app": "web", "status": "sucesfull"}},
		{"hosting_app_builds", object{"instance_id": "i-shop", "app": "none"}},
		{"hosting_backups", shop},
		{"hosting_backups", object{"instance_id": "i-shop", "kind": "undo"}},
		{"hosting_backups", object{"instance_id": "i-shop", "kind": "dayly"}},
		{"hosting_backups", none},
		{"hosting_billing", shop},
		{"hosting_billing", object{"status": "pending"}},
		{"hosting_billing", object{"status": "none"}},
		{"hosting_connection", shop},
		{"hosting_connection", none},
		{"hosting_connection", object{"instance_id": "i-failed"}},
		{"hosting_instance", object{"id": "i-shop"}},
		{"hosting_instance", object{"name": "shop"}},
		{"hosting_instance", object{"name": "shop", "id": "i-shop"}},
		{"hosting_instance", object{"name": "none"}},
		{"hosting_instance", object{}},
		{"hosting_instance", object{"name": "twin"}},
		{"hosting_instance", object{"id": "i-none"}},
		{"hosting_instances", object{}},
		{"hosting_instances", object{"name": "shop"}},
		{"hosting_instances", object{"name": "none"}},
		{"hosting_instances", object{"plan": "small"}},
		{"hosting_instances", object{"plan": "none"}},
		{"hosting_instances", object{"region": "eu-central"}},
		{"hosting_instances", object{"region": "none"}},
		{"hosting_instances", object{"status": "creating"}},
		{"hosting_instances", object{"status": "none"}},
		{"hosting_instances", object{"tag": "prod"}},
		{"hosting_instances", object{"tag": "none"}},
		{"hosting_locations", object{}},
		{"hosting_locations", object{"id": "eu-central"}},
		{"hosting_locations", object{"id": "none"}},
		{"hosting_locations", object{"country": "US"}},
		{"hosting_locations", object{"country": "none"}},
		{"hosting_plans", object{}},
		{"hosting_plans", object{"id": "small"}},
		{"hosting_plans", object{"id": "none"}},
		{"hosting_plans", object{"min_memory_mb": 2048}},
		{"hosting_plans", object{"max_price_cents": 0}},
		{"hosting_plans", object{"max_price_cents": 900, "min_memory_mb": 2048}},
		{"hosting_plans", object{"min_memory_mb": 1 << 40}},
		{"hosting_webhook_endpoints", object{}},
		{"hosting_webhook_endpoints", object{"enabled": true}},
		{"hosting_webhook_endpoints", object{"enabled": false}},
	}

	filteredLists = []filteredRead{
		{"hosting_account_profile", object{}},
		{"hosting_allowlist", object{}},
		{"hosting_app", object{}},
		{"hosting_app", shop},
		{"hosting_app", none},
		{"hosting_auth_settings", object{}},
		{"hosting_console_mode", object{}},
		{"hosting_instance", object{}},
		{"hosting_instance", object{"name": "shop"}},
		{"hosting_instance", object{"plan": "small"}},
		{"hosting_instance", object{"region": "none"}},
		{"hosting_instance", object{"status": "creating"}},
		{"hosting_instance", object{"tag": "prod"}},
		{"hosting_postgres_database", object{}},
		{"hosting_postgres_database", shop},
		{"hosting_postgres_database", none},
		{"hosting_postgres_extension", object{}},
		{"hosting_postgres_extension", shop},
		{"hosting_webhook_endpoint", object{}},
		{"hosting_webhook_endpoint", object{"enabled": false}},
	}
)

// TestGoldenReads compares what data sources and lists return for an account that has
// everything, with each filter and with each failure, with testdata/reads.golden.
func TestGoldenReads(t *testing.T) {
	var text failureText
	for _, reads := range []struct {
		what string
		of   []filteredRead
		read func(*testing.T, pluginserver.ProviderServer, filteredRead, *strings.Builder)
	}{
		{"data", filteredReads, readData}, {"list", filteredLists, readList},
	} {
		for _, read := range reads.of {
			usual, failing := storiesOf(func(service *failingService) string { return readFailing(t, service, read, reads.read) })
			text.add(fmt.Sprintf("%s %s %s", reads.what, read.kind, jsonOf(read.config)), usual, failing)
		}
	}
	mustBeGolden(t, "reads.golden", text.out.String())
}

// readFailing reads or lists with a failure, and returns what is reported and read.
func readFailing(t *testing.T, service *failingService, of filteredRead, read func(*testing.T, pluginserver.ProviderServer, filteredRead, *strings.Builder)) string {
	var text strings.Builder
	synctest.Test(t, func(t *testing.T) {
		fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
		defer func() { _ = fake.Close() }()
		furnishMore(t, fake)
		fake.AddInstance(fakeservice.Instance{ID: "i-failed", Name: "twin", Status: fakeservice.StatusFailed})
		fake.AddInstance(fakeservice.Instance{ID: "i-twin", Name: "twin", Engines: map[string]*fakeservice.Engine{"postgres": {}}})
		service.next = fake
		service.begin()
		read(t, serverOf(t, service, "key"), of, &text)
	})
	return normalIDs(text.String())
}

func readData(t *testing.T, server pluginserver.ProviderServer, read filteredRead, to *strings.Builder) {
	t.Helper()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	of := schemas.DataSourceSchemas[read.kind].ValueType()
	answer, err := server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: read.kind, Config: dynamicOf(of, read.config)})
	if err != nil {
		t.Fatal(err)
	}
	writeTold(to, answer.Diagnostics)
	if state := decoded(t, of, answer.State); state != nil && !hasError(answer.Diagnostics) { // a CLI ignores it after an error
		fmt.Fprintf(to, "  %s\n", jsonOf(state))
	}
}

// readList lists with the resources, and then the first without its resource.
func readList(t *testing.T, server pluginserver.ProviderServer, read filteredRead, to *strings.Builder) {
	t.Helper()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	list, of := schemas.ListResourceSchemas[read.kind].ValueType(), schemas.ResourceSchemas[read.kind].ValueType()
	for _, limit := range []int64{100, 1} {
		stream, err := server.ListResource(t.Context(), &tfprotov6.ListResourceRequest{TypeName: read.kind, Config: dynamicOf(list, read.config), IncludeResource: limit > 1, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		for one := range stream.Results {
			writeTold(to, one.Diagnostics)
			if one.Resource != nil {
				fmt.Fprintf(to, "  %s: %s\n", one.DisplayName, jsonOf(decoded(t, of, one.Resource)))
			} else {
				fmt.Fprintf(to, "  %s\n", one.DisplayName)
			}
		}
	}
}

func writeTold(to *strings.Builder, told []*tfprotov6.Diagnostic) {
	for _, d := range told {
		fmt.Fprintf(to, "  %s: %s: %s\n", strings.ToLower(d.Severity.String()), d.Summary, strings.ReplaceAll(d.Detail, "\n", " "))
	}
}

var (
	generatedID = regexp.MustCompile(`\b(?:i|job|wh|bld|bak|acc|sub|chg|inv)-[a-z2-7]{12}\b`)
	random      = regexp.MustCompile(`("(?:auth_anon_key|ca_certificate|commit)":")[^"]*|("secret":")[0-9a-f]{64}|(/checkout/)[a-z2-7]+`)
)

// normalIDs replaces generated ids by numbers, in the order in which they appear, and random
// values by dots.
func normalIDs(text string) string {
	ids := map[string]string{}
	text = generatedID.ReplaceAllStringFunc(text, func(id string) string {
		if ids[id] == "" {
			kind, _, _ := strings.Cut(id, "-")
			ids[id] = fmt.Sprintf("%s-%d", kind, len(ids)+1)
		}
		return ids[id]
	})
	return random.ReplaceAllString(text, "$1$2$3...")
}

func jsonOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // v was decoded
	}
	return string(text)
}

// decoded returns a value as maps, lists and so on. Null attributes are left out.
func decoded(t *testing.T, of tftypes.Type, v *tfprotov6.DynamicValue) any {
	t.Helper()
	if v == nil {
		return nil
	}
	value, err := v.Unmarshal(of)
	if err != nil {
		t.Fatal(err)
	}
	return plainOf(t, value)
}

func plainOf(t *testing.T, v tftypes.Value) any {
	t.Helper()
	if v.IsNull() {
		return nil
	}
	if !v.IsKnown() {
		return unknownText
	}
	as := func(target any) {
		if err := v.As(target); err != nil {
			t.Fatal(err)
		}
	}
	switch {
	case v.Type().Is(tftypes.String):
		var s string
		as(&s)
		return s
	case v.Type().Is(tftypes.Bool):
		var b bool
		as(&b)
		return b
	case v.Type().Is(tftypes.Number):
		var n big.Float
		as(&n)
		f, _ := n.Float64()
		return f
	case v.Type().Is(tftypes.Object{}), v.Type().Is(tftypes.Map{}):
		var members map[string]tftypes.Value
		as(&members)
		all := object{}
		for name, member := range members {
			if plain := plainOf(t, member); plain != nil {
				all[name] = plain
			}
		}
		return all
	}
	var elements []tftypes.Value
	as(&elements)
	all := []any{}
	for _, element := range elements {
		all = append(all, plainOf(t, element))
	}
	return all
}
