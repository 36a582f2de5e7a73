package client

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A lossyService is instances that can be created, by a service that loses
// answers.
type lossyService struct {
	instances []object
	created   []object // what each POST makes; nil makes nothing
	answers   []int    // how each POST is answered; 202, drop or another status
	keys      map[string]bool
}

func (s *lossyService) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		respond(w, 200, object{"instances": s.instances})
		return
	}
	s.keys[keyOf(r)] = true
	if made := s.created[0]; made != nil {
		if _, dated := made["created_at"]; !dated {
			made["created_at"] = time.Now().UTC().Format(time.RFC3339Nano)
		}
		if made["created_at"] == "" {
			delete(made, "created_at")
		}
		s.instances = append(s.instances, made)
	}
	status := s.answers[0]
	s.created, s.answers = s.created[1:], s.answers[1:]
	if status == 202 {
		made := s.instances[len(s.instances)-1]
		respond(w, 202, object{"id": made["id"], "status": "creating", "job_id": made["job_id"]})
		return
	}
	respond(w, status, object{"code": "unavailable"})
}

// keyOf is the idempotency key of a request, whose name is not in canonical form
// before it has travelled.
func keyOf(r *http.Request) string {
	for name, values := range r.Header {
		if strings.EqualFold(name, "Idempotency-Key") {
			return values[0]
		}
	}
	return ""
}

func instanceNamed(id, name string, more ...string) object {
	i := object{"id": id, "name": name, "plan": "free", "region": "eu", "status": "creating", "job_id": "j-" + id}
	for k := 0; k < len(more); k += 2 {
		i[more[k]] = more[k+1]
	}
	return i
}

func TestLostAnswerToACreation(t *testing.T) {
	old := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Hour).Format(time.RFC3339)
	rows := map[string]struct {
		before  []object
		created []object
		answers []int
		id      string // adopted or made; "" for an error
		err     error
		left    int
	}{
		"dropped after the commit": {nil, []object{instanceNamed("a", "web")}, []int{drop}, "a", nil, 1},
		"502 after the commit":     {nil, []object{instanceNamed("a", "web")}, []int{502}, "a", nil, 1},
		"502 before the commit":    {nil, []object{nil, instanceNamed("a", "web")}, []int{502, 202}, "a", nil, 1},
		"refused":                  {nil, []object{nil}, []int{422}, "", &APIError{}, 0},
		"an old namesake runs": {
			[]object{instanceNamed("old", "web", "status", "running", "created_at", old)},
			[]object{instanceNamed("a", "web")}, []int{drop}, "a", nil, 2,
		},
		"a namesake is being created": {
			[]object{instanceNamed("half", "web", "created_at", old)}, nil, nil, "", &NamesakeError{}, 1,
		},
		"no created_at": {
			nil, []object{instanceNamed("a", "web", "created_at", "")}, []int{drop}, "", &AmbiguousError{}, 1,
		},
		"another name, plan or region is not it": {
			nil, []object{instanceNamed("b", "other"), instanceNamed("a", "web")}, []int{drop, 202}, "a", nil, 2,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				service := &lossyService{instances: row.before, created: row.created, answers: row.answers, keys: map[string]bool{}}
				c, _ := newTestClient(t, service.serve)
				created, err := c.CreateInstance(t.Context(), NewInstance{Name: "web", Plan: "free", Region: "eu"})
				switch want := row.err.(type) {
				case nil:
					if err != nil || created.ID != row.id || created.JobID != "j-"+row.id {
						t.Errorf("%+v, %v", created, err)
					}
				case *APIError:
					if !errors.As(err, &want) {
						t.Errorf("%v", err)
					}
				case *NamesakeError:
					if !errors.As(err, &want) || want.ID != "half" {
						t.Errorf("%v", err)
					}
				case *AmbiguousError:
					if !errors.As(err, &want) || len(want.Candidates) != 1 {
						t.Errorf("%v", err)
					}
				}
				if len(service.instances) != row.left {
					t.Errorf("%d instances are left, want %d", len(service.instances), row.left)
				}
				if len(service.keys) > 1 {
					t.Errorf("%d idempotency keys for one creation", len(service.keys))
				}
			})
		})
	}
}

func TestTwoCandidatesAreAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := &lossyService{keys: map[string]bool{}}
		c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost { // somebody else creates one at the same time
				now := time.Now().UTC().Format(time.RFC3339)
				service.instances = []object{instanceNamed("a", "web", "created_at", now), instanceNamed("b", "web", "created_at", now)}
				respond(w, drop, nil)
				return
			}
			service.serve(w, r)
		})
		_, err := c.CreateInstance(t.Context(), NewInstance{Name: "web", Plan: "free", Region: "eu"})
		var ambiguous *AmbiguousError
		if !errors.As(err, &ambiguous) || strings.Join(ambiguous.Candidates, ",") != "a,b" {
			t.Errorf("%v", err)
		}
	})
}

func TestTwoCreationsOfOneNameNeverAdoptEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := &lossyService{
			created: []object{instanceNamed("a", "web"), instanceNamed("b", "web")},
			answers: []int{drop, drop},
			keys:    map[string]bool{},
		}
		c, _ := newTestClient(t, service.serve)
		ids := make(chan string, 2)
		for range 2 {
			go func() {
				created, err := c.CreateInstance(t.Context(), NewInstance{Name: "web", Plan: "free", Region: "eu"})
				if err != nil {
					t.Error(err)
				}
				ids <- created.ID
			}()
		}
		if one, other := <-ids, <-ids; one == other {
			t.Errorf("both got instance %s", one)
		}
		if len(service.instances) != 2 {
			t.Errorf("%d instances, want 2", len(service.instances))
		}
	})
}

func TestLostAnswerIsSettledByTheServicesClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The service's clock is a day behind this machine's.
		behind := func() time.Time { return time.Now().Add(-24 * time.Hour) }
		var instances []object
		posts := 0
		c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Date", behind().UTC().Format(http.TimeFormat))
			if r.Method == http.MethodPost {
				posts++
				instances = append(instances, instanceNamed("a", "web", "created_at", behind().UTC().Format(time.RFC3339)))
				respond(w, drop, nil)
				return
			}
			respond(w, 200, object{"instances": instances})
		})
		created, err := c.CreateInstance(t.Context(), NewInstance{Name: "web", Plan: "free", Region: "eu"})
		if err != nil || created.ID != "a" || posts != 1 {
			t.Errorf("%+v, %v after %d POSTs", created, err, posts)
		}
	})
}

func TestLostAnswersOfTheOtherPOSTs(t *testing.T) {
	now := func() string { return time.Now().UTC().Format(time.RFC3339Nano) }
	rows := map[string]struct {
		// made is what a GET shows after the POST, by the end of its path.
		made func() map[string]object
		send func(*testing.T, *Client, *Turn) error
	}{
		"app import": {
			func() map[string]object {
				return map[string]object{
					"apps/a":   {"name": "a", "created_at": now()},
					"builds":   {"builds": []object{{"id": "b-1", "created_at": now()}}},
					"i":        {"id": "i", "job_id": "j-1"},
					"jobs/j-1": {"id": "j-1", "operation": "app_import", "target": "apps/a", "created_at": now()},
				}
			},
			func(t *testing.T, _ *Client, turn *Turn) error {
				p, err := turn.ImportApp(t.Context(), NewApp{Name: "a"})
				if err == nil && (p.JobID != "j-1" || p.BuildID != "b-1") {
					t.Errorf("%+v", p)
				}
				return err
			},
		},
		"database": {
			func() map[string]object {
				return map[string]object{"i": {"id": "i"}, "databases": {"databases": []object{{"name": "d", "created_at": now()}}}}
			},
			func(t *testing.T, _ *Client, turn *Turn) error {
				_, err := turn.CreateDatabase(t.Context(), "d")
				return err
			},
		},
		"webhook": {
			func() map[string]object {
				return map[string]object{"webhooks": {"webhooks": []object{{"id": "w", "url": "https://h.example/", "created_at": now()}}}}
			},
			func(t *testing.T, c *Client, _ *Turn) error {
				w, err := c.CreateWebhook(t.Context(), "https://H.example/", "a secret of the caller", true)
				if err == nil && w.ID != "w" {
					t.Errorf("%+v", w)
				}
				return err
			},
		},
		"rotate": {
			func() map[string]object {
				return map[string]object{"i": {"id": "i", "job_id": "j-1"}, "jobs/j-1": {"id": "j-1", "operation": "rotate", "created_at": now()}}
			},
			func(t *testing.T, _ *Client, turn *Turn) error { _, err := turn.Rotate(t.Context()); return err },
		},
		"redeploy": {
			func() map[string]object {
				return map[string]object{"i": {"id": "i"}, "builds": {"builds": []object{{"id": "b-2", "created_at": now()}}}}
			},
			func(t *testing.T, _ *Client, turn *Turn) error {
				p, err := turn.RedeployApp(t.Context(), "a")
				if err == nil && p.BuildID != "b-2" {
					t.Errorf("%+v", p)
				}
				return err
			},
		},
		"engine restart": {
			func() map[string]object {
				return map[string]object{"i": {"id": "i", "job_id": "j-1"}, "jobs/j-1": {"id": "j-1", "operation": "engine_restart", "target": "engines/postgres", "created_at": now()}}
			},
			func(t *testing.T, _ *Client, turn *Turn) error {
				_, err := turn.RestartEngine(t.Context(), "postgres")
				return err
			},
		},
	}
	for name, row := range rows {
		for _, status := range []int{drop, 502, 500} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var made map[string]object
					posts := 0
					c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
						if r.Method == http.MethodPost {
							posts++
							made = row.made()
							respond(w, status, object{})
							return
						}
						for end, body := range made {
							if strings.HasSuffix(r.URL.Path, "/"+end) {
								respond(w, 200, body)
								return
							}
						}
						refuse(w, 404, "not_found")
					})
					// An answer of some minutes ago has told the service's time.
					if _, err := c.Account(t.Context()); err == nil {
						t.Error("the account was not to be found")
					}
					time.Sleep(5 * time.Minute)
					turn, _ := c.Enter(t.Context(), "i")
					if err := row.send(t, c, turn); err != nil {
						t.Error(err)
					}
					if posts != 1 {
						t.Errorf("%d POSTs, want 1", posts)
					}
				})
			})
		}
	}
}

func TestQueryIsNeverSentTwice(t *testing.T) {
	for _, status := range []int{drop, 502, 503} {
		synctest.Test(t, func(t *testing.T) {
			c, transport := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) { respond(w, status, object{}) })
			turn, _ := c.Enter(t.Context(), "i")
			_, err := turn.Query(t.Context(), "", "DELETE FROM t")
			if !outcomeUnknown(err) || !strings.Contains(err.Error(), "whether the service carried it out is unknown") {
				t.Errorf("%v", err)
			}
			if n := len(transport.requests()); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}
