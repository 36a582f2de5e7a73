package actions

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// An action that is interrupted while it waits for the instance's queue sends nothing, and
// does not count as done.
func TestActionInterruptedInTheQueue(t *testing.T) {
	fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
	defer func() { _ = fake.Close() }()
	fake.AddInstance(fakeservice.Instance{ID: "i-1", Name: "shop"})
	c := providertest.Client(t, fake)
	turn, err := c.Enter(t.Context(), "i-1")
	if err != nil {
		t.Fatal(err)
	}
	defer turn.Leave()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := &InstanceAction{Operation: client.OpRotate, Send: func(ctx context.Context, turn *client.Turn, _ Arguments) (client.Pending, error) {
		t.Error("the action was sent")
		return client.Pending{}, nil
	}}
	a.Client = c
	if err := a.run(ctx, Arguments{"instance_id": "i-1"}, time.Hour, func(line string) { t.Errorf("the progress: got %q, want none", line) }); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want context.Canceled", err)
	}
}
