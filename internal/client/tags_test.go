package client

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// Records are parsed tolerantly, so a mistyped tag would go unnoticed: the field would
// always be empty. This test compares each struct with its schema in the document,
// property by property.
func TestTagsAreTheDocuments(t *testing.T) {
	doc := must.Get(openapi3.NewLoader().LoadFromData(apispec.Document()))(t)
	for _, row := range []struct {
		schema string
		of     any
		// unread has properties without a field in the client, and extra has fields without a
		// property in the document, each with the reason.
		unread, extra map[string]string
	}{
		{"Instance", Instance{}, nil, map[string]string{"tier": "the older name of plan (SERVICE.md#instances)"}},
		{"Engine", Engine{}, map[string]string{"status": "an engine's status is nobody's concern but the service's"}, map[string]string{
			"site_url": "the auth engine's", "redirect_urls": "the auth engine's"}},
		{"AuthEngine", Engine{}, map[string]string{"status": "an engine's status is nobody's concern but the service's"}, nil},
		{"Usage", Usage{}, nil, nil},
		{"Monitoring", Monitoring{}, nil, nil},
		{"BackupSummary", BackupSummary{}, nil, nil},
		{"Activity", Activity{}, nil, nil},
		{"InstanceCreate", NewInstance{}, map[string]string{"tier": "plan is sent"}, nil},
		{"InstanceUpdate", InstanceSettings{}, nil, nil},
		{"EngineBudget", EngineBudget{}, nil, nil},
		{"Backup", Backup{}, nil, nil},
		{"Job", Job{}, nil, nil},
		{"JobError", JobFault{}, nil, nil},
		{"Connection", Connection{}, nil, nil},
		{"ConnectionEngines", ConnectionEngines{}, nil, nil},
		{"PostgresConnection", PostgresConnection{}, nil, nil},
		{"EngineConnection", URLConnection{}, nil, nil},
		{"AuthConnection", AuthConnection{}, nil, nil},
		{"Console", consoleBody{}, nil, nil},
		{"AuthSettings", AuthSettings{}, nil, nil},
		{"Database", Database{}, nil, nil},
		{"Extension", Extension{}, nil, nil},
		{"App", App{}, nil, nil},
		{"AppFailure", AppFailure{}, nil, nil},
		{"AppImport", NewApp{}, nil, map[string]string{"links": "an import cannot carry them"}},
		{"AppUpdate", AppSettings{}, nil, nil},
		{"Build", Build{}, nil, nil},
		{"Plans", Plans{}, nil, nil},
		{"Plan", Plan{}, nil, nil},
		{"EngineEntry", EngineKind{}, nil, nil},
		{"Location", Location{}, nil, nil},
		{"Account", Account{}, nil, nil},
		{"ProfileUpdate", Profile{}, nil, nil},
		{"Billing", Billing{}, map[string]string{"next_cursor": "Billing has the charges of all pages"}, nil},
		{"Subscription", Subscription{}, nil, nil},
		{"Charge", Charge{}, nil, nil},
		{"WebhookCreated", Webhook{}, nil, nil},
		{"WebhookUpdate", WebhookSettings{}, nil, nil},
	} {
		schema := doc.Components.Schemas[row.schema]
		if schema == nil {
			t.Errorf("internal/apispec/openapi.yaml has no schema %s", row.schema)
			continue
		}
		for _, problem := range tagProblems(slices.Collect(maps.Keys(schema.Value.Properties)), reflect.TypeOf(row.of), row.unread, row.extra) {
			t.Errorf("schema %s of internal/apispec/openapi.yaml and type %T of internal/client: %s", row.schema, row.of, problem)
		}
	}
}

// tagProblems lists the differences between the properties of a schema and the tags of a
// struct.
func tagProblems(properties []string, of reflect.Type, unread, extra map[string]string) []string {
	var problems []string
	tags := map[string]bool{}
	for _, field := range reflect.VisibleFields(of) {
		if field.Anonymous || !field.IsExported() || field.Tag.Get("json") == "-" { // "-" means that it is not sent
			continue
		}
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case tag == "":
			problems = append(problems, fmt.Sprintf("field %s has no tag", field.Name))
		case !slices.Contains(properties, tag) && extra[tag] == "":
			problems = append(problems, fmt.Sprintf("field %s is tagged %q, which is no property", field.Name, tag))
		case slices.Contains(properties, tag) && extra[tag] != "":
			problems = append(problems, fmt.Sprintf("%q is a property after all", tag))
		}
		tags[tag] = true
	}
	for _, property := range properties {
		if !tags[property] && unread[property] == "" {
			problems = append(problems, fmt.Sprintf("property %q is no field", property))
		}
	}
	for property := range unread {
		if tags[property] || !slices.Contains(properties, property) {
			problems = append(problems, fmt.Sprintf("%q is said to be left out, and is not", property))
		}
	}
	slices.Sort(problems)
	return problems
}

