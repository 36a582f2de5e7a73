package client

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A databaseService is a service that creates databases, loses answers and executes
// requests late.
type databaseService struct {
	names []string
	plan  []lostPOST // the first POSTs with their failures; later ones succeed
	lag   time.Duration
	away  time.Duration // how long no connection can be opened
	since time.Duration // when that begins, after the first POST

	mu       sync.Mutex
	posts    int
	first    time.Time
	job      string // the running job
	finished map[string]bool
	seen     []sight // the states that reads showed, by time
}

type lostPOST struct {
	answer  int
	commits time.Duration // after the POST; negative for never
}

type sight struct {
	at    time.Time
	job   string
	names []string
}

const never = -1

// start runs a job for a while and then applies its effect.
func (s *databaseService) start(id string, takes time.Duration, effect func()) {
	s.job = id
	s.note()
	time.AfterFunc(takes, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		effect()
		s.finished[id] = true
		s.job = ""
		s.note()
	})
}

func (s *databaseService) note() {
	s.seen = append(s.seen, sight{time.Now(), s.job, append([]string(nil), s.names...)})
}

// commit creates a database unless it exists or a job runs.
func (s *databaseService) commit(id string) {
	if s.job != "" || len(s.names) > 0 && s.names[len(s.names)-1] == "d" {
		return
	}
	s.start(id, 5*time.Second, func() { s.names = append(s.names, "d") })
}

// shown returns the state that a replica currently shows.
func (s *databaseService) shown() sight {
	shown := s.seen[0]
	for _, sight := range s.seen {
		if time.Since(sight.at) >= s.lag {
			shown = sight
		}
	}
	return shown
}

func (s *databaseService) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if after := time.Since(s.first); !s.first.IsZero() && after >= s.since && after < s.away {
		respond(w, refused, nil)
		return
	}
	shown := s.shown()
	path := strings.TrimPrefix(r.URL.Path, "/api/v1")
	switch {
	case r.Method == http.MethodPost:
		s.post(w)
	case path == "/instances/i":
		respond(w, 200, object{"id": "i", "status": "running", "job_id": shown.job})
	case path == "/instances/i/postgres/databases":
		list := []object{}
		for _, name := range shown.names {
			list = append(list, object{"name": name, "created_at": "2019-01-01T00:00:00Z"})
		}
		respond(w, 200, object{"databases": list})
	default:
		id := strings.TrimPrefix(path, "/jobs/")
		operation, target := OpDatabaseCreate, "postgres/databases/d"
		if id == "j-foreign" {
			operation, target = OpResize, ""
		}
		status := "running"
		if s.finished[id] {
			status = "done"
		}
		respond(w, 200, object{"id": id, "operation": operation, "target": target, "status": status})
	}
}

func (s *databaseService) post(w http.ResponseWriter) {
	s.posts++
	if s.posts == 1 {
		s.first = time.Now()
	}
	id := "j-" + strings.Repeat("x", s.posts)
	if len(s.plan) > 0 {
		mishap := s.plan[0]
		s.plan = s.plan[1:]
		switch {
		case mishap.commits == 0:
			s.commit(id)
		case mishap.commits > 0:
			time.AfterFunc(mishap.commits, func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.commit(id)
			})
		}
		gatewayPage(w, mishap.answer)
		return
	}
	switch {
	case s.job != "":
		refuse(w, 409, "job_running")
	case len(s.names) > 0 && s.names[len(s.names)-1] == "d":
		refuse(w, 409, "already_exists")
	default:
		s.commit(id)
		respond(w, 202, object{"job_id": id})
	}
}

