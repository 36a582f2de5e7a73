package portal

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
)

// object is an object of the API's document.
type object = map[string]any

// documentShown is the API's document as its page shows it.
type documentShown struct {
	Version, Summary string
	Groups           []operationGroup
	Schemas          []fieldShown
}

// operationGroup has the operations with one tag.
type operationGroup struct {
	Name       string
	Operations []operationShown
}

// operationShown is an operation. Settled is the reason why the project had to settle it.
type operationShown struct {
	ID, Method, Path, Summary, Description, Settled string
	Parameters                                      []fieldShown
	// Body is nil if the operation has none.
	Body      *fieldShown
	Responses []responseShown
}

// responseShown is a response of an operation.
type responseShown struct {
	Status, Description string
	Headers             []string
	Contents            []fieldShown
}

// fieldShown is a parameter, a property, a schema or a body. Its name is then that of the
// media type. In is the place of a parameter.
type fieldShown struct {
	Name, In, Description string
	Required              bool
	Type                  []typePart
	Limits                []string
	Fields                []fieldShown
}

// typePart is a part of the text of a type. Schema is the name of the schema that it links
// to, or "".
type typePart struct{ Text, Schema string }

// shownDocument is converted once for the whole process.
var shownDocument = sync.OnceValues(func() (documentShown, error) {
	tree, err := apispec.Tree()
	return document(tree).shown(), err
})

// document is the tree of the API's document. A missing part is read as an empty one.
type document object

func (d document) shown() documentShown {
	info := objectOf(d["info"])
	doc := documentShown{Version: textOf(info["version"]), Summary: textOf(info["summary"])}
	byTag := map[string][]operationShown{}
	for path, item := range sorted(objectOf(d["paths"])) {
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			if described, ok := item[method].(object); ok {
				tag := "other"
				for _, first := range listOf(described["tags"]) {
					tag = textOf(first)
					break
				}
				byTag[tag] = append(byTag[tag], d.operation(method, path, described, listOf(item["parameters"])))
			}
		}
	}
	for _, tag := range append(listOf(d["tags"]), object{"name": "other"}) {
		name := textOf(objectOf(tag)["name"])
		if len(byTag[name]) > 0 {
			doc.Groups = append(doc.Groups, operationGroup{name, byTag[name]})
		}
	}
	for name, schema := range sorted(objectOf(objectOf(d["components"])["schemas"])) {
		doc.Schemas = append(doc.Schemas, d.field(name, schema))
	}
	return doc
}

func (d document) operation(method, path string, described object, shared []any) operationShown {
	o := operationShown{
		ID: textOf(described["operationId"]), Method: strings.ToUpper(method), Path: path,
		Summary: textOf(described["summary"]), Description: textOf(described["description"]), Settled: textOf(described["x-settled-reason"]),
	}
	for _, one := range append(slices.Clone(shared), listOf(described["parameters"])...) {
		p := d.resolve(objectOf(one))
		f := d.field(textOf(p["name"]), objectOf(p["schema"]))
		f.In, f.Required = textOf(p["in"]), p["required"] == true
		f.Description = cmp.Or(textOf(p["description"]), f.Description)
		o.Parameters = append(o.Parameters, f)
	}
	if body, ok := described["requestBody"].(object); ok {
		body = d.resolve(body)
		for _, content := range d.contents(body) {
			content.Required = body["required"] == true
			o.Body = &content
		}
	}
	for status, one := range sorted(objectOf(described["responses"])) {
		response := d.resolve(one)
		shown := responseShown{status, textOf(response["description"]), slices.Sorted(maps.Keys(objectOf(response["headers"]))), d.contents(response)}
		if last := len(o.Responses) - 1; last >= 0 && o.Responses[last].sameAs(shown) {
			o.Responses[last].Status += ", " + status
			continue
		}
		o.Responses = append(o.Responses, shown)
	}
	return o
}

// sameAs reports whether two responses differ only in their status.
func (r responseShown) sameAs(other responseShown) bool {
	other.Status = r.Status
	return reflect.DeepEqual(r, other)
}

// contents returns the bodies of a request or a response, by their media types.
func (d document) contents(of object) (list []fieldShown) {
	for media, content := range sorted(objectOf(of["content"])) {
		list = append(list, d.field(media, objectOf(content["schema"])))
	}
	return list
}

// field returns a schema under a name, with its properties unless it only links to another.
func (d document) field(name string, schema object) fieldShown {
	f := fieldShown{Name: name, Description: textOf(schema["description"]), Type: typeOf(schema), Limits: limitsOf(schema)}
	if items, ok := schema["items"].(object); ok {
		f.Fields = d.field("", items).Fields
	}
	required := listOf(schema["required"])
	for property, of := range sorted(objectOf(schema["properties"])) {
		one := d.field(property, of)
		one.Required = slices.Contains(required, any(property))
		f.Fields = append(f.Fields, one)
	}
	return f
}

// resolve follows a reference to another part of the document.
func (d document) resolve(one object) object {
	for {
		ref, ok := one["$ref"].(string)
		if !ok {
			return one
		}
		one = object(d)
		for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			one = objectOf(one[name])
		}
	}
}

// typeOf returns the text of a schema's type.
func typeOf(schema object) []typePart {
	if ref, ok := schema["$ref"].(string); ok {
		name := ref[strings.LastIndex(ref, "/")+1:]
		return []typePart{{name, name}}
	}
	for _, choice := range []struct{ keyword, between string }{{"oneOf", " or "}, {"anyOf", " or "}, {"allOf", " and "}} {
		var parts []typePart
		for i, one := range listOf(schema[choice.keyword]) {
			if i > 0 {
				parts = append(parts, typePart{Text: choice.between})
			}
			parts = append(parts, typeOf(objectOf(one))...)
		}
		if parts != nil {
			return parts
		}
	}
	var words []string
	for _, word := range listOf(schema["type"]) {
		words = append(words, textOf(word))
	}
	text := cmp.Or(strings.Join(words, " or "), textOf(schema["type"]), "any value")
	if items, ok := schema["items"].(object); ok {
		return append([]typePart{{Text: text + " of "}}, typeOf(items)...)
	}
	if values, ok := schema["additionalProperties"].(object); ok {
		return append([]typePart{{Text: text + " of names to "}}, typeOf(values)...)
	}
	return []typePart{{Text: text}}
}

// limitsOf returns the other keywords of a schema, with their values.
func limitsOf(schema object) (limits []string) {
	for _, keyword := range []string{"format", "const", "enum", "default", "minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems"} {
		value, ok := schema[keyword]
		if !ok {
			continue
		}
		if list, ok := value.([]any); ok {
			value = strings.Trim(strings.ReplaceAll(fmt.Sprintf("%q", list), " ", ", "), "[]")
		}
		limits = append(limits, fmt.Sprintf("%s %v", keyword, value))
	}
	return limits
}

// sorted iterates over the objects in an object, by name.
func sorted(of object) func(func(string, object) bool) {
	return func(yield func(string, object) bool) {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			if !yield(name, objectOf(of[name])) {
				return
			}
		}
	}
}

func objectOf(value any) object {
	o, _ := value.(object)
	return o
}

func listOf(value any) []any {
	l, _ := value.([]any)
	return l
}

func textOf(value any) string {
	t, _ := value.(string)
	return strings.TrimSpace(t)
}
