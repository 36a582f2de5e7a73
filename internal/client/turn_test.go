package client

import (
	"errors"
	"net/http"
	"reflect"
	"testing"
	"testing/synctest"
)

// Every change of an instance after its turn was left is an error and is not sent.
func TestTurnAfterLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				t.Errorf("requests: got %s, want only GET", r.Method)
			}
			respond(w, 200, object{"id": "i", "status": "deleting", "apps": []object{}, "databases": []object{}})
		})
		turn := enter(t, c)
		turn.Leave()
		ctx := t.Context()
		for name, err := range map[string]error{
			"Update":          second(turn.Update(ctx, InstanceSettings{})),
			"Delete":          second(turn.Delete(ctx, nil)),
			"SetEngines":      second(turn.SetEngines(ctx, nil)),
			"SetAllowlist":    second(turn.SetAllowlist(ctx, nil)),
			"SetConsoleMode":  second(turn.SetConsoleMode(ctx, ConsoleOff)),
			"SetAuthSettings": second(turn.SetAuthSettings(ctx, AuthSettings{})),
			"Rotate":          second(turn.Rotate(ctx)),
			"Resize":          second(turn.Resize(ctx, "p")),
			"Reset":           second(turn.Reset(ctx, "i", "")),
			"Restore":         second(turn.Restore(ctx, "i", "b")),
			"RestartEngine":   second(turn.RestartEngine(ctx, "redis")),
			"ImportApp":       second(turn.ImportApp(ctx, NewApp{Name: "a"})),
			"UpdateApp":       second(turn.UpdateApp(ctx, "a", AppSettings{})),
			"DeleteApp":       second(turn.DeleteApp(ctx, "a", nil)),
			"RedeployApp":     second(turn.RedeployApp(ctx, "a")),
			"RebuildApp":      second(turn.RebuildApp(ctx, "a", nil)),
			"RestartApp":      second(turn.RestartApp(ctx, "a")),
			"CreateDatabase":  second(turn.CreateDatabase(ctx, "d")),
			"DropDatabase":    second(turn.DropDatabase(ctx, "d", nil)),
			"SetExtension":    second(turn.SetExtension(ctx, "d", "e")),
			"DropExtension":   second(turn.DropExtension(ctx, "d", "e")),
			"Query":           turn.Query(ctx, "", "SELECT 1"),
		} {
			if !errors.Is(err, ErrTurnLeft) {
				t.Errorf("%s: got error %v, want ErrTurnLeft", name, err)
			}
		}
		if methods := reflect.TypeFor[*Turn]().NumMethod(); methods != 22+9 {
			t.Errorf("the methods of a Turn: got %d, want 31, the 22 in the table of TestTurnAfterLeave in turn_test.go and 9 others: add a new method to the table and to both counts; AwaitIdle, BackOff, Do, InstanceID, Leave, OwnDatabase, QueuedBuild, Wait and WaitNamed change nothing by themselves", methods)
		}
	})
}
