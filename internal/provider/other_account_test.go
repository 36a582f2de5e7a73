package provider

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// TestAnotherAccountChangesNothing applies the plans of TestGoldenChanges for objects whose
// private state names another account. Every apply is refused before it sends anything.
// Replacements are left out: they are a deletion and a creation.
func TestAnotherAccountChangesNothing(t *testing.T) {
	for name, changes := range changeCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			applied := 0
			for _, change := range changes {
				synctest.Test(t, func(t *testing.T) {
					if change.applyToAnotherAccount(t) {
						applied++
					}
				})
			}
			if 4*applied < len(changes) {
				t.Errorf("got %d applies of %d changes, want at least a quarter", applied, len(changes))
			}
		})
	}
}

// applyToAnotherAccount plans a change, and applies it in another process after the note of
// the account was changed. A creation has no note. It is refused because the process has
// already refused to delete an object with such a note. The result is false if there is
// nothing to apply.
func (c goldenCase) applyToAnotherAccount(t *testing.T) bool {
	fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
	defer func() { _ = fake.Close() }()
	furnishMore(t, fake)
	service := failingService{next: fake}
	planning, applying := serverOf(t, fake, "key"), serverOf(t, &service, "key")
	ignored := &strings.Builder{}
	now, config := c.begin(t, fake, planning, ignored)
	if c.from != "" && now.state == nil {
		return false // it cannot be imported
	}
	told := now.plan(t, planning, config, ignored)
	if told == nil || strings.Contains(shownConfig(config), unknownText) {
		return false
	}
	if c.from == "" {
		deleted := imported(t, planning, "hosting_postgres_database", "i-shop/orders", ignored)
		deleted.state["deletion_protection"] = false
		deleted.apply(t, applying, nil, ofAnotherAccount(t, deleted.plan(t, planning, nil, ignored)), ignored)
	} else {
		ofAnotherAccount(t, told)
	}
	of := schemaOf(t, c.kind).ValueType()
	made, err := applying.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: c.kind, PriorState: dynamicOf(of, orNil(now.state)), PlannedState: told.PlannedState, Config: dynamicOf(of, orNil(config)),
		PlannedPrivate: told.PlannedPrivate, PlannedIdentity: told.PlannedIdentity,
	})
	if err != nil {
		t.Fatal(err)
	}
	summaries := summariesOf(made.Diagnostics)
	diff := cmp.Diff(decoded(t, of, dynamicOf(of, orNil(now.state))), decoded(t, of, made.NewState))
	if summaries != "The state belongs to another account" || diff != "" || len(service.writes) > 0 {
		t.Errorf("%s %s %s: got the errors %q and the requests %q, want only that the state belongs to another account; the state (-want +got):\n%s", c.kind, c.from, shownConfig(config), summaries, service.writes, diff)
	}
	return true
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
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			all = append(all, d.Summary)
		}
	}
	return strings.Join(all, "; ")
}
