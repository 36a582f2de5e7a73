package scenario

import (
	"context"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// loadingPlane is a data plane that calls a function while it loads a machine.
type loadingPlane struct {
	core.DataPlane
	loading func()
}

func (p *loadingPlane) Attach(core.ControlPlane)                   {}
func (p *loadingPlane) Endpoints(string) core.Endpoints            { return core.Endpoints{Host: "127.0.0.1"} }
func (p *loadingPlane) Apply(context.Context, string) error        { return nil }
func (p *loadingPlane) Remove(context.Context, string) error       { return nil }
func (p *loadingPlane) Save(context.Context, string, string) error { return nil }
func (p *loadingPlane) CheckSaved(string) error                    { return nil }
func (p *loadingPlane) Close() error                               { return nil }
func (p *loadingPlane) Load(context.Context, string, string) error {
	p.loading()
	return nil
}

// A snapshot is neither replaced nor deleted while it is restored.
func TestSnapshotStaysDuringARestore(t *testing.T) {
	t.Parallel()
	plane := &loadingPlane{}
	service := must.Get(core.Open(core.Options{DataPlane: plane}))(t)
	t.Cleanup(func() { _ = service.Close() })
	service.AddInstance(core.Instance{Host: "127.0.0.1"})
	folder := t.TempDir()
	s := New(Options{Core: service, Snapshots: func() (string, error) { return folder, nil }})
	must.Do(t, s.TakeSnapshot(t.Context(), "first"))
	loads := 0
	plane.loading = func() {
		loads++
		if s.filling.TryLock() {
			s.filling.Unlock()
			t.Error("during a restore: got the lock for a change of snapshots, want none")
		}
	}
	if err := s.RestoreSnapshot(t.Context(), "first"); err != nil || loads != 1 {
		t.Errorf("RestoreSnapshot: got %d loads and error %v, want one load", loads, err)
	}
}
