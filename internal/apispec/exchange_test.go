package apispec

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// exchange is a valid request and its answer.
type exchange struct {
	operation string // method and path of the document
	target    string // path and query of the request, under /api/v1
	request   string
	status    int
	answer    string
}

const (
	goodInstance = `{"id":"i-1","name":"guestbook","plan":"small","region":"fsn","status":"running","host":"i-1.example.test",` +
		`"engines":{"postgres":{"memory_mb":1024,"port":5432,"status":"running"},"apps":{"memory_mb":512},` +
		`"auth":{"memory_mb":256,"site_url":"","redirect_urls":[]}},` +
		`"tags":["demo"],"allowlist":["203.0.113.0/24"],"console_mode":"off","job_id":null,"created_at":"2026-01-02T03:04:05Z",` +
		`"usage":{"cpu_percent":1.5,"memory_mb":700,"disk_gb":0.4},"monitoring":{"healthy":true,"checked_at":"2026-01-02T03:04:05Z"},` +
		`"backups":{"count":0,"last_at":null},"activity":[{"at":"2026-01-02T03:04:05Z","type":"created","detail":""}]}`
	goodCreating = `{"id":"i-2","name":"new","plan":"paid","region":"fsn","status":"creating","host":null,"engines":{},"tags":[],"allowlist":[],` +
		`"console_mode":"off","job_id":"j-9","checkout_url":"https://portal.example.test/checkout/1","created_at":"2026-01-02T03:04:05.123Z",` +
		`"usage":{"cpu_percent":0,"memory_mb":0,"disk_gb":0},"monitoring":{"healthy":false,"checked_at":null},` +
		`"backups":{"count":0,"last_at":null},"activity":[]}`
	goodEngines = `{"postgres":{"floor_mb":512,"port":5432,"category":"database","licence":"PostgreSQL"},` +
		`"redis":{"floor_mb":64,"port":6379,"category":"cache","licence":"RSALv2"},"couchdb":{"floor_mb":256,"port":6984,"category":"database","licence":"Apache-2.0"},` +
		`"nats":{"floor_mb":64,"port":4222,"category":"messaging","licence":"Apache-2.0"},"apps":{"floor_mb":512,"port":null,"category":"runtime","licence":"MIT"},` +
		`"auth":{"floor_mb":256,"port":null,"category":"auth","licence":"MIT"}}`
	goodJob     = `{"id":"j-1","instance_id":"i-1","operation":"app_import","target":"apps/web","status":"done","progress":100,"error":null,"created_at":"2026-01-02T03:04:05Z","finished_at":"2026-01-02T03:05:05Z"}`
	goodFailed  = `{"id":"j-1","instance_id":"i-1","operation":"create","target":null,"status":"failed","progress":40,"error":{"code":"no_capacity","detail":"No machine is free."},"created_at":"2026-01-02T03:04:05Z","finished_at":"2026-01-02T03:05:05Z"}`
	queued      = `{"job_id":"j-1"}`
	busy        = `{"detail":"A job is running.","code":"job_running"}`
	notRunning  = `{"detail":"The instance has failed.","code":"not_running"}`
	goodAccount = `{"id":"a-1","email":"a@example.test","name":"A","company":null,"address":null,"vat_id":null}`
)

var (
	goodApp     = `{` + usual("App") + `,"name":"web","repo":"owner/repo","links":["auth"],"url":null,"status":"building","created_at":"2026-01-02T03:04:05Z"}`
	goodWebhook = usual("Webhook") + `,"id":"w-1","consecutive_failures":0,"created_at":"2026-01-02T03:04:05Z"`
)

