package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// A noun is a kind of object of the service, with its names in schemas. The rule is in
// CONTRIBUTING.md, "Names of arguments".
type noun struct {
	word   string   // in names; a list has the plural
	others []string // words for the same thing, which no name may contain
	// reference is the argument in other schemas that refers to the object, "" if none does.
	reference string
	// own is the object's argument in its own schemas: name or id.
	own     string
	schemas []string // its own schemas
	also    []string // other attributes with the word that are not references
}

var nouns = []noun{
	{word: "instance", others: []string{"machine", "server"}, reference: "instance_id", own: "id", schemas: []string{"hosting_instance"}},
	{word: "app", others: []string{"application"}, reference: "app", own: "name", schemas: []string{"hosting_app"}},
	{word: "build", others: []string{"deployment"}, reference: "build_id"},
	// The names of the connection record's attributes begin with the engine.
	{word: "database", others: []string{"db"}, reference: "database", own: "name", schemas: []string{"hosting_postgres_database"}, also: []string{"postgres_database"}},
	{word: "extension", own: "name", schemas: []string{"hosting_postgres_extension"}},
	{word: "engine", reference: "engine"},
	{word: "plan", others: []string{"tier"}, reference: "plan", own: "id", schemas: []string{"hosting_plans"}},
	// The service lists locations, but an instance has a region.
	{word: "region", reference: "region"},
	{word: "location", own: "id", schemas: []string{"hosting_locations"}},
	{word: "backup", others: []string{"snapshot"}, reference: "backup_id"},
	{word: "job", others: []string{"operation"}, reference: "job_id"},
	{word: "endpoint", own: "id", schemas: []string{"hosting_webhook_endpoint"}},
	{word: "repo", others: []string{"repository"}, reference: "repo"},
	{word: "branch", reference: "branch"},
	{word: "commit", others: []string{"revision", "sha"}, reference: "commit", also: []string{"deploy_commit"}},
	{word: "tag", others: []string{"label"}, reference: "tag", also: []string{"tags_all", "default_tags"}},
	{word: "allowlist", others: []string{"whitelist", "firewall"}, reference: "allowlist"},
}

// namedSchemas lists the schemas of objects that have a name.
var namedSchemas = []string{"hosting_instance", "hosting_instances", "hosting_app", "hosting_postgres_database", "hosting_postgres_extension", "hosting_account", "hosting_account_profile"}

// An object is called name or id in its own schemas, and has one name in all others.
func TestSchemaNouns(t *testing.T) {
	found := map[string]bool{}
	for _, s := range allSchemas(t) {
		var top []string
		s.visit(t, func(path []string, _ anyAttribute) {
			name := path[len(path)-1]
			if len(path) == 1 {
				top = append(top, name)
			}
			for _, n := range nouns {
				if wrong := n.miscalled(name); wrong != "" {
					t.Errorf("%s: %s: %s", s, strings.Join(path, "."), wrong)
				}
				found[n.word] = found[n.word] || n.is(name)
			}
		})
		for _, n := range nouns {
			if !slices.Contains(n.schemas, s.name) || s.kind == "list resource" {
				continue // arguments of a list are filters
			}
			found[n.word] = true
			if !slices.Contains(top, n.own) || slices.Contains(top, n.reference) && n.reference != "" {
				t.Errorf("the attributes of %s, which is about one %s: got %s, want %s and not %q", s, n.word, attributes.Sorted(top), n.own, n.reference)
			}
		}
		if slices.Contains(top, "name") && !slices.Contains(namedSchemas, s.name) {
			t.Errorf("%s has a name, but namedSchemas in internal/provider/schema_nouns_test.go does not list it", s)
		}
	}
	for _, n := range nouns {
		if !found[n.word] {
			t.Errorf("no schema knows of %s any more", n.word)
		}
	}
}

// is reports whether an attribute's name is one of the names of the noun.
func (n noun) is(name string) bool {
	return name == n.reference || name == n.word+"s" || slices.Contains(n.also, name)
}

// miscalled returns what is wrong with an attribute's name that refers to the noun, or ""
// if nothing is.
func (n noun) miscalled(name string) string {
	for _, word := range strings.Split(name, "_") {
		singular := strings.TrimSuffix(word, "s")
		if slices.Contains(n.others, singular) || (word == n.word || word == n.word+"s") && !n.is(name) {
			return fmt.Sprintf("a reference to one %s is called %q, many are %q", n.word, n.reference, n.word+"s")
		}
	}
	return ""
}

// The check finds names that break the rule.
func TestMiscalledNouns(t *testing.T) {
	for _, row := range []struct {
		name string
		want []string // the nouns that the name miscalls
	}{
		{"app", nil}, {"apps", nil}, {"app_name", []string{"app"}}, {"application", []string{"app"}},
		{"instance_id", nil}, {"instance", []string{"instance"}}, {"server_id", []string{"instance"}},
		{"database", nil}, {"postgres_database", nil}, {"database_name", []string{"database"}}, {"db", []string{"database"}},
		{"region", nil}, {"location", []string{"location"}}, {"tier", []string{"plan"}}, {"plan_id", []string{"plan"}},
		{"happy", nil}, {"planned", nil}, {"created_at", nil}, {"name", nil},
	} {
		var got []string
		for _, n := range nouns {
			if n.miscalled(row.name) != "" {
				got = append(got, n.word)
			}
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("what %s miscalls: got %v, want %v", row.name, got, row.want)
		}
	}
}
