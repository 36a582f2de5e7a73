package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// usualResource is a resource with the first plausible value of each attribute, in the
// forms in which a CLI sends it.
type usualResource struct {
	s        drawnSchema
	state    *tfprotov6.DynamicValue
	config   *tfprotov6.DynamicValue
	identity *tfprotov6.ResourceIdentityData
	kept     []byte
}

func usual(kind, id string) usualResource {
	for _, s := range drawnSchemas() {
		if s.kind != kind {
			continue
		}
		state, config := object{}, object{}
		for _, a := range s.attributes {
			if len(valuesOf(a.Name)) == 0 {
				panic("add values of " + a.Name + " to plausible in unchanged_draw_test.go")
			}
			state[a.Name] = valuesOf(a.Name)[0]
			if a.Name == "id" || a.Name == "instance_id" {
				state[a.Name] = id
			}
			if a.Optional || a.Required {
				config[a.Name] = state[a.Name]
			}
		}
		kept, err := json.Marshal(state)
		if err != nil {
			panic(err) // encoding/json can encode all of its values
		}
		r := usualResource{s: s, state: dynamicOf(s.of, state), config: dynamicOf(s.of, config), kept: kept}
		if s.identity != nil {
			r.identity = &tfprotov6.ResourceIdentityData{IdentityData: dynamicOf(s.identity, state)}
		}
		return r
	}
	panic("there is no " + kind)
}

// unchangedCalls contains the calls of a plan that changes nothing.
var unchangedCalls = []struct {
	name string
	make func(context.Context, tfprotov6.ProviderServer, usualResource) error
}{
	{"validate", func(ctx context.Context, server tfprotov6.ProviderServer, r usualResource) error {
		_, err := server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: r.s.kind, Config: r.config})
		return err
	}},
	{"upgrade", func(ctx context.Context, server tfprotov6.ProviderServer, r usualResource) error {
		_, err := server.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{TypeName: r.s.kind, RawState: &tfprotov6.RawState{JSON: r.kept}})
		return err
	}},
	{"read", func(ctx context.Context, server tfprotov6.ProviderServer, r usualResource) error {
		_, err := server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: r.s.kind, CurrentState: r.state, CurrentIdentity: r.identity, Private: usualPrivate})
		return err
	}},
	{"plan", func(ctx context.Context, server tfprotov6.ProviderServer, r usualResource) error {
		_, err := server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
			TypeName: r.s.kind, PriorState: r.state, ProposedNewState: r.state, Config: r.config, PriorIdentity: r.identity, PriorPrivate: usualPrivate,
		})
		return err
	}},
}

// usualPrivate is the private state of an object that was seen in the account of
// usualRecords.
var usualPrivate = providertest.PrivateState{privatestate.AccountNoteKey: []byte(`{"id":"acc-1","origin":"https://hosting.test"}`)}.Encoded()

// usualRecords returns the service's records of instances.
func usualRecords(ids ...string) drawnRecords {
	records, all := drawnRecords{}, []any{}
	for _, id := range ids {
		instance := object{"id": id, "console_mode": "ro"}
		for record, attribute := range map[string]string{"name": "name", "plan": "plan", "region": "region", "status": "status", "host": "host", "engines": "engines", "tags": "tags_all", "created_at": "created_at"} {
			instance[record] = valuesOf(attribute)[0]
		}
		records["/instances/"+id] = instance
		all = append(all, instance)
	}
	records["/instances"] = object{"instances": all}
	records["/me"] = object{"id": "acc-1"}
	return records
}

func (s side) configure(t testing.TB) {
	t.Helper()
	answer, err := s.server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		Config: dynamicOf(providerType(), object{"base_url": "https://hosting.test/api/v1", "api_key": "a-key-of-the-tests"}),
	})
	if err != nil || len(answer.Diagnostics) > 0 {
		t.Fatalf("the configuration: got %v and error %v, want neither diagnostics nor an error", answer, err)
	}
}

// BenchmarkUnchanged measures a call about an instance that does not change, with an
// unchangedServer and with only the framework.
func BenchmarkUnchanged(b *testing.B) {
	r := usual("hosting_instance", "i-1")
	for _, call := range unchangedCalls {
		for name, left := range map[string]*map[string]int{"unchanged": {}, "framework": nil} {
			b.Run(call.name+"/"+name, func(b *testing.B) {
				s := newSide(usualRecords("i-1"), left)
				s.configure(b)
				b.ReportAllocs()
				for b.Loop() {
					if err := call.make(b.Context(), s.server, r); err != nil {
						b.Fatal(err)
					}
				}
				if left != nil && len(*left) > 0 {
					b.Fatalf("calls of the framework: got %v, want none", *left)
				}
			})
		}
	}
}

// TestRefreshesGrowNothing checks that the heap does not grow when one process refreshes
// and plans 200 instances ten times.
func TestRefreshesGrowNothing(t *testing.T) {
	const instances, most = 200, 1 << 20
	var ids []string
	var all []usualResource
	for i := range instances {
		ids = append(ids, fmt.Sprintf("i-%d", i))
		all = append(all, usual("hosting_instance", ids[i]))
	}
	server := NewServer("growth", WithTransport(&drawnService{records: usualRecords(ids...)}))
	side{server: server}.configure(t)
	var after [11]runtime.MemStats
	for n := range after {
		for _, r := range all {
			for _, call := range unchangedCalls {
				if err := call.make(t.Context(), server, r); err != nil {
					t.Fatal(err)
				}
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after[n])
	}
	grown := int64(after[10].HeapAlloc) - int64(after[0].HeapAlloc)
	t.Logf("ten refreshes of %d instances have grown the heap by %d KiB, from %d KiB", instances, grown>>10, after[0].HeapAlloc>>10)
	if grown > most {
		t.Errorf("the growth of the heap in ten refreshes: got %d bytes, want at most %d", grown, most)
	}
}

// The framework keeps the context of each call until the provider is stopped. A response
// that was computed before the framework was called must not be kept with the context.
func TestChangedReadsGrowNothing(t *testing.T) {
	const reads, most = 1000, 1 << 10
	r, records := usual("hosting_instance", "i-1"), usualRecords("i-1")
	records["/instances/i-1"].(object)["name"] = "renamed"
	server := NewServer("growth", WithTransport(&drawnService{records: records}))
	side{server: server}.configure(t)
	var after [2]runtime.MemStats
	for n := range after {
		for range reads {
			if err := unchangedCalls[2].make(t.Context(), server, r); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		runtime.GC() // the second collection frees the memory of pools
		runtime.ReadMemStats(&after[n])
	}
	if kept := (int64(after[1].HeapAlloc) - int64(after[0].HeapAlloc)) / reads; kept > most {
		t.Errorf("each read of a changed instance: got %d bytes kept, want at most %d", kept, most)
	}
}