func TestLostCreationOfADatabase(t *testing.T) {
	for name, row := range map[string]struct {
		service *databaseService
		foreign time.Duration // how long another client's job runs
		err     error
		posts   int // maximum
		takes   time.Duration
	}{
		"carried out at once":               {&databaseService{plan: []lostPOST{{504, 0}}}, 0, nil, 1, 0},
		"not carried out":                   {&databaseService{plan: []lostPOST{{504, never}}}, 0, nil, 2, 0},
		"not carried out, dropped":          {&databaseService{plan: []lostPOST{{dropped, never}, {502, never}, {brokenOff, never}, {truncated, never}}}, 0, nil, 5, 0},
		"carried out 0.3 s later":           {&databaseService{plan: []lostPOST{{504, 300 * time.Millisecond}}}, 0, nil, 2, 0},
		"carried out 4 s later":             {&databaseService{plan: []lostPOST{{504, 4 * time.Second}}}, 0, nil, 2, 0},
		"carried out late, both":            {&databaseService{plan: []lostPOST{{504, 4 * time.Second}, {504, 4 * time.Second}}}, 0, nil, 9, 0},
		"behind a replica that lags":        {&databaseService{plan: []lostPOST{{504, 0}}, lag: 10 * time.Second}, 0, nil, 9, 0},
		"behind a replica, by its own 202":  {&databaseService{lag: 10 * time.Second}, 0, nil, 1, 0},
		"while somebody else's job runs":    {&databaseService{plan: []lostPOST{{504, never}}}, 30 * time.Second, nil, 3, 30 * time.Second},
		"then nobody can connect":           {&databaseService{plan: []lostPOST{{504, 0}}, away: 70 * time.Second}, 0, nil, 1, 70 * time.Second},
		"and nobody could, nothing was":     {&databaseService{plan: []lostPOST{{504, never}}, away: 70 * time.Second}, 0, nil, 2, 70 * time.Second},
		"then nobody can be sent anything":  {&databaseService{plan: []lostPOST{{504, 4 * time.Second}}, away: time.Minute, since: 10 * time.Millisecond}, 0, nil, 1, time.Minute},
		"one of years ago":                  {&databaseService{names: []string{"d"}, plan: []lostPOST{{504, never}}}, 0, ErrAlreadyExists, 2, 0},
		"one of years ago, again and again": {&databaseService{names: []string{"d"}, plan: []lostPOST{{504, never}, {dropped, never}}}, 0, ErrAlreadyExists, 3, 0},
		"one of years ago, answered":        {&databaseService{names: []string{"d"}}, 0, ErrAlreadyExists, 1, 0},
		"another of years ago":              {&databaseService{names: []string{"c"}, plan: []lostPOST{{504, 0}}}, 0, nil, 1, 0},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := row.service
			s.finished = map[string]bool{}
			s.note()
			c, _ := newTestClient(t, s.serve)
			turn := enter(t, c)
			must.Get(c.Instance(t.Context(), "i"))(t)
			if row.foreign > 0 {
				s.start("j-foreign", row.foreign, func() {})
			}
			begun := time.Now()
			err := turn.Do(within(t, 20*time.Minute), OpDatabaseCreate, func(ctx context.Context) (Pending, error) { return turn.CreateDatabase(ctx, "d") })
			if row.err == nil && (err != nil || len(s.names) == 0 || s.names[len(s.names)-1] != "d") || row.err != nil && !errors.Is(err, row.err) {
				t.Errorf("CreateDatabase: got error %v with the databases %v, want %v, and d as the last if there is none", err, s.names, row.err)
			}
			if s.posts > row.posts {
				t.Errorf("POSTs: got %d, want at most %d", s.posts, row.posts)
			}
			if took := time.Since(begun); took > row.takes+row.takes/3+time.Minute {
				t.Errorf("CreateDatabase: got an end after %s, want one within %s", took, row.takes+row.takes/3+time.Minute)
			}
			t.Logf("%d POSTs in %s", s.posts, time.Since(begun))
		})
	}
}

