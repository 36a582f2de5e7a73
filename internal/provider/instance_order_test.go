package provider

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// A size is a plan with engines on it.
type size struct {
	plan    string
	engines map[string]int
}

// randomSize is a plan and budgets that the plan carries.
func randomSize(random *rand.Rand, plans client.Plans) size {
	for {
		plan := plans.Plans[random.IntN(len(plans.Plans))]
		engines, sum := map[string]int{}, 0
		for _, name := range engineNames {
			if name == "auth" && (engines["postgres"] == 0 || engines["apps"] == 0) || random.IntN(2) == 0 {
				continue
			}
			floor := int(plans.Engines[name].FloorMB)
			engines[name] = floor + random.IntN(int(plan.MemoryMB))*random.IntN(2)
			sum += engines[name]
		}
		if sum <= int(plan.MemoryMB) {
			return size{plan.ID, engines}
		}
	}
}

func (s size) model(base instanceModel) instanceModel {
	engines := map[string]types.Int64{}
	for name, memory := range s.engines {
		engines[name] = types.Int64Value(int64(memory))
	}
	base.Plan, base.Engines = types.StringValue(s.plan), objectOfEngines(engines)
	return base
}

// Whatever an instance's plan and engines were and are to be: as both fit, there
// is an order of resize and engines in which the service refuses neither.
func TestResizeAndEnginesAlwaysFit(t *testing.T) {
	fake := fakeservicetest.Start(t, func(o *fakeservice.Options) { o.Speed = 100000 })
	c, err := client.New(client.Options{BaseURL: fake.BaseURL, APIKey: fakeservice.DefaultAPIKey})
	if err != nil {
		t.Fatal(err)
	}
	plans, err := c.Plans(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	r := &instanceResource{resourceBase{client: c}}
	var all sync.WaitGroup
	for n := range 200 {
		before, after := randomSize(random, plans), randomSize(random, plans)
		record := fakeservice.Instance{ID: fmt.Sprint("i-", n), Name: "test", Plan: before.plan, Region: "eu-central", Engines: map[string]*fakeservice.Engine{}}
		for name, memory := range before.engines {
			record.Engines[name] = &fakeservice.Engine{MemoryMB: memory}
		}
		fake.AddInstance(record)
		all.Go(func() {
			base := instanceModel{
				ID: types.StringValue(record.ID), Name: types.StringValue("test"), Region: types.StringValue("eu-central"),
				Status: types.StringValue(client.StatusRunning), Tags: types.SetNull(types.StringType), DeletionProtection: types.BoolValue(false),
			}
			model, planned := before.model(base), after.model(base)
			turn, err := c.Enter(t.Context(), record.ID)
			if err != nil {
				t.Error(err)
				return
			}
			defer turn.Leave()
			instance, err := r.read(t.Context(), turn)
			if err == nil {
				err = r.bring(t.Context(), turn, &model, planned, instance, nil, func() {})
			}
			if err != nil {
				t.Errorf("seed %d: from %v to %v: %v", seed, before, after, err)
			}
			if !model.Plan.Equal(planned.Plan) || !model.Engines.Equal(planned.Engines) {
				t.Errorf("seed %d: from %v to %v came to %v, %v", seed, before, after, model.Plan, model.Engines)
			}
		})
	}
	all.Wait()
	for _, request := range fake.Requests() {
		if request.Status == http.StatusUnprocessableEntity {
			t.Errorf("seed %d: %s %s %s answered 422", seed, request.Method, request.Path, request.Body)
		}
	}
}