// This tests the test: it finds each kind of problem.
func TestMistypedTagsAreFound(t *testing.T) {
	type record struct {
		ID       string `json:"id"`
		Created  Time   `json:"createdAt"`
		Untagged string
		Extra    string `json:"extra"`
	}
	want := []string{
		`"gone" is said to be left out, and is not`,
		`"id" is said to be left out, and is not`,
		`field Created is tagged "createdAt", which is no property`,
		`field Untagged has no tag`,
		`property "created_at" is no field`,
	}
	got := tagProblems([]string{"id", "created_at", "quiet"}, reflect.TypeFor[record](),
		map[string]string{"quiet": "r", "gone": "r", "id": "r"}, map[string]string{"extra": "r"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// Some answers are decoded by hand, in UnmarshalJSON or by their caller. This test checks
// that they use the property names of the document.
func TestAnswersReadByHand(t *testing.T) {
	doc := must.Get(openapi3.NewLoader().LoadFromData(apispec.Document()))(t)
	// sample returns an object in which the value of each property is its name.
	sample := func(schema string) []byte {
		values := object{}
		for name := range doc.Components.Schemas[schema].Value.Properties {
			values[name] = name
		}
		encoded, _ := json.Marshal(values)
		return encoded
	}
	var accepted, built, maybe Pending
	var created createdAnswer
	var fault JobFault
	var failure AppFailure
	for schema, into := range map[string]any{"Accepted": &accepted, "BuildAccepted": &built, "MaybeBuildAccepted": &maybe, "InstanceCreated": &created, "JobError": &fault, "AppFailure": &failure} {
		if err := json.Unmarshal(sample(schema), into); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
	}
	if want := (Pending{JobID: "job_id"}); accepted != want {
		t.Errorf("Accepted: got %+v, want %+v", accepted, want)
	}
	if want := (Pending{JobID: "job_id", BuildID: "build_id"}); built != want || maybe != want {
		t.Errorf("BuildAccepted and MaybeBuildAccepted: got %+v and %+v, want both %+v", built, maybe, want)
	}
	if want := (createdAnswer{ID: "id", Status: "status", CheckoutURL: "checkout_url", Pending: Pending{JobID: "job_id"}}); created != want {
		t.Errorf("InstanceCreated: got %+v, want %+v", created, want)
	}
	if want := (JobFault{Code: "code", Detail: "detail"}); fault != want {
		t.Errorf("JobError: got %+v, want %+v", fault, want)
	}
	if want := (AppFailure{Log: Log{raw: "log"}}); failure != want { // neither a number nor a boolean
		t.Errorf("AppFailure: got %+v, want %+v", failure, want)
	}
	for schema, property := range map[string]string{
		"Instances": "instances", "Webhooks": "webhooks", "Apps": "apps", "Builds": "builds", "Backups": "backups", "Databases": "databases",
		"Extensions": "extensions", "Locations": "locations", "Allowlist": "allowlist", "ErrorNotFound": "code",
	} {
		if doc.Components.Schemas[schema].Value.Properties[property] == nil {
			t.Errorf("the properties of %s: got no %q, want one", schema, property)
		}
	}
	c, _ := newTestClient(t, script{
		"GET /billing":               says(200, object{"subscriptions": []object{{"plan": "p"}}, "charges": []object{{"id": "c"}}}),
		"GET /instances/i/allowlist": says(200, object{"allowlist": []string{"::1"}}),
	}.Serve)
	billing, err := c.Billing(t.Context())
	if err != nil || len(billing.Subscriptions) != 1 || len(billing.Charges) != 1 {
		t.Errorf("Billing: got %+v and error %v, want one subscription and one charge", billing, err)
	}
	list, err := c.Allowlist(t.Context(), "i")
	if err != nil || !list.Set || len(list.Value) != 1 {
		t.Errorf("Allowlist: got %+v and error %v, want one range", list, err)
	}
}