// If the request is refused for another reason, or the search fails, that error is
// returned.
func TestLostCreationThatCannotBeLookedFor(t *testing.T) {
	forbidden := func(w http.ResponseWriter, _ *http.Request) { refuse(w, 403, "forbidden") }
	none := says(200, object{"databases": []object{}})
	for name, row := range map[string]struct {
		post, list, instance http.HandlerFunc
		takes                time.Duration
		unknown              bool
	}{
		"the list is forbidden then":     {gateway(504), inTurn(none, forbidden), says(200, object{"id": "i"}), patience + time.Minute, true},
		"the instance is forbidden then": {gateway(504), none, forbidden, patience + time.Minute, true},
		"everything fails from then on":  {gateway(504), inTurn(none, gateway(502)), gateway(502), patience + time.Minute, true},
		"it is lost again and again":     {gateway(504), none, says(200, object{"id": "i"}), patience + time.Minute, true},
		"it is refused then":             {inTurn(gateway(504), forbidden), none, says(200, object{"id": "i"}), time.Minute, false},
		"the instance is gone then":      {inTurn(gateway(504), notFound), none, says(200, object{"id": "i"}), time.Minute, false},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, wire := newTestClient(t, script{"POST /instances/i/postgres/databases": row.post, "GET /instances/i/postgres/databases": row.list, "GET /instances/i": row.instance}.Serve)
			turn := enter(t, c)
			begun := time.Now()
			_, err := turn.CreateDatabase(t.Context(), "d")
			if err == nil || transport.OutcomeUnknown(err) != row.unknown {
				t.Errorf("CreateDatabase: got error %v, want an error with an unknown outcome: %t", err, row.unknown)
			}
			if took := time.Since(begun); took > row.takes {
				t.Errorf("CreateDatabase: got an end after %s, want one within %s", took, row.takes)
			}
			if n := len(wire.Requests()); n > 600 {
				t.Errorf("requests: got %d, want at most 600", n)
			}
		})
	}
}

func TestLostImportOfAnApp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := false
		c, wire := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			switch path := strings.TrimPrefix(r.URL.Path, "/api/v1/instances/i"); {
			case r.Method == http.MethodPost:
				made = true
				gatewayPage(w, 502)
			case path == "":
				respond(w, 200, object{"id": "i", "job_id": "j-1"})
			case path == "/apps":
				respond(w, 200, object{"apps": []object{{"name": "other"}}})
			case made && path == "/apps/a":
				respond(w, 200, object{"name": "a"})
			case made && r.URL.Path == "/api/v1/jobs/j-1":
				respond(w, 200, object{"id": "j-1", "operation": "app_import", "target": "apps/a", "status": "running"})
			default:
				notFound(w, r)
			}
		})
		pending, err := enter(t, c).ImportApp(t.Context(), NewApp{Name: "a"})
		if err != nil || pending.JobID != "j-1" || wire.Count("POST") != 1 {
			t.Errorf("ImportApp: got %+v, error %v and requests %v, want job j-1 after one POST", pending, err, wire.Requests())
		}
	})
}

// All attempts of one creation use the same key. The next creation uses a different one.
func TestKeysOfCreations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &databaseService{plan: []lostPOST{{504, never}, {502, never}}, finished: map[string]bool{}}
		s.note()
		keys := map[string]int{}
		c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				keys[keyOf(r)]++
			}
			s.serve(w, r)
		})
		turn := enter(t, c)
		for range 2 {
			_ = turn.Do(t.Context(), OpDatabaseCreate, func(ctx context.Context) (Pending, error) { return turn.CreateDatabase(ctx, "d") })
		}
		if len(keys) != 2 || keys[""] > 0 {
			t.Errorf("idempotency keys of the POST requests: got %v, want 2 distinct keys", keys)
		}
	})
}

// keyOf returns the idempotency key of a request. The name of the header is not canonical
// before the request is sent.
func keyOf(r *http.Request) string {
	for name, values := range r.Header {
		if strings.EqualFold(name, "Idempotency-Key") {
			return values[0]
		}
	}
	return ""
}
