package simulation

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"pgregory.net/rapid"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/simulation/accounts"
)

var (
	adoptionRuns = flag.Int("adoption.runs", 100, "how many accounts TestAdoption adopts")
	adoptionSeed = flag.Int("adoption.seed", 1, "the seed of the first account; the others follow")
)

// TestAdoption adopts accounts in the way of terraform query: it lists each type, generates
// configuration from the results as Terraform does, imports, and plans.
func TestAdoption(t *testing.T) {
	tier.Change.Only(t)
	var next, found atomic.Int64
	tally := struct {
		sync.Mutex
		counts map[string]int
	}{counts: map[string]int{}}
	t.Run("accounts", func(t *testing.T) {
		for worker := range *simWorkers {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				for found.Load() == 0 {
					n := int(next.Add(1)) - 1
					if n >= *adoptionRuns {
						return
					}
					seed := *adoptionSeed + n
					a := adoptions().Example(seed)
					o := adoption(t, a)
					if len(o.violations) > 0 {
						found.CompareAndSwap(0, int64(seed))
					}
					tally.Lock()
					for what, n := range o.counts {
						tally.counts[what] += n
					}
					tally.Unlock()
				}
			})
		}
	})
	if seed := int(found.Load()); seed != 0 {
		smallest := shrunk(t, adoptions(), seed, func(a adopting) bool { return len(adoption(t, a).violations) > 0 })
		o := adoption(t, smallest)
		t.Errorf("the account of seed %d: got other objects after the adoption, want it as it is. The smallest of its kind, with its records worded %q:\n%s\n\nWhat happens:\n%s",
			seed, smallest.shapes, smallest.Account, strings.Join(o.story, "\n"))
		return
	}
	for kind := range schemas().ListResourceSchemas {
		if tally.counts[kind] == 0 {
			t.Errorf("%s in %d accounts: got none, want at least one", kind, *adoptionRuns)
		}
	}
}

// adopting is an account, with the shapes of the service's answers.
type adopting struct {
	accounts.Account
	shapes shapes
}

func adoptions() *rapid.Generator[adopting] {
	return rapid.Custom(func(t *rapid.T) adopting {
		return adopting{
			accounts.Drawn().Draw(t, "account"),
			oneOf[shapes](t, "shaped", 0, 0, allShapes) & shapes(rapid.IntRange(0, int(allShapes)).Draw(t, "shapes")),
		}
	})
}

// adoption adopts an account in a new world.
func adoption(t *testing.T, a adopting) (o outcome) {
	warmUp()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(scenario{Seed: 1, Shapes: a.shapes})
		w.secrets[accounts.SecretOfAll] = true
		w.first.defaultTags = a.DefaultTags
		if err := a.SetUp(w.fake); err != nil {
			t.Error(err)
		}
		for _, i := range w.fake.Instances() {
			w.makes(i.ID)
			w.add(i.ID, time.Now(), madeOp{is: w.settingsOf(i.ID)})
			w.first.released[i.ID] = i.Status == fakeservice.StatusDeleting
		}
		w.adoptAsListed()
		w.end()
		o = outcome{violations: w.violations, story: w.story, counts: w.counts}
	})
	return o
}

