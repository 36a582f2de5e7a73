package provider

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// TestAnotherAccountChangesNothing applies each change of TestGoldenChanges with a state that
// belongs to another account. Every apply is refused before it sends anything.
func TestAnotherAccountChangesNothing(t *testing.T) {
	for name, changes := range changeCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, change := range changes {
				synctest.Test(t, func(t *testing.T) { change.applyToAnotherAccount(t) })
			}
		})
	}
}

// applyToAnotherAccount plans a change with the right key and applies it in a process whose
// key belongs to another account. A creation has no note of its account. It is refused
// because the process was to delete an object with such a note before.
func (c goldenCase) applyToAnotherAccount(t *testing.T) {
	fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
	defer func() { _ = fake.Close() }()
	furnishMore(t, fake)
	service := failingService{next: fake}
	own, other := serverOf(t, fake, "key"), serverOf(t, &service, "key")
	ignored := &strings.Builder{}
	now, config := c.begin(t, fake, own, ignored)
	if c.from != "" && now.state == nil {
		return // it cannot be imported
	}
	told := now.plan(t, own, config, ignored)
	if told == nil || strings.Contains(shownConfig(config), unknownText) {
		return
	}
	if c.from == "" {
		deleted := imported(t, own, "hosting_postgres_database", "i-shop/orders", ignored)
		deleted.state["deletion_protection"] = false
		deleted.apply(t, other, nil, ofAnotherAccount(t, deleted.plan(t, own, nil, ignored)), ignored)
	} else {
		ofAnotherAccount(t, told)
	}
	of := schemaOf(t, c.kind).ValueType()
	made, err := other.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: c.kind, PriorState: dynamicOf(of, orNil(now.state)), PlannedState: told.PlannedState, Config: dynamicOf(of, orNil(config)),
		PlannedPrivate: told.PlannedPrivate, PlannedIdentity: told.PlannedIdentity,
	})
	if err != nil {
		t.Fatal(err)
	}
	diff := cmp.Diff(decoded(t, of, dynamicOf(of, orNil(now.state))), decoded(t, of, made.NewState))
	if !hasError(made.Diagnostics) || diff != "" || len(service.writes) > 0 {
		t.Errorf("%s %s %s: got the errors %s, the requests %q and the state (-before +after):\n%s", c.kind, c.from, shownConfig(config),
			summariesOf(made.Diagnostics), service.writes, diff)
	}
}

// ofAnotherAccount returns a plan whose private state has the note of another account.
func ofAnotherAccount(t *testing.T, told *tfprotov6.PlanResourceChangeResponse) *tfprotov6.PlanResourceChangeResponse {
	t.Helper()
	planned := existing{private: told.PlannedPrivate}
	planned.addNotes(t, object{"account": object{"id": "acc-other", "origin": "https://hosting.test"}})
	told.PlannedPrivate = planned.private
	return told
}

func summariesOf(diags []*tfprotov6.Diagnostic) string {
	var all []string
	for _, d := range diags {
		all = append(all, d.Summary)
	}
	return strings.Join(all, "; ")
}
