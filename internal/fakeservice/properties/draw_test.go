package properties

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"pgregory.net/rapid"
)

// pauses has the times that an account waits before a request. Most jobs end within a
// minute, and a creation within ten.
var pauses = []time.Duration{10 * time.Minute, 0, 0, time.Minute, 6 * time.Second, 10 * time.Minute, 26 * time.Hour}

// drawRequest draws a request of an account for an operation.
func drawRequest(t *rapid.T, w *world, of *account, o *operation) *request {
	r := &request{
		operation: o, pause: pick(t, "pause", pauses),
		key: "key-of-" + of.mark, scheme: "Bearer", query: url.Values{}, header: map[string]string{},
	}
	// The clock moves first, because the request depends on the state after that.
	of.advance(r.pause)
	w.checkEffects(t, of)
	v := &values{t: t, of: of, operation: o}
	r.path = v.pathOf(w)
	v.path = r.path
	v.addQuery(r)
	if o.body != nil && (o.bodyRequired || rapid.Bool().Draw(t, "with a body")) {
		r.value = v.object("", o.body)
		r.setBody(r.value)
	}
	switch {
	case v.oneIn(12):
		v.takeKey(w, r)
	case v.oneIn(4):
		v.spoil(r)
	case len(o.tools) > 0 && o.mutates() && v.oneIn(4):
		r.tool = canCall(r)
	case o.Method == "POST" && v.oneIn(8):
		r.header["Idempotency-Key"] = pick(t, "Idempotency-Key", []string{"one", "two"})
	}
	return r
}

// setBody gives the request a body of JSON.
func (r *request) setBody(value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	r.body, r.contentType = text, "application/json"
}

// pathOf draws the values of the path, mostly those of existing objects.
func (v *values) pathOf(w *world) map[string]string {
	path := map[string]string{}
	for _, name := range parameters(v.operation.Path) {
		path[name] = v.element(w, name, path["id"])
	}
	return path
}

func (v *values) element(w *world, name, instance string) string {
	other := w.other(v.of)
	var there, gone, foreign []string
	switch {
	case name == "engine":
		there = v.plausible("engine")
	case name == "name" && strings.Contains(v.operation.Path, "/apps/"):
		there, gone, foreign = v.of.appsOf(instance), v.names(), v.of.ofAll(v.of.appsOf)
	case name == "name" && strings.Contains(v.operation.Path, "/databases/"):
		there, gone, foreign = v.of.databasesOf(instance), v.names(), v.of.ofAll(v.of.databasesOf)
	case name == "name":
		there = []string{"pgcrypto", "pgvector", "pg_trgm"}
		for _, e := range v.of.service.Extensions(instance) {
			there = slices.Concat(there, []string{e.Name, e.Name})
		}
	case strings.HasPrefix(v.operation.Path, "/jobs"):
		there, foreign = v.of.jobs, other.jobs
	case strings.HasPrefix(v.operation.Path, "/webhooks"):
		there, foreign = v.of.liveWebhooks(), other.webhooks
		gone = without(v.of.webhooks, there)
	default:
		there, foreign = v.of.liveInstances(), other.instances
		gone = without(v.of.instances, there)
	}
	choices := slices.Repeat([][]string{there}, 12)
	choices = append(choices, gone, gone, foreign, foreign, []string{"i-nothing", "job-1"}, v.of.jobs, v.of.instances)
	list := pick(v.t, "whose "+name, choices)
	if len(list) == 0 {
		list = []string{"nothing"}
	}
	if v.oneIn(25) {
		return pathText(v.odd())
	}
	return pick(v.t, "which "+name, list)
}

// pathText makes a text usable as an element of a path. "", "." and import would result
// in a different path.
func pathText(text string) string {
	if text == "" || text == "." || text == "import" || len(text) > 1000 {
		return "none"
	}
	return text
}

func without(all, some []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(one string) bool { return slices.Contains(some, one) })
}

// addQuery draws the parameters of the query.
func (v *values) addQuery(r *request) {
	for _, p := range r.operation.query {
		if p.Required || v.oneIn(3) {
			r.query.Set(p.Name, queryText(v.draw(p.Name, p.Schema.Value)))
		}
	}
}

func queryText(value any) string {
	switch value := value.(type) {
	case int:
		return strconv.Itoa(value)
	case json.Number:
		return value.String()
	case string:
		return value
	}
	return ""
}

// takeKey makes a request invalid by its key.
func (v *values) takeKey(w *world, r *request) {
	r.stranger = true
	r.kind = pick(v.t, "key", []string{"no key", "another account's key", "a revoked key", "an unknown key", "another scheme"})
	switch r.kind {
	case "no key":
		r.scheme, r.key = "", ""
	case "another account's key":
		r.key = "key-of-" + w.other(v.of).mark
	case "a revoked key":
		r.key = v.of.revoked
	case "an unknown key":
		r.key = "unknown"
	case "another scheme":
		r.scheme = "Basic"
	}
}

