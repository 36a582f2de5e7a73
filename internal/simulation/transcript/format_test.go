package transcript

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFormat reads two commands of a CLI: one that creates an app and its instance, and one
// that plans and departs from all habits.
func TestFormat(t *testing.T) {
	t.Parallel()
	value := func(name, text string) Value { return Value{Name: name, Text: text} }
	prior, state, planned := value("prior", "null"), value("state", "s"), value("planned", "p")
	private, identity := value("private", "x"), value("identity", "i")
	config := Value{Name: "config", Text: "{a ?}", Sets: []string{"name"}, Unknown: []string{"instance_id"}}
	known, empty := value("config", "{a}"), value("config", "{}")
	of := func(given ...Value) []Value { return given }
	made := func(process int, kind string) []Call {
		return []Call{
			{process, "plan", kind, of(prior, known), of(planned, value("identity", "null")), []string{mayDefer}, false},
			{process, "apply", kind, of(prior, planned), of(state, private, identity), nil, false},
		}
	}
	first := []Call{
		{7, "validate", "hosting_app", of(config), nil, nil, false},
		{8, "plan", "hosting_app", of(prior, config), of(value("planned", "q")), nil, false},
	}
	first = append(append(first, made(9, "hosting_instance")...), made(9, "hosting_app")...)
	changed := value("state", "s2")
	again := Command{Line: "again", Calls: []Call{
		{10, "read", "hosting_app", of(state, private, identity), of(changed, private, identity), nil, false},
		{
			10, "plan", "hosting_app", of(value("prior", "s2"), empty, value("private", "y"), value("identity", "")), of(value("planned", "s2")),
			[]string{"proposed null name"}, false,
		},
		{10, "plan", "hosting_app", of(prior, empty, identity), of(value("planned", "s2"), value("identity", "j")), []string{"deferred"}, true},
	}}
	const want = `- a plan in an apply may be deferred
- prior states come with identities
apply
  app
    0 validate config 1
      config 1 sets name; unknown instance_id
    1 plan prior null, config 1 -> planned 1
    2 plan prior null, config 2 -> planned 2
      config 2 sets nothing
    2 apply prior null, planned 2 -> state 1, private 1, identity 1
  instance
    2 plan prior null, config 1 -> planned 1
      config 1 sets nothing
    2 apply prior null, planned 1 -> state 1, private 1, identity 1
  changed: instance, then app
again
  app
    1 read state 1, private 1 -> state 2, private 1
    1 plan prior 2, config 3, private 2, no identity -> planned as prior; proposed null name
      config 3 sets nothing
    1 plan prior null, config 3, identity 1 -> planned 3, identity 2, error; deferred`
	got := Format([]Command{{Line: "apply", Calls: first, References: []Reference{{"hosting_app", "hosting_instance"}}}, again})
	if diff := cmp.Diff(strings.Split(want, "\n"), got); diff != "" {
		t.Error(diff)
	}
}

// TestFormatSharesLines writes types with equal calls once, and a habit that has an exception
// where it is one.
func TestFormatSharesLines(t *testing.T) {
	t.Parallel()
	call := func(process int, method, kind string, says ...string) Call {
		return Call{Process: process, Method: method, Type: kind, Says: says}
	}
	got := Format([]Command{{Line: "apply", Calls: []Call{
		call(1, "plan", "hosting_app", mayDefer), call(1, "plan", "hosting_web"), call(1, "plan", "hosting_zone", mayDefer),
		call(2, "apply", "hosting_web"),
	}}})
	want := []string{"apply", "  app, zone", "    1 plan; may defer", "  web", "    1 plan", "    2 apply"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestFormatNumbersPlansByPriorState plans a replacement whose plan equals that of the
// creation by chance.
func TestFormatNumbersPlansByPriorState(t *testing.T) {
	t.Parallel()
	plan := func(process int, prior string) Call {
		return Call{
			Process: process, Method: "plan", Type: "hosting_app",
			Given: []Value{{Name: "prior", Text: prior}}, Returned: []Value{{Name: "planned", Text: "p"}},
		}
	}
	got := Format([]Command{{Line: "apply", Calls: []Call{plan(1, "null"), plan(2, "s"), plan(2, "null"), plan(3, "s")}}})
	want := []string{
		"apply", "  app", "    1 plan prior null -> planned 1", "    2 plan prior 1 -> planned 2",
		"    2 plan prior null -> planned 1", "    3 plan prior 1 -> planned 2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
