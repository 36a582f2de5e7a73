package postgres

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// consoleService has an instance i-1 whose console is off. It refuses the first statements,
// each in its way.
type consoleService struct {
	mode     string
	refusals []refusal
	ran      int
	modes    []string // the modes that were requested
}

type refusal struct {
	mode         string // the console's mode from now on, or "" if it stays
	status       int
	code, detail string
}

func (s *consoleService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := map[string]any{"id": "i-1", "status": "running", "console_mode": s.mode}
	switch path := strings.TrimPrefix(r.URL.Path, "/api/v1"); {
	case strings.HasPrefix(path, "/jobs/"):
		answer = map[string]any{"id": "job-1", "status": "done", "progress": 100}
	case strings.HasSuffix(path, "/query") && len(s.refusals) > 0:
		refused := s.refusals[0]
		s.refusals = s.refusals[1:]
		if refused.mode != "" {
			s.mode = refused.mode
		}
		w.WriteHeader(refused.status)
		answer = map[string]any{"code": refused.code, "detail": refused.detail}
	case strings.HasSuffix(path, "/query"):
		s.ran++
		answer = map[string]any{"columns": []any{}, "rows": []any{}, "row_count": 0, "command": "CREATE TABLE"}
	case r.Method == http.MethodPut:
		var body struct{ Mode string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		s.mode, s.modes = body.Mode, append(s.modes, body.Mode)
		w.WriteHeader(http.StatusAccepted)
		answer = map[string]any{"job_id": "job-1"}
	case strings.HasSuffix(path, "/sql-console"):
		answer = map[string]any{"mode": s.mode}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// A statement is sent again if another client has closed the console after the script
// opened it, and only then.
func TestStatementIsSentAgain(t *testing.T) {
	off := refusal{"off", 403, "console_off", "the console is off"}
	readOnly := refusal{"", 422, "sql_error", "cannot execute CREATE TABLE in a read-only transaction (SQLSTATE 25006)"}
	readOnlyNow := readOnly
	readOnlyNow.mode = "ro"
	for name, row := range map[string]struct {
		refusals []refusal
		ran      bool
		modes    string
	}{
		"it runs":                                {nil, true, "rw off"},
		"turned off once":                        {[]refusal{off}, true, "rw rw off"},
		"turned off twice":                       {[]refusal{off, off}, true, "rw rw rw off"},
		"set to ro by another":                   {[]refusal{readOnlyNow}, true, "rw rw ro"},
		"its role may never write":               {[]refusal{readOnly}, false, "rw off"},
		"the statement is wrong":                 {[]refusal{{"", 422, "sql_error", "syntax error (SQLSTATE 42601)"}}, false, "rw off"},
		"turned off, and the statement is wrong": {[]refusal{off, {"", 422, "sql_error", "syntax error (SQLSTATE 42601)"}}, false, "rw rw off"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service := &consoleService{mode: "off", refusals: row.refusals}
				c := providertest.Client(t, service)
				turn, err := c.Enter(t.Context(), "i-1")
				if err != nil {
					t.Fatal(err)
				}
				defer turn.Leave()
				ran, err := (&console{client: c, turn: turn}).query(t.Context(), "", "create table t ()")
				if ran != row.ran || (err == nil) != row.ran || service.ran > 1 || (service.ran == 1) != row.ran {
					t.Errorf("got %v, %v, ran %d times, want %v", ran, err, service.ran, row.ran)
				}
				if got := strings.Join(service.modes, " "); got != row.modes {
					t.Errorf("got the modes %s, want %s", got, row.modes)
				}
			})
		})
	}
}
