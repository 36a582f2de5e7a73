package examples

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// previews applies the previews of two pull requests next to a production instance, loses
// the state of one, and sweeps. Only the preview without an open pull request is deleted.
func previews(t *testing.T, _ []string) {
	fake := startFake(t)
	fake.AddInstance(instance("i-production", "shop"))
	w := newConfiguration(t, fake, "previews", nil)
	arguments := func(number string) []string {
		return []string{"-var", "pull_request=" + number, "-var", "branch=main", "-var", "commit=" + fake.Push("acme/shop", "main")}
	}
	for _, number := range []string{"7", "8"} {
		w.terraform("workspace", "new", "pr-"+number)
		its := arguments(number)
		w.apply(its...)
		w.terraform(append([]string{"plan", "-detailed-exitcode"}, its...)...)
	}
	left := func() map[string][]string {
		tags := map[string][]string{} // by name
		for _, in := range fake.Instances() {
			tags[in.Name] = slices.Sorted(slices.Values(in.Tags))
		}
		return tags
	}
	production := map[string][]string{"shop": {"production"}}
	both := map[string][]string{"shop": {"production"}, "shop-pr-7": {"pr-7", "preview"}, "shop-pr-8": {"pr-8", "preview"}}
	if diff := cmp.Diff(both, left()); diff != "" {
		t.Fatalf("the instances and their tags (-want +got):\n%s", diff)
	}

	// The state of pull request 8 is lost, and the pull request is closed.
	w.terraform("workspace", "select", "pr-7")
	w.terraform("workspace", "delete", "-force", "pr-8")
	sweep := newConfiguration(t, fake, "previews/sweep", map[string]any{"open": []int{7}})
	says(t, sweep.apply(), "Resources: 1 imported, 0 added, 1 changed, 0 destroyed.")
	sweep.terraform("destroy", "-auto-approve")
	delete(both, "shop-pr-8")
	if diff := cmp.Diff(both, left()); diff != "" {
		t.Errorf("the instances after the sweep (-want +got):\n%s", diff)
	}
	sweep.apply()
	sweep.mustBeSettled()

	w.terraform(append([]string{"destroy", "-auto-approve"}, arguments("7")...)...)
	if diff := cmp.Diff(production, left()); diff != "" {
		t.Errorf("the instances after the last preview was destroyed (-want +got):\n%s", diff)
	}
	if in, found := fake.Instance("i-production"); !found || in.Status != fakeservice.StatusRunning {
		t.Errorf("production: got %+v (found: %t), want it running", in, found)
	}
}