// adoptAsListed lets the first CLI import all results of the lists.
func (w *world) adoptAsListed() {
	before := accounts.RecordsOf(w.fake)
	cmd := newCommand(cut{})
	query := w.first.run(cmd)
	listed := map[string][]listed{}
	p := w.start(w.first, cmd)
	for _, kind := range sortedNames(schemas().ListResourceSchemas) {
		listed[kind] = query.list(p, kind)
	}
	imports := w.first.run(cmd)
	p = w.start(w.first, cmd)
	var blocks []block
	w.first.blocks = func() []block { return blocks }
	for _, kind := range sortedNames(listed) {
		var ids []string
		for n, result := range listed[kind] {
			address := fmt.Sprintf("%s.all_%d", kind, n)
			blocks = append(blocks, block{kind, address, levelOf(kind), imports.generate(p, kind, result.resource)})
			imports.adopt(p, address, result)
			w.count(kind)
			ids = append(ids, w.first.importID(address))
		}
		if kind != "hosting_account_profile" {
			w.holdListed(kind, ids)
		} else if len(ids) != 1 {
			w.violate(asItIs, "there are %d profiles in the list", len(ids))
		}
	}
	changes, _ := imports.plan(p)
	for _, address := range sortedNames(changes) {
		w.holdNothingToDo(changes[address])
	}
	for _, e := range append(query.errors(), imports.errors()...) {
		w.violate(asItIs, "%s of %s ends with: %s", e.during, e.address, e.text)
	}
	if after := accounts.RecordsOf(w.fake); !reflect.DeepEqual(before, after) {
		w.violate(asItIs, "the service held %+v, and holds %+v", before, after)
	}
	for _, line := range w.log {
		if method := strings.Fields(line)[1]; method == "POST" || method == "PUT" || method == "PATCH" || method == "DELETE" {
			w.violate(asItIs, "a request that changes something: %s", line)
		}
	}
	w.finishAll()
	w.holdAllInOrder()
}

// listed is a result of a list.
type listed struct {
	identity *tfprotov6.ResourceIdentityData
	resource value
}

// list queries all objects of a type, with their resources.
func (r *run) list(p *process, kind string) []listed {
	t := schemas().ListResourceSchemas[kind].ValueType()
	config := configValue(t, map[string]any{}, nil)
	all, _ := do(p, &call{address: kind, what: "list"}, func(ctx context.Context) (all []tfprotov6.ListResourceResult, err error) {
		stream, err := p.server.(tfprotov6.ListResourceServer).ListResource(ctx, &tfprotov6.ListResourceRequest{TypeName: kind, Config: dynamic(t, config), IncludeResource: true, Limit: 1000})
		if err != nil {
			return nil, err
		}
		return slices.Collect(stream.Results), nil
	})
	var results []listed
	for _, one := range all {
		if !r.hear(kind, "list", one.Diagnostics) && one.Identity != nil {
			results = append(results, listed{one.Identity, r.decode(kind, one.Resource)})
		}
	}
	return results
}

// generate creates the arguments of a resource as Terraform's internal/genconfig writes
// them: from the provider's GenerateResourceConfig, with null for sensitive values.
func (r *run) generate(p *process, kind string, state value) map[string]any {
	answer, ok := do(p, &call{address: kind, what: "generation"}, func(ctx context.Context) (*tfprotov6.GenerateResourceConfigResponse, error) {
		return p.server.GenerateResourceConfig(ctx, &tfprotov6.GenerateResourceConfigRequest{TypeName: kind, State: dynamic(typeOf(kind), state)})
	})
	if !ok || r.hear(kind, "generation", answer.Diagnostics) {
		return nil
	}
	generated := attributesOf(r.decode(kind, answer.Config))
	arguments := map[string]any{}
	for _, a := range schemaOf(kind).Block.Attributes {
		if !a.Sensitive {
			arguments[a.Name] = generated[a.Name]
		}
	}
	return arguments
}

// adopt imports a result by its identity. It checks that the resource is read as it was
// listed, and that an import by its id has the same result.
func (r *run) adopt(p *process, address string, result listed) {
	kind := r.kindOf(address)
	w := r.cli.world
	taken, read := r.importBy(p, address, &tfprotov6.ImportResourceStateRequest{TypeName: kind, Identity: result.identity})
	if taken == nil {
		w.violate(asItIs, "%s is listed and cannot be imported", address)
		return
	}
	r.cli.save(r.command, address, taken)
	if !read.Equal(result.resource) {
		w.violate(asItIs, "%s is read otherwise than it is listed: %v", address, differences(result.resource, read))
	}
	if _, again := r.importBy(p, address, &tfprotov6.ImportResourceStateRequest{TypeName: kind, ID: r.cli.importID(address)}); !again.Equal(read) {
		w.violate(asItIs, "%s is by its id another than by its identity: %v", address, differences(read, again))
	}
}

