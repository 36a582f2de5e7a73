package base

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

var (
	textSet    = tftypes.Set{ElementType: tftypes.String}
	engineType = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"memory_mb": tftypes.Number}}
	engineMap  = tftypes.Map{ElementType: engineType}
	textMap    = tftypes.Map{ElementType: tftypes.String}
)

func textValue(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }

func textsValue(texts ...string) tftypes.Value {
	elements := []tftypes.Value{}
	for _, s := range texts {
		elements = append(elements, textValue(s))
	}
	return tftypes.NewValue(textSet, elements)
}

func variablesValue(variables map[string]string) tftypes.Value {
	all := map[string]tftypes.Value{}
	for name, value := range variables {
		all[name] = textValue(value)
	}
	return tftypes.NewValue(textMap, all)
}

// budgetsValue returns engines with their budgets; nil means that there is no budget.
func budgetsValue(budgets map[string]any) tftypes.Value {
	all := map[string]tftypes.Value{}
	for name, budget := range budgets {
		all[name] = tftypes.NewValue(engineType, map[string]tftypes.Value{"memory_mb": tftypes.NewValue(tftypes.Number, budget)})
	}
	return tftypes.NewValue(engineMap, all)
}

func TestLikenessOf(t *testing.T) {
	t.Parallel()
	number := func(n any) tftypes.Value { return tftypes.NewValue(tftypes.Number, n) }
	truth := func(b bool) tftypes.Value { return tftypes.NewValue(tftypes.Bool, b) }
	type budgets = map[string]any
	type variables = map[string]string
	for name, row := range map[string]struct {
		attribute   string
		asked, kept tftypes.Value
		want        likeness
	}{
		"equal":                           {"name", textValue("a"), textValue("a"), same},
		"not asked for":                   {"name", tftypes.NewValue(tftypes.String, nil), textValue("a"), same},
		"not read":                        {"name", textValue("a"), tftypes.NewValue(tftypes.String, nil), same},
		"white space at the ends":         {"name", textValue(" a\n"), textValue("a"), otherForm},
		"white space within":              {"name", textValue("a b"), textValue("ab"), another},
		"letter case":                     {"name", textValue("Shop"), textValue("shop"), otherForm},
		"another text":                    {"name", textValue("shop"), textValue("store"), another},
		"an empty text":                   {"health_path", textValue("/"), textValue(""), another},
		"the beginning of a text":         {"name", textValue("shopping"), textValue("shop"), another},
		"a final slash":                   {"site_url", textValue("https://a.example"), textValue("https://a.example/"), otherForm},
		"the ending of a repository":      {"repo", textValue("acme/web.git"), textValue("acme/web"), otherForm},
		"another plan":                    {"plan", textValue("large"), textValue("small"), another},
		"another truth":                   {"public", truth(true), truth(false), another},
		"a budget rounded up":             {"memory_mb", number(500), number(512), otherForm},
		"a budget cut":                    {"memory_mb", number(500), number(256), another},
		"a bigger port":                   {"port", number(3000), number(8080), another},
		"letter case of tags":             {"tags", textsValue("B", "a"), textsValue("A", "b"), otherForm},
		"a tag less":                      {"tags", textsValue("a", "b"), textsValue("a"), another},
		"a tag more":                      {"tags", textsValue("a"), textsValue("a", "platform"), otherForm},
		"another tag more":                {"tags_all", textsValue("a"), textsValue("b", "platform"), another},
		"no tags":                         {"tags", textsValue("a"), textsValue(), another},
		"an empty allowlist":              {"cidrs", textsValue("203.0.113.0/24"), textsValue(), another},
		"an allowlist in another form":    {"cidrs", textsValue("203.0.113.7"), textsValue("203.0.113.7/32"), another},
		"a console mode in capitals":      {"mode", textValue("off"), textValue("OFF"), another},
		"an engine's budget rounded up":   {"engines", budgetsValue(budgets{"redis": 60}), budgetsValue(budgets{"redis": 64}), otherForm},
		"an engine's budget not asked":    {"engines", budgetsValue(budgets{"redis": nil}), budgetsValue(budgets{"redis": 64}), same},
		"an engine less":                  {"engines", budgetsValue(budgets{"redis": nil, "nats": nil}), budgetsValue(budgets{"redis": 64}), another},
		"an engine more":                  {"engines", budgetsValue(budgets{"redis": nil}), budgetsValue(budgets{"redis": 64, "nats": 64}), another},
		"a masked variable":               {"env", variablesValue(variables{"A": "1"}), variablesValue(variables{"A": "***"}), otherForm},
		"a variable of the platform":      {"env", variablesValue(variables{"A": "1"}), variablesValue(variables{"A": "1", "PORT": "3000"}), otherForm},
		"a variable less":                 {"env", variablesValue(variables{"A": "1", "B": "2"}), variablesValue(variables{"A": "1"}), another},
		"no variables instead of no read": {"env", variablesValue(variables{"A": "1"}), tftypes.NewValue(textMap, nil), same},
	} {
		if got := likenessOf(row.attribute, row.asked, row.kept); got != row.want {
			t.Errorf("%s: got likeness %d, want %d", name, got, row.want)
		}
	}
}

