package provider

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"pgregory.net/rapid"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
)

// drawnRecords contains the answers of the service, by path.
type drawnRecords map[string]any

// A drawnService answers from records, and notes the requests. A path without a record is
// not found.
type drawnService struct {
	records drawnRecords

	mu    sync.Mutex
	asked []string
}

func (s *drawnService) RoundTrip(r *http.Request) (*http.Response, error) {
	path := strings.TrimPrefix(r.URL.Path, "/api/v1")
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+path)
	s.mu.Unlock()
	status, body := http.StatusOK, s.records[path]
	if body == nil {
		status, body = http.StatusNotFound, object{"code": "not_found", "detail": "there is no such thing"}
	}
	encoded, err := json.Marshal(body)
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(string(encoded))), ContentLength: int64(len(encoded)),
	}, err
}

// requests returns the requests in sorted order, because concurrent requests arrive in
// any order.
func (s *drawnService) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(s.asked))
}

// drawRecord returns the record of an object with a state. A field "tags_all=tags" is the
// attribute tags_all under the name tags. In some cases one field is changed.
func drawRecord(t *rapid.T, state object, fields ...string) object {
	record := object{}
	for _, field := range fields {
		attribute, name, renamed := strings.Cut(field, "=")
		if !renamed {
			name = attribute
		}
		record[name] = state[attribute]
	}
	if chance(t, 20, "the record changed") {
		field := rapid.SampledFrom(slices.Sorted(maps.Keys(record))).Draw(t, "changed field")
		switch usual := valuesOf(field); {
		case len(usual) == 0 || chance(t, 30, "untold"):
			delete(record, field)
		default:
			record[field] = rapid.SampledFrom(usual).Draw(t, "changed")
		}
	}
	return record
}

// text returns a string of a state, or "" for null.
func text(state object, name string) string {
	s, _ := state[name].(string)
	return s
}

// tell adds the service's answers about an object of a type to the records.
func (records drawnRecords) tell(t *rapid.T, kind string, state object) {
	instance := "/instances/" + text(state, "instance_id")
	switch kind {
	case "hosting_instance":
		record := drawRecord(t, state, append(slices.DeleteFunc(apispec.Properties("InstanceUpdate"), func(name string) bool { return name == "tags" }),
			"id", "plan", "region", "status", "host", "engines", "tags_all=tags", "checkout_url", "created_at")...)
		record["id"] = state["id"]
		records["/instances/"+text(state, "id")] = record
		records["/instances/"+text(state, "id")+"/connection"] = object{
			"host": "127.0.0.2", "ca_certificate": plausible["ca_certificate"][0],
			"engines": object{"auth": object{"url": plausible["auth_url"][0], "anon_key": "anon"}},
		}
	case "hosting_allowlist":
		records[instance] = withID(drawRecord(t, state, "cidrs=allowlist"), state)
		records[instance+"/allowlist"] = drawRecord(t, state, "cidrs=allowlist")
	case "hosting_console_mode":
		records[instance] = withID(drawRecord(t, state, "mode=console_mode"), state)
		records[instance+"/sql-console"] = drawRecord(t, state, "mode")
	case "hosting_auth_settings":
		settings := drawRecord(t, state, "site_url", "redirect_urls")
		records[instance] = object{"id": state["instance_id"], "engines": object{"auth": settings}}
		records[instance+"/engines/auth/settings"] = drawRecord(t, state, "site_url", "redirect_urls")
	case "hosting_app":
		app := drawRecord(t, state, append(apispec.Properties("AppUpdate"), "name", "repo", "url", "status", "created_at")...)
		app["name"] = state["name"]
		build := object{"id": state["build_id"], "commit": state["commit"], "status": "successful"}
		if chance(t, 10, "another build") {
			build["id"], build["status"] = "b-2", rapid.SampledFrom([]string{"successful", "failed", "running"}).Draw(t, "build status")
		}
		records[instance] = object{"id": state["instance_id"]}
		records[instance+"/apps"] = object{"apps": []any{app}}
		records[instance+"/apps/"+text(state, "name")+"/builds"] = object{"builds": []any{build}}
	case "hosting_postgres_database":
		records[instance] = object{"id": state["instance_id"]}
		records[instance+"/postgres/databases"] = object{"databases": []any{drawRecord(t, state, "name", "created_at")}}
	case "hosting_postgres_extension":
		records[instance] = object{"id": state["instance_id"]}
		records[instance+"/postgres/extensions"] = object{"extensions": []any{drawRecord(t, state, "name", "database", "version")}}
	case "hosting_postgres_script":
		records[instance] = withID(drawRecord(t, object{"engines": plausible["engines"][0]}, "engines"), state)
	case "hosting_account_profile":
		records["/me"] = drawRecord(t, state, append(apispec.Properties("ProfileUpdate"), "id")...)
	case "hosting_webhook_endpoint":
		record := drawRecord(t, state, "id", "url", "enabled", "created_at")
		record["id"] = state["id"]
		records["/webhooks/"+text(state, "id")] = record
		records["/webhooks"] = object{"webhooks": []any{record}}
	}
	if kind != "hosting_account_profile" {
		records["/me"] = object{"id": "acc-1"}
	}
	records["/jobs/j-1"] = object{"id": "j-1", "operation": "create", "status": "running"}
	records["/plans"] = object{"plans": []any{object{"id": "free", "memory_mb": 4096}}, "engines": object{"postgres": object{"floor_mb": 256}}}
	records["/locations"] = object{"locations": []any{object{"id": "eu-central"}}}
	if chance(t, 2, "it is gone") {
		delete(records, rapid.SampledFrom(slices.Sorted(maps.Keys(records))).Draw(t, "gone"))
	}
}

func withID(record, state object) object {
	record["id"] = state["instance_id"]
	return record
}
