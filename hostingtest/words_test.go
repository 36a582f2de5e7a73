package hostingtest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/hostingtest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// Each operation has a constant.
func TestOperations(t *testing.T) {
	t.Parallel()
	constants := strings.Fields(strings.Join([]string{
		hostingtest.OperationCreate, hostingtest.OperationUpdate, hostingtest.OperationDelete, hostingtest.OperationEngines, hostingtest.OperationAllowlist,
		hostingtest.OperationConsole, hostingtest.OperationAuthSettings, hostingtest.OperationRotate, hostingtest.OperationResize, hostingtest.OperationReset,
		hostingtest.OperationRestore, hostingtest.OperationEngineRestart, hostingtest.OperationDatabaseCreate, hostingtest.OperationDatabaseDrop,
		hostingtest.OperationExtensionSet, hostingtest.OperationExtensionDrop, hostingtest.OperationAppImport, hostingtest.OperationAppUpdate,
		hostingtest.OperationAppDelete, hostingtest.OperationAppRedeploy, hostingtest.OperationAppRestart,
	}, " "))
	if got, want := fmt.Sprint(constants), fmt.Sprint(core.JobOperations()); got != want {
		t.Errorf("the operations: got %s, want %s", got, want)
	}
	hostingtest.Start(t).SetDuration(hostingtest.OperationBuild, time.Second)
}

// A control that can never match or apply panics, because the test would pass without it.
func TestControlsThatCannotApply(t *testing.T) {
	t.Parallel()
	s := hostingtest.Start(t)
	creat := hostingtest.JobMatch{Operation: "creat"}
	for want, control := range map[string]func(){
		`operation: "creat"`:       func() { s.FailJobs(creat, 1, "x", "y") },
		`"creat" is not one of`:    func() { s.HoldJobs(creat) },
		`validation_failed: oper`:  func() { s.SetDuration("creat", time.Second) },
		"duration: it is negative": func() { s.SetDuration(hostingtest.OperationCreate, -1) },
		`path: "/instances/["`:     func() { s.Inject(hostingtest.Fault{Path: "/instances/[", Page: 503}) },
		"page must be":             func() { s.Away(time.Second, 200) },
		"does not run backwards":   func() { s.Advance(-time.Hour) },
		"the speed must be":        func() { hostingtest.New(hostingtest.WithSpeed(1e9)) },
		`no plan "gold"`:           func() { s.AddInstance(hostingtest.Instance{Plan: "gold"}) },
		`no region "mars"`:         func() { s.AddInstance(hostingtest.Instance{Region: "mars"}) },
		`status: "asleep"`:         func() { s.AddInstance(hostingtest.Instance{Status: "asleep"}) },
		`invalid engine "mysql"`:   func() { s.AddInstance(hostingtest.Instance{Engines: map[string]*hostingtest.Engine{"mysql": {}}}) },
	} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.HasPrefix(said, "hostingtest: ") || !strings.Contains(said, want) {
					t.Errorf("got the panic %s, want %q", said, want)
				}
			}()
			control()
		}()
	}
}

func TestWeatherNames(t *testing.T) {
	t.Parallel()
	for weather, want := range map[hostingtest.Weather]string{hostingtest.Calm: "calm", hostingtest.Breeze: "breeze", hostingtest.Storm: "storm"} {
		if got := weather.String(); got != want {
			t.Errorf("weather %d: got %q, want %q", weather, got, want)
		}
	}
}