// usual returns the members of an object for which the document has examples, with the
// first of each.
func usual(schema string) string {
	doc, err := parsed()
	if err != nil {
		panic(err)
	}
	members := object{}
	for name, property := range doc.Components.Schemas[schema].Value.Properties {
		if len(property.Value.Examples) > 0 {
			members[name] = property.Value.Examples[0]
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return string(text[1 : len(text)-1])
}

// goodExchanges has at least one exchange for every operation.
var goodExchanges = []exchange{
	{"GET /instances", "/instances?limit=200&cursor=c", "", 200, `{"instances":[` + goodInstance + `,` + goodCreating + `],"next_cursor":"n"}`},
	{"GET /instances", "/instances", "", 304, ""},
	{"POST /instances", "/instances", `{` + usual("InstanceCreate") + `,"engines":{"postgres":true,"apps":true,"auth":true}}`, 202,
		`{"id":"i-1","status":"creating","job_id":"j-1"}`},
	{"POST /instances", "/instances", `{"name":"a","tier":"paid","region":"fsn"}`, 202,
		`{"id":"i-1","status":"creating","checkout_url":"https://portal.example.test/checkout/1","job_id":"j-1"}`},
	{"POST /instances", "/instances", `{"name":"a","plan":"nope","region":"fsn"}`, 422, `{"detail":"plan: unknown","code":"validation_failed"}`},
	{"GET /instances/{id}", "/instances/i-1", "", 200, goodInstance},
	{"GET /instances/{id}", "/instances/i-1", "", 404, `{"detail":"There is no such instance.","code":"not_found"}`},
	{"PATCH /instances/{id}", "/instances/i-1", `{"name":"b","tags":[]}`, 202, queued},
	{"PATCH /instances/{id}", "/instances/i-1", `{"name":"b"}`, 409, busy},
	{"PATCH /instances/{id}", "/instances/i-1", `{"name":"b"}`, 409, notRunning},
	{"DELETE /instances/{id}", "/instances/i-1?confirm=i-1", "", 202, queued},
	{"DELETE /instances/{id}", "/instances/i-1?confirm=i-2", "", 400, `{"detail":"confirm is not the id","code":"confirm_mismatch"}`},
	{"PUT /instances/{id}/engines", "/instances/i-1/engines", `{"engines":{"postgres":{"memory_mb":1024},"redis":{}}}`, 202, queued},
	{"POST /instances/{id}/engines/{engine}/actions/restart", "/instances/i-1/engines/redis/actions/restart", `{}`, 202, queued},
	{"GET /instances/{id}/allowlist", "/instances/i-1/allowlist", "", 200, `{"allowlist":["203.0.113.1"]}`},
	{"PUT /instances/{id}/allowlist", "/instances/i-1/allowlist", `{"allowlist":[]}`, 202, queued},
	{"GET /instances/{id}/sql-console", "/instances/i-1/sql-console", "", 200, `{"mode":"off"}`},
	{"PUT /instances/{id}/sql-console", "/instances/i-1/sql-console", `{"mode":"rw"}`, 202, queued},
	{"GET /instances/{id}/engines/postgres/console", "/instances/i-1/engines/postgres/console", "", 200, `{"mode":"ro"}`},
	{"PUT /instances/{id}/engines/postgres/console", "/instances/i-1/engines/postgres/console", `{"mode":"ro"}`, 202, queued},
	{"GET /instances/{id}/connection", "/instances/i-1/connection", "", 200, `{"host":"h","ca_certificate":"PEM","engines":{` +
		`"postgres":{"owner_url":"postgresql://o:p@h:5432/d?sslmode=verify-full","readonly_url":"postgresql://r:p@h:5432/d?sslmode=verify-full","database":"d","direct_port":5432,"pooled_port":6432},` +
		`"redis":{"url":"rediss://h"},"auth":{"url":"https://h/auth/v1","anon_key":"k","service_key":"s"}}}`},
	{"GET /instances/{id}/backups", "/instances/i-1/backups", "", 200, `{"backups":[{"id":"b-1","kind":"daily","created_at":"2026-01-02T03:04:05Z","size_bytes":1}]}`},
	{"POST /instances/{id}/actions/rotate", "/instances/i-1/actions/rotate", `{}`, 202, queued},
	{"POST /instances/{id}/actions/resize", "/instances/i-1/actions/resize", `{"plan":"big"}`, 202, queued},
	{"POST /instances/{id}/actions/reset", "/instances/i-1/actions/reset", `{"confirm":"i-1","engine":"redis"}`, 202, queued},
	{"POST /instances/{id}/actions/restore", "/instances/i-1/actions/restore", `{"confirm":"i-1","backup_id":"b-1"}`, 202, queued},
	{"POST /instances/{id}/engines/postgres/query", "/instances/i-1/engines/postgres/query", `{"sql":"SELECT 1","database":"d"}`, 200,
		`{"columns":["a","b","c"],"rows":[[1,null,"x"],[1.5,true,{"k":[1]}]],"row_count":2,"command":"SELECT"}`},
	{"POST /instances/{id}/engines/postgres/query", "/instances/i-1/engines/postgres/query", `{"sql":"SELECT 1"}`, 403, `{"detail":"The console is off.","code":"console_off"}`},
	{"POST /instances/{id}/engines/postgres/query", "/instances/i-1/engines/postgres/query", `{"sql":"SELEC"}`, 422, `{"detail":"syntax error (42601)","code":"sql_error"}`},
	{"GET /instances/{id}/postgres/databases", "/instances/i-1/postgres/databases", "", 200, `{"databases":[{"name":"d","created_at":"2026-01-02T03:04:05Z"}]}`},
	{"POST /instances/{id}/postgres/databases", "/instances/i-1/postgres/databases", `{"name":"d"}`, 202, queued},
	{"POST /instances/{id}/postgres/databases", "/instances/i-1/postgres/databases", `{"name":"d"}`, 409, `{"detail":"d is taken","code":"already_exists"}`},
	{"DELETE /instances/{id}/postgres/databases/{name}", "/instances/i-1/postgres/databases/my%20db", "", 202, queued},
	{"GET /instances/{id}/postgres/extensions", "/instances/i-1/postgres/extensions?database=d", "", 200, `{"extensions":[{"name":"pg_trgm","database":"d","version":"1.6"}]}`},
	{"PUT /instances/{id}/postgres/extensions/{name}", "/instances/i-1/postgres/extensions/pg_trgm", `{"database":"d"}`, 202, queued},
	{"DELETE /instances/{id}/postgres/extensions/{name}", "/instances/i-1/postgres/extensions/pg_trgm?database=d", "", 202, queued},
	{"GET /instances/{id}/apps", "/instances/i-1/apps", "", 200, `{"apps":[` + goodApp + `]}`},
	{"POST /instances/{id}/apps/import", "/instances/i-1/apps/import", `{` + usual("AppImport") + `}`, 202, `{"job_id":"j-1","build_id":"b-1"}`},
	{"GET /instances/{id}/apps/{name}", "/instances/i-1/apps/web", "", 200, goodApp},
	{"PATCH /instances/{id}/apps/{name}", "/instances/i-1/apps/web", `{"links":["auth"]}`, 202, `{"job_id":"j-1","build_id":null}`},
	{"PATCH /instances/{id}/apps/{name}", "/instances/i-1/apps/web", `{` + usual("AppUpdate") + `}`, 202, `{"job_id":"j-1","build_id":"b-2"}`},
	{"DELETE /instances/{id}/apps/{name}", "/instances/i-1/apps/web", "", 202, queued},
	{"GET /instances/{id}/apps/{name}/builds", "/instances/i-1/apps/web/builds", "", 200,
		`{"builds":[{"id":"b-1","status":"successful","commit":"abc","created_at":"2026-01-02T03:04:05Z","finished_at":"2026-01-02T03:04:05Z","error":null}]}`},
	{"POST /instances/{id}/apps/{name}/actions/redeploy", "/instances/i-1/apps/web/actions/redeploy", `{}`, 202, `{"job_id":"j-1","build_id":"b-2"}`},
	{"POST /instances/{id}/apps/{name}/actions/restart", "/instances/i-1/apps/web/actions/restart", ``, 202, queued},
	{"GET /instances/{id}/engines/auth/settings", "/instances/i-1/engines/auth/settings", "", 200, `{"site_url":"","redirect_urls":[]}`},
	{"PATCH /instances/{id}/engines/auth/settings", "/instances/i-1/engines/auth/settings", `{` + usual("AuthSettingsUpdate") + `}`, 202, queued},
	{"GET /jobs/{id}", "/jobs/j-1", "", 200, goodJob},
	{"GET /jobs/{id}", "/jobs/j-1", "", 200, goodFailed},
	{"GET /plans", "/plans", "", 200, `{"plans":[{"id":"free","name":"Free","price_cents":0,"currency":"EUR","cpu":1,"memory_mb":2048,"disk_gb":10,"postgres_connections":20}],"engines":` + goodEngines + `}`},
	{"GET /locations", "/locations", "", 200, `{"locations":[{"id":"fsn","name":"Falkenstein","country":"DE"}]}`},
	{"GET /me", "/me", "", 200, goodAccount},
	{"GET /me", "/me", "", 401, `{"detail":"The key is not valid.","code":"unauthorized"}`},
	{"PATCH /me", "/me", `{"company":"C"}`, 200, goodAccount},
	{"GET /billing", "/billing", "", 200, `{"subscriptions":[{"instance_id":"i-1","plan":"small","status":"active","price_cents":900,"currency":"EUR","renews_at":"2026-02-02T03:04:05Z"}],` +
		`"charges":[{"id":"c-1","instance_id":"i-1","amount_cents":900,"currency":"EUR","at":"2026-01-02T03:04:05Z","description":"January"}]}`},
	{"GET /billing", "/billing", "", 503, `{"detail":"Try later.","code":"unavailable"}`},
	{"GET /guides/apps", "/guides/apps", "", 200, "# Apps\n"},
	{"GET /webhooks", "/webhooks", "", 200, `{"webhooks":[{` + goodWebhook + `}]}`},
	{"POST /webhooks", "/webhooks", `{` + usual("WebhookCreate") + `}`, 201, `{` + goodWebhook + `,"secret":"s"}`},
	{"GET /webhooks/{id}", "/webhooks/w-1", "", 200, `{` + goodWebhook + `}`},
	{"PATCH /webhooks/{id}", "/webhooks/w-1", `{"enabled":true}`, 200, `{` + goodWebhook + `}`},
	{"DELETE /webhooks/{id}", "/webhooks/w-1", "", 204, ""},
}

// newRequest returns a request with a key. If it has a body, it also has a content type.
func newRequest(method, target, body string) *http.Request {
	request := httptest.NewRequest(method, "http://127.0.0.1:8080/api/v1"+target, nil)
	request.Header.Set("Authorization", "Bearer some-key")
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	return request
}

// answerHeader returns the header of an answer to the operation.
func answerHeader(operation string, status int) http.Header {
	contentType := "application/json"
	if operation == "GET /guides/apps" && status == http.StatusOK {
		contentType = "text/markdown; charset=utf-8"
	}
	return http.Header{"Content-Type": {contentType}}
}

func TestGoodExchangesPass(t *testing.T) {
	t.Parallel()
	validator := newValidator(t)
	seen := map[string]bool{}
	for _, good := range goodExchanges {
		seen[good.operation] = true
		method, _, _ := strings.Cut(good.operation, " ")
		request := newRequest(method, good.target, good.request)
		if err := validator.Request(request, []byte(good.request)); err != nil {
			t.Errorf("a request of goodExchanges in internal/apispec/exchange_test.go: got %v, want no violation", err)
		}
		if err := validator.Response(request, good.status, answerHeader(good.operation, good.status), []byte(good.answer)); err != nil {
			t.Errorf("an answer of goodExchanges in internal/apispec/exchange_test.go: got %v, want no violation", err)
		}
	}
	documented, err := Operations()
	if err != nil {
		t.Fatal(err)
	}
	for _, operation := range documented {
		if !seen[operation.String()] {
			t.Errorf("the rows of %s in goodExchanges in internal/apispec/exchange_test.go: got none, want one", operation)
		}
	}
}

func TestBadRequestsFail(t *testing.T) {
	t.Parallel()
	validator := newValidator(t)
	for name, bad := range map[string]struct {
		method, target, body string
		contentType          string // application/json if empty
		authorization        string // a key if empty
		want                 string // in the violation's text
	}{
		"unknown field":           {method: "POST", target: "/instances", body: `{"name":"a","plan":"p","region":"r","colour":"x"}`, want: `"colour"`},
		"field of another shape":  {method: "POST", target: "/instances/i/apps/import", body: `{` + usual("AppImport") + `,"links":["auth"]}`, want: `"links"`},
		"unknown nested field":    {method: "PUT", target: "/instances/i/engines", body: `{"engines":{"mysql":{}}}`, want: `"mysql"`},
		"unknown field, no shape": {method: "POST", target: "/instances/i/actions/rotate", body: `{"force":true}`, want: `"force"`},
		"missing field":           {method: "PUT", target: "/instances/i/allowlist", body: `{}`, want: `"allowlist"`},
		"neither plan nor tier":   {method: "POST", target: "/instances", body: `{"name":"a","region":"r"}`, want: "anyOf"},
		"wrong type":              {method: "POST", target: "/instances", body: `{"name":1,"plan":"p","region":"r"}`, want: "/name"},
		"wrong type in an array":  {method: "PUT", target: "/instances/i/allowlist", body: `{"allowlist":["a",2]}`, want: "/allowlist/1"},
		"wrong type in a map":     {method: "PATCH", target: "/instances/i/apps/a", body: `{"env":{"K":1}}`, want: "/env/K"},
		"null":                    {method: "PATCH", target: "/instances/i/apps/a", body: `{"memory_mb":null}`, want: "/memory_mb"},
		"outside a closed set":    {method: "PUT", target: "/instances/i/sql-console", body: `{"mode":"write"}`, want: "/mode"},
		"malformed body":          {method: "PATCH", target: "/me", body: `{`, want: "decode"},
		"member twice":            {method: "POST", target: "/instances", body: `{"name":"a","name":"b","plan":"p","region":"r"}`, want: "at /name"},
		"member of a member twice": {
			method: "PUT", target: "/instances/i/engines", body: `{"engines":{"redis":{},"redis":{}}}`, want: "at /engines/redis",
		},
		"text after the value":    {method: "POST", target: "/instances/i/actions/rotate", body: `{} {}`, want: "after its value"},
		"brace after the value":   {method: "POST", target: "/instances/i/actions/rotate", body: `{}}`, want: "invalid character"},
		"text that is not UTF-8":  {method: "PATCH", target: "/me", body: "{\"name\":\"\xff\"}", want: "UTF-8"},
		"no body":                 {method: "POST", target: "/webhooks", want: "body"},
		"unasked body":            {method: "DELETE", target: "/webhooks/w", body: `{}`, want: "takes no body"},
		"wrong content type":      {method: "PATCH", target: "/me", body: `{}`, contentType: "text/plain", want: "Content-Type"},
		"undocumented path":       {method: "GET", target: "/instances/i/volumes", want: "no matching operation"},
		"undocumented method":     {method: "PUT", target: "/instances", want: "method not allowed"},
		"undocumented parameter":  {method: "GET", target: "/instances?limi=3", want: `"limi"`},
		"missing parameter":       {method: "DELETE", target: "/instances/i", want: `"confirm"`},
		"parameter of wrong type": {method: "GET", target: "/instances?limit=many", want: `"limit"`},
		"no key":                  {method: "GET", target: "/me", authorization: "Basic x", want: "bearer token"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := newRequest(bad.method, bad.target, bad.body)
			request.Header.Set("Content-Type", cmp.Or(bad.contentType, "application/json"))
			if bad.authorization != "" {
				request.Header.Set("Authorization", bad.authorization)
			}
			checkViolation(t, validator.Request(request, []byte(bad.body)), bad.want)
		})
	}
}

func TestBadAnswersFail(t *testing.T) {
	t.Parallel()
	validator := newValidator(t)
	replaced := func(old, replacement string) string {
		changed := strings.Replace(goodInstance, old, replacement, 1)
		if changed == goodInstance {
			t.Fatalf("the good instance: got it without %s, want that in it", old)
		}
		return changed
	}
	for name, bad := range map[string]struct {
		method, target string // GET /instances/i-1 if empty
		status         int    // 200 if 0
		contentType    string // application/json if empty, omitted if "-"
		body           string
		want           string
	}{
		"missing field":         {body: replaced(`"name":"guestbook",`, ``), want: `"name"`},
		"unknown field":         {body: replaced(`{`, `{"colour":"red",`), want: `"colour"`},
		"unknown shared field":  {target: "/instances/i/apps/web", body: strings.Replace(goodApp, `{`, `{"colour":"red",`, 1), want: `"colour"`},
		"unknown nested field":  {body: replaced(`"memory_mb":1024`, `"memory_mb":1024,"cores":1`), want: `"cores"`},
		"wrong type":            {body: replaced(`"memory_mb":1024`, `"memory_mb":"1024"`), want: "/engines/postgres/memory_mb"},
		"wrong nullable type":   {body: replaced(`"job_id":null`, `"job_id":7`), want: "/job_id"},
		"null":                  {body: replaced(`"tags":["demo"]`, `"tags":null`), want: "/tags"},
		"fraction":              {body: replaced(`"memory_mb":1024`, `"memory_mb":10.5`), want: "/engines/postgres/memory_mb"},
		"outside a closed set":  {body: replaced(`"status":"running","host"`, `"status":"ready","host"`), want: "/status"},
		"malformed time":        {body: replaced(`"created_at":"2026-01-02T03:04:05Z"`, `"created_at":"yesterday"`), want: "/created_at"},
		"relative URL":          {target: "/instances/i/apps/web", body: strings.Replace(goodApp, `"url":null`, `"url":"/web"`, 1), want: "/url"},
		"malformed body":        {body: `{"id":`, want: "decode"},
		"HTML":                  {contentType: "text/html", body: `<html>`, want: "Content-Type"},
		"no content type":       {contentType: "-", body: goodInstance, want: "Content-Type"},
		"undocumented status":   {status: 418, body: `{"detail":"","code":"teapot"}`, want: "418"},
		"undocumented redirect": {status: 308, want: "308"},
		"unknown code":          {status: 404, body: `{"detail":"","code":"gone"}`, want: "/code"},
		"no Retry-After":        {status: 429, body: `{"detail":"","code":"rate_limited"}`, want: "Retry-After"},
		"undocumented path":     {target: "/nowhere", body: `{}`, want: "no matching operation"},
		"undocumented method":   {method: "POST", body: `{}`, want: "method not allowed"},
		"secret in a list":      {target: "/webhooks", body: `{"webhooks":[{` + goodWebhook + `,"secret":"s"}]}`, want: `"secret"`},
		"body with 204":         {method: "DELETE", target: "/webhooks/w", status: 204, body: `{}`, want: "no body"},
		"progress over 100":     {target: "/jobs/j", body: strings.Replace(goodJob, "100", "101", 1), want: "/progress"},
		"job's error halved":    {target: "/jobs/j", body: strings.Replace(goodFailed, `,"detail":"No machine is free."`, "", 1), want: `"detail"`},
		"not an auth URL":       {target: "/instances/i/connection", body: `{"host":"h","ca_certificate":"c","engines":{"auth":{"url":"https://h/","anon_key":"a","service_key":"s"}}}`, want: "/engines/auth/url"},
		"build without build":   {method: "POST", target: "/instances/i/apps/import", status: 202, body: queued, want: `"build_id"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := newRequest(cmp.Or(bad.method, "GET"), cmp.Or(bad.target, "/instances/i-1"), "")
			header := http.Header{}
			if bad.contentType != "-" {
				header.Set("Content-Type", cmp.Or(bad.contentType, "application/json"))
			}
			checkViolation(t, validator.Response(request, cmp.Or(bad.status, 200), header, []byte(bad.body)), bad.want)
		})
	}
}

func newValidator(t *testing.T) *Validator {
	t.Helper()
	validator, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return validator
}