// holdListed checks that the lists are complete: they must contain all instances that run
// or are being created, and the objects on running instances.
func (w *world) holdListed(kind string, ids []string) {
	var want []string
	for _, i := range w.fake.Instances() {
		runs := i.Status == fakeservice.StatusRunning
		auth := i.Engines["auth"]
		switch {
		case kind == "hosting_instance" && i.Status != fakeservice.StatusDeleting,
			kind == "hosting_allowlist" && runs,
			kind == "hosting_console_mode" && runs && i.Engines["postgres"] != nil,
			kind == "hosting_auth_settings" && runs && auth != nil && auth.SiteURL != "":
			want = append(want, i.ID)
		case kind == "hosting_app":
			for _, app := range w.fake.Apps(i.ID) {
				want = append(want, i.ID+"/"+app.Name)
			}
		case kind == "hosting_postgres_database":
			for _, database := range w.fake.Databases(i.ID) {
				if database.Name != accounts.OwnDatabase {
					want = append(want, i.ID+"/"+database.Name)
				}
			}
		case kind == "hosting_postgres_extension":
			for _, e := range w.fake.Extensions(i.ID) {
				want = append(want, i.ID+"/"+e.Database+"/"+e.Name)
			}
		}
	}
	if kind == "hosting_webhook_endpoint" {
		for _, e := range w.fake.Webhooks() {
			want = append(want, e.ID)
		}
	}
	slices.Sort(want)
	slices.Sort(ids)
	if !slices.Equal(ids, want) {
		w.violate(asItIs, "the list of %s has %q, and there is %q", kind, ids, want)
	}
}

// holdNothingToDo checks that a plan changes nothing. It may wait for objects that are
// being created, and add default tags to an instance.
func (w *world) holdNothingToDo(made *change) {
	switch known := w.stillSo(made); {
	case made.do == nothing, made.do == update && known == "":
	default:
		w.violate(asItIs, "the plan of %s is to %s: %s %v", made.address, made.do, known, differences(made.prior, made.planned))
	}
}

// stillSo returns the name of an attribute that an update changes, or "" if the update only
// waits or tags.
func (w *world) stillSo(made *change) string {
	prior, planned := attributesOf(made.prior), attributesOf(made.planned)
	waits := w.first.text(made.address, "status") == fakeservice.StatusCreating || w.first.text(made.address, "status") == fakeservice.StatusBuilding
	for _, name := range sortedNames(planned) {
		switch {
		case name == "tags_all" && len(w.first.defaultTags) > 0, planned[name].Equal(prior[name]):
		case waits && !planned[name].IsFullyKnown():
		default:
			return name
		}
	}
	return ""
}

// finishAll completes all creations in progress, and adds the default tags to each
// instance.
func (w *world) finishAll() {
	for _, i := range w.fake.Instances() {
		w.fake.EditInstance(i.ID, func(i *fakeservice.Instance) {
			if i.Status == fakeservice.StatusCreating {
				i.Status, i.Host = fakeservice.StatusRunning, i.ID+".example"
			}
			for _, tag := range w.first.defaultTags {
				if !slices.Contains(i.Tags, tag) {
					i.Tags = append(i.Tags, tag)
				}
			}
		})
		w.edited(i.ID)
		for _, app := range w.fake.Apps(i.ID) {
			w.fake.EditApp(i.ID, app.Name, func(a *fakeservice.App) {
				if a.Status == fakeservice.StatusBuilding {
					a.Status, a.Builds = fakeservice.StatusRunning, []fakeservice.Build{{ID: "bld-new", Status: fakeservice.StatusSuccessful}}
				}
			})
		}
	}
}

// holdAllInOrder checks that a plan in a new process has nothing left to do.
func (w *world) holdAllInOrder() {
	cmd := newCommand(cut{})
	r := w.first.run(cmd)
	changes, _ := r.plan(w.start(w.first, cmd))
	for _, e := range r.errors() {
		w.violate(asItIs, "the plan after the import ends with: %s", e.text)
	}
	for _, address := range slices.Sorted(maps.Keys(changes)) {
		if made := changes[address]; made.do != nothing {
			w.violate(asItIs, "after the import the plan of %s is to %s: %v", address, made.do, differences(made.prior, made.planned))
		}
	}
}