// spoil makes a valid request invalid.
func (v *values) spoil(r *request) {
	ways := []func(*request) string{v.addParameter}
	if s := r.operation.body; s != nil {
		ways = append(ways, v.breakSyntax, v.changeType, v.repeatMember)
		ways = append(ways, slices.Repeat([]func(*request) string{v.breakMember}, 4)...)
		if len(s.Required) > 0 {
			ways = append(ways, v.dropMember)
		}
	} else {
		ways = append(ways, v.addBody)
	}
	if len(r.operation.query) > 0 {
		ways = append(ways, v.breakParameter)
	}
	if kind := pick(v.t, "what is wrong", ways)(r); kind != "" {
		r.kind, r.invalid = kind, true
	}
}

func (v *values) addParameter(r *request) string {
	r.query.Set("colour", "red")
	return "an unknown parameter"
}

func (v *values) addBody(r *request) string {
	r.setBody(map[string]any{"name": "x"})
	return "a body for an operation without one"
}

// breakParameter gives a parameter of the query a wrong type, or removes a required one.
func (v *values) breakParameter(r *request) string {
	for _, p := range r.operation.query {
		if p.Required {
			r.query.Del(p.Name)
			return "no " + p.Name
		}
		if typeOf(p.Schema.Value) == openapi3.TypeInteger {
			r.query.Set(p.Name, pick(v.t, p.Name, []string{"many", "1.5", "0x10", "1 2", "--1"}))
			return p.Name + " of another type"
		}
	}
	return ""
}

// breakSyntax replaces the body by a text that is not JSON or not an object.
func (v *values) breakSyntax(r *request) string {
	r.setBody(v.object("", r.operation.body))
	bodies := []string{string(r.body[:len(r.body)-1]), string(r.body) + "}", string(r.body) + " {}", "[]", "[" + string(r.body) + "]", `"text"`, "null", "0", "{,}", "{'a': 1}", "\xff\xfe{}", "NaN"}
	if r.operation.bodyRequired {
		bodies = append(bodies, "", " ")
	}
	r.value, r.body = nil, []byte(pick(v.t, "body", bodies))
	return "no JSON object"
}

// changeType gives the body a wrong content type.
func (v *values) changeType(r *request) string {
	if r.body == nil {
		r.setBody(v.object("", r.operation.body))
	}
	r.contentType = pick(v.t, "content type", []string{"", "text/plain", "application/x-www-form-urlencoded", "application/xml"})
	return "another content type"
}

// repeatMember repeats a member of the body, so that it is undefined which one counts.
func (v *values) repeatMember(r *request) string {
	r.value = v.object("", r.operation.body)
	r.setBody(r.value)
	if len(r.value) == 0 {
		return ""
	}
	name := pick(v.t, "member", propertyNames(r.operation.body))
	first, err := json.Marshal(map[string]any{name: v.draw(name, r.operation.body.Properties[name].Value)})
	if err != nil {
		panic(err)
	}
	if _, there := r.value[name]; !there {
		return ""
	}
	r.value, r.body = nil, slices.Concat(first[:len(first)-1], []byte(","), r.body[1:])
	return "a member twice"
}

func (v *values) dropMember(r *request) string {
	r.value = v.object("", r.operation.body)
	name := pick(v.t, "member", r.operation.body.Required)
	delete(r.value, name)
	r.setBody(r.value)
	r.misshapen = true
	return "without " + name
}

// breakMember makes one member of the body invalid, at any depth.
func (v *values) breakMember(r *request) string {
	r.value = v.object("", r.operation.body)
	kind := v.breakOne(r.value, r.operation.body)
	r.setBody(r.value)
	r.misshapen = true
	return kind
}

// breakOne makes a member of an object invalid and returns the kind of the error.
func (v *values) breakOne(object map[string]any, s *openapi3.Schema) string {
	names := propertyNames(s)
	if len(names) == 0 || v.oneIn(5) {
		object["colour"] = "red"
		return "an unknown member"
	}
	name := pick(v.t, "member", names)
	of := s.Properties[name].Value
	if inside, ok := object[name].(map[string]any); ok && v.oneIn(2) {
		if more := of.AdditionalProperties.Schema; more != nil {
			inside["KEY"] = v.misfit(more.Value)
			return "in " + name + " a value that does not fit"
		}
		return v.breakOne(inside, of)
	}
	if list, ok := object[name].([]any); ok && v.oneIn(2) {
		object[name] = append(list, v.misfit(of.Items.Value))
		return "in " + name + " a value that does not fit"
	}
	object[name] = v.misfit(of)
	return name + " that does not fit"
}

// misfit draws a value that does not fit a schema.
func (v *values) misfit(s *openapi3.Schema) any {
	values := map[string]any{
		openapi3.TypeString: "text", openapi3.TypeInteger: 1, openapi3.TypeBoolean: true,
		openapi3.TypeArray: []any{}, openapi3.TypeObject: map[string]any{},
	}
	delete(values, typeOf(s))
	var wrong []any
	for _, kind := range []string{openapi3.TypeInteger, openapi3.TypeString, openapi3.TypeBoolean, openapi3.TypeArray, openapi3.TypeObject} {
		if value, ok := values[kind]; ok {
			wrong = append(wrong, value)
		}
	}
	if !takesNull(s) {
		wrong = append(wrong, nil, nil)
	}
	if len(s.Enum) > 0 {
		wrong = append(wrong, "no such word", "")
	}
	if typeOf(s) == openapi3.TypeInteger {
		wrong = append(wrong, json.Number("1.5"), "1")
	}
	return pick(v.t, "misfit", wrong)
}
