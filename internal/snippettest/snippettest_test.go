package snippettest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		snippet string
		want    Missing
	}{
		"nothing": {"terraform {\n  required_providers {}\n}\n", Missing{}},
		"a resource, a variable and no comment": {
			"resource \"hosting_app\" \"a\" {\n  instance_id = hosting_instance.x.id # hosting_app.c.id\n  name = var.n\n  env = { A = hosting_app.a.url }\n}\n",
			Missing{Resources: []Reference{{"hosting_instance", "x"}}, Variables: []string{"n"}, Providers: true},
		},
		"what is missing has its instance too": {
			"locals {\n  url = hosting_app.web.url\n}\n",
			Missing{Resources: []Reference{{"hosting_app", "web"}, {"hosting_instance", "example"}}, Providers: true},
		},
		"what is declared is on its instance": {
			"resource \"hosting_instance\" \"x\" {\n}\nlocals {\n  url = hosting_app.web.url\n}\n",
			Missing{Resources: []Reference{{"hosting_app", "web"}}, Providers: true},
		},
		"a data source and an action": {"locals {\n  a = data.hosting_app.web.url\n  b = action.hosting_app_restart.web\n}\n", Missing{Providers: true}},
	} {
		if diff := cmp.Diff(row.want, Of(row.snippet), cmpopts.IgnoreUnexported(Missing{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	got := Of("locals {\n  url = hosting_app.web.url\n  host = hosting_instance.shop.host\n  n = var.n\n}\n").Configuration()
	for _, want := range []string{"required_providers", `resource "hosting_instance" "shop" {`, `name                = "shop"`, `instance_id         = hosting_instance.shop.id`, `variable "n" {`} {
		if !strings.Contains(got, want) {
			t.Errorf("the configuration: got\n%s\nwant %q in it", got, want)
		}
	}
}