func TestCompareKept(t *testing.T) {
	t.Parallel()
	of := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"name": tftypes.String, "tags": textSet, "tags_all": textSet, "engines": engineMap, "env": textMap, "url": tftypes.String, "site_url": tftypes.String, "redirect_urls": textSet}}
	type values = map[string]tftypes.Value
	object := func(given values) tftypes.Value {
		all := values{}
		for name, of := range of.AttributeTypes {
			all[name] = tftypes.NewValue(of, nil)
			if value, ok := given[name]; ok {
				all[name] = value
			}
		}
		return tftypes.NewValue(of, all)
	}
	tags := func(texts ...string) values { return values{"tags": textsValue(texts...)} }
	all := func(own, all []string) values {
		return values{"tags": textsValue(own...), "tags_all": textsValue(all...)}
	}
	env := func(variables map[string]string) values { return values{"env": variablesValue(variables)} }
	type variables = map[string]string
	for name, row := range map[string]struct {
		asked, prior, read values
		forms, missing     string
	}{
		"as requested":                {asked: tags("prod"), read: tags("prod")},
		"another form":                {asked: tags("Prod"), read: tags("prod"), forms: `tags: requested ["Prod"], kept ["prod"]`},
		"another form of a change":    {asked: tags("Prod"), prior: tags("dev"), read: tags("prod"), forms: `tags: requested ["Prod"], kept ["prod"]`},
		"another form, as before":     {asked: tags("Prod"), prior: tags("prod"), read: tags("prod"), forms: `tags: requested ["Prod"], kept ["prod"]`},
		"the old value":               {asked: tags("prod"), prior: tags("dev"), read: tags("dev"), missing: `tags: requested ["prod"], kept ["dev"]`},
		"a tag of the platform":       {asked: tags("prod"), prior: tags("svc", "prod"), read: tags("svc", "prod"), forms: `tags: requested ["prod"], kept ["prod", "svc"]. To leave tags that the service adds alone: lifecycle { ignore_changes = [tags] }`},
		"none of a new object":        {asked: tags("prod"), read: tags(), missing: `tags: requested ["prod"], kept []`},
		"somebody else's change":      {asked: tags("prod"), prior: tags("prod"), read: tags("test")},
		"not configured":              {read: tags("prod")},
		"not read":                    {asked: tags("prod")},
		"tags that are dropped":       {asked: all([]string{"a"}, []string{"a", "team"}), read: all([]string{}, []string{"team"}), missing: `tags: requested ["a"], kept []`},
		"default tags":                {asked: values{"tags_all": textsValue("team")}, read: values{"tags_all": textsValue()}, missing: `tags_all: requested ["team"], kept []`},
		"an engine that is off":       {asked: values{"engines": budgetsValue(map[string]any{"redis": 64})}, prior: values{"engines": budgetsValue(nil)}, read: values{"engines": budgetsValue(nil)}, missing: "engines: requested { redis = { memory_mb = 64 } }, kept {}"},
		"an engine that stays on":     {asked: values{"engines": budgetsValue(nil)}, prior: values{"engines": budgetsValue(map[string]any{"redis": 64})}, read: values{"engines": budgetsValue(map[string]any{"redis": 64})}, missing: "engines: requested {}, kept { redis = { memory_mb = 64 } }"},
		"a URL":                       {asked: values{"url": textValue("https://a.example/token")}, read: values{"url": textValue("https://a.example/token/")}, forms: "url: the values are not shown here"},
		"a URL without a secret":      {asked: values{"site_url": textValue("https://a.example/b")}, read: values{"site_url": textValue("https://a.example/b/")}, forms: `site_url: requested "https://a.example/b", kept "https://a.example/b/"`},
		"an address":                  {asked: values{"redirect_urls": textsValue("2001:db8::/32")}, read: values{"redirect_urls": textsValue()}, missing: `redirect_urls: requested ["2001:db8::/32"], kept []`},
		"a query":                     {asked: values{"site_url": textValue("https://a.example/?t=canary")}, read: values{"site_url": textValue("https://a.example/")}, missing: "site_url: the values are not shown here"},
		"a user":                      {asked: values{"site_url": textValue("https://a.example")}, read: values{"site_url": textValue("https://canary@a.example")}, missing: "site_url: the values are not shown here"},
		"a query in a set":            {asked: values{"redirect_urls": textsValue("https://a.example/?t=canary")}, read: values{"redirect_urls": textsValue()}, missing: "redirect_urls: the values are not shown here"},
		"a masked variable":           {asked: env(variables{"A": "2"}), prior: env(variables{"A": "1"}), read: env(variables{"A": "***"}), forms: `env["A"]: the service returns another value. If it only hides the value: lifecycle { ignore_changes = [env["A"]] }`},
		"variables that were ignored": {asked: env(variables{"A": "2"}), prior: env(variables{"A": "1"}), read: env(variables{"A": "1"}), missing: `env["A"]: the service returns another value. If it only hides the value: lifecycle { ignore_changes = [env["A"]] }`},
		"a variable masked before":    {asked: env(variables{"A": "2"}), prior: env(variables{"A": HiddenVariable}), read: env(variables{"A": HiddenVariable}), forms: `env["A"]: the service returns another value. If it only hides the value: lifecycle { ignore_changes = [env["A"]] }`},
		"added before":                {asked: env(variables{"A": "1"}), prior: env(variables{"A": "1", "PORT": HiddenVariable}), read: env(variables{"A": "1", "PORT": HiddenVariable}), forms: `env["PORT"]: the service adds it. To leave it alone: lifecycle { ignore_changes = [env["PORT"]] }`},
		"ignored beside a masked one": {
			asked: env(variables{"A": "2", "B": "2"}), prior: env(variables{"A": HiddenVariable, "B": "1"}), read: env(variables{"A": HiddenVariable, "B": "1"}),
			missing: `env["A"]: the service returns another value. If it only hides the value: lifecycle { ignore_changes = [env["A"]] }` + "\n" +
				`env["B"]: the service returns another value. If it only hides the value: lifecycle { ignore_changes = [env["B"]] }`,
		},
		"variables of the platform": {asked: env(variables{"A": "2"}), prior: env(variables{"A": "1"}), read: env(variables{"A": "2", "PORT": "80"}), forms: `env["PORT"]: the service adds it. To leave it alone: lifecycle { ignore_changes = [env["PORT"]] }`},
		"variables that do not change": {
			asked: env(variables{"A": "1"}), prior: env(variables{"A": "1"}), read: env(variables{"A": "***"}),
		},
	} {
		prior := tftypes.Value{}
		if row.prior != nil {
			prior = object(row.prior)
		}
		forms, missing := compareKept(valuesIn(object(row.asked)), prior, object(row.read))
		isHidden := func(name string) bool { return name == "url" }
		if diff := cmp.Diff(row.forms, forms.text(isHidden)); diff != "" {
			t.Errorf("%s: forms (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(row.missing, missing.text(isHidden)); diff != "" {
			t.Errorf("%s: missing (-want +got):\n%s", name, diff)
		}
	}
}
