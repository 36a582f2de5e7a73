package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transporttest"
)

// A market is a service that creates instances, loses answers, and shows new instances
// late.
type market struct {
	instances []object
	answer    int              // to each POST: 202, or a failure
	commits   time.Duration    // after the POST; negative for never.
	clock     time.Duration    // the error of its clock
	twin      time.Duration    // the time from our POST until another client creates an equal instance; 0 for none.
	made      object           // created instead of the requested instance, if non-nil.
	failing   http.HandlerFunc // the list, for a time after the POST
	fails     time.Duration

	mu     sync.Mutex
	posts  int
	posted time.Time
	keys   map[string]bool
}

func (m *market) make(id string, name any) {
	i := instanceNamed(id, name.(string))
	i["created_at"] = time.Now().Add(m.clock).UTC().Format(time.RFC3339)
	for field, value := range m.made {
		i[field] = value
	}
	m.instances = append(m.instances, i)
}

func (m *market) later(after time.Duration, id string) {
	time.AfterFunc(after, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.make(id, "web")
	})
}

func instanceNamed(id, name string, more ...any) object {
	i := object{"id": id, "name": name, "plan": "free", "region": "eu", "status": "creating", "job_id": "j-" + id, "tags": []string{}, "engines": object{}}
	for k := 0; k < len(more); k += 2 {
		i[more[k].(string)] = more[k+1]
	}
	return i
}

func (m *market) serve(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w.Header().Set("Date", time.Now().Add(m.clock).UTC().Format(http.TimeFormat))
	switch {
	case strings.HasSuffix(r.URL.Path, "/locations"):
		respond(w, 200, object{"locations": []object{{"id": "eu"}, {"id": "us"}}})
	case r.Method == http.MethodPost:
		m.posts++
		m.posted = time.Now()
		if m.keys == nil {
			m.keys = map[string]bool{}
		}
		m.keys[keyOf(r)] = true
		id := fmt.Sprint("own-", m.posts)
		switch {
		case m.commits == 0:
			m.make(id, "web")
		case m.commits > 0:
			m.later(m.commits, id)
		}
		if m.twin > 0 {
			m.later(m.twin, "twin")
		}
		if m.answer == 202 {
			respond(w, 202, object{"id": id, "status": "creating", "job_id": "j-" + id})
			return
		}
		gatewayPage(w, m.answer)
	case m.failing != nil && !m.posted.IsZero() && time.Since(m.posted) < m.fails:
		m.failing(w, r)
	default:
		respond(w, 200, object{"instances": append([]object{}, m.instances...)})
	}
}

var web = NewInstance{InstanceSettings: InstanceSettings{Name: Some("web")}, Plan: "free", Region: "eu"}

func TestLostCreationOfAnInstance(t *testing.T) {
	day := 24 * time.Hour
	for name, row := range map[string]struct {
		market  *market
		err     any    // nil for an instance
		id      string // own-1 by default
		takes   time.Duration
		timeout time.Duration // of the operation; an hour by default
	}{
		"answered":                          {&market{answer: 202}, nil, "", 0, 0},
		"dropped after the commit":          {&market{answer: dropped}, nil, "", 0, 0},
		"truncated after the commit":        {&market{answer: truncated}, nil, "", 0, 0},
		"broken off after the commit":       {&market{answer: brokenOff}, nil, "", 0, 0},
		"502 after the commit":              {&market{answer: 502}, nil, "", 0, 0},
		"500 after the commit":              {&market{answer: 500}, nil, "", 0, 0},
		"504, commit 4 s later":             {&market{answer: 504, commits: 4 * time.Second}, nil, "", 4 * time.Second, 0},
		"504, commit 40 s later":            {&market{answer: 504, commits: 40 * time.Second}, nil, "", 40 * time.Second, 0},
		"504, commit 9 min later":           {&market{answer: 504, commits: 9 * time.Minute}, nil, "", 9 * time.Minute, 0},
		"a gateway's 404, commit 4 s later": {&market{answer: 404, commits: 4 * time.Second}, nil, "", 4 * time.Second, 0},
		"504, never carried out":            {&market{answer: 504, commits: never}, &UnknownCreationError{}, "", patience, 0},
		"504, carried out after 11 min":     {&market{answer: 504, commits: 11 * time.Minute}, &UnknownCreationError{}, "", patience, 0},
		"504, never, a timeout of 2 min":    {&market{answer: 504, commits: never}, &UnknownCreationError{}, "", 2 * time.Minute, 2 * time.Minute},
		"504, commit just after its end":    {&market{answer: 504, commits: 2*time.Minute + 10*time.Second}, nil, "", 2 * time.Minute, 2 * time.Minute},
		"a clock that is a day ahead":       {&market{answer: 504, commits: 4 * time.Second, clock: day}, nil, "", 4 * time.Second, 0},
		"a clock that is a day behind":      {&market{answer: 504, commits: 4 * time.Second, clock: -day}, nil, "", 4 * time.Second, 0},
		"without any time":                  {&market{answer: 504, made: object{"created_at": nil}}, nil, "", 0, 0},
		"an equal twin before it is found":  {&market{answer: 504, commits: 100 * time.Millisecond, twin: 200 * time.Millisecond}, &AmbiguousError{Candidates: []string{"own-1", "twin"}}, "", 0, 0},
		"an equal twin, ours never made":    {&market{answer: 504, commits: never, twin: 10 * time.Second}, nil, "twin", 10 * time.Second, 0},
		"the list fails for a minute":       {&market{answer: 504, failing: gateway(502), fails: time.Minute}, nil, "", time.Minute, 0},
		"the list is a 404 for a minute":    {&market{answer: 504, failing: gateway(404), fails: time.Minute}, nil, "", time.Minute, 0},
		"nobody answers for a minute":       {&market{answer: silent, failing: gateway(silent), fails: time.Minute + time.Second}, nil, "", 2 * time.Minute, 0},
		"the list is forbidden from then":   {&market{answer: 504, failing: func(w http.ResponseWriter, _ *http.Request) { refuse(w, 403, "forbidden") }, fails: time.Hour}, &UnknownCreationError{}, "", patience, 0},
		"made with another name":            {&market{answer: 504, made: object{"name": "other"}}, &UnknownCreationError{}, "", patience, 0},
		"made with a plan in capitals":      {&market{answer: 504, made: object{"plan": "FREE", "region": "EU"}}, nil, "", 0, 0},
		"made with another plan":            {&market{answer: 504, made: object{"plan": "big"}}, &UnknownCreationError{}, "", patience, 0},
		"made with other tags":              {&market{answer: 504, made: object{"tags": []string{"theirs"}}}, &AmbiguousError{Candidates: []string{"own-1"}}, "", patience, 0},
		"made with other engines":           {&market{answer: 504, made: object{"engines": object{"postgres": true}}}, &AmbiguousError{Candidates: []string{"own-1"}}, "", patience, 0},
		"an old namesake runs":              {&market{answer: 504, instances: []object{instanceNamed("old", "web", "status", "running")}}, nil, "", 0, 0},
		"an old namesake is shown again as being deleted": {&market{
			answer: 504, failing: says(200, object{"instances": []object{instanceNamed("old", "web", "status", "deleting")}}), fails: 12 * time.Second,
		}, nil, "", 12 * time.Second, 0},
		"an old namesake, never carried out": {
			&market{answer: 504, commits: never, instances: []object{instanceNamed("old", "web", "status", "running")}}, &UnknownCreationError{}, "", patience, 0,
		},
	} {
		inBubble(t, name, func(t *testing.T) {
			m := row.market
			c, _ := newTestClient(t, m.serve)
			if row.timeout == 0 {
				row.timeout = time.Hour
			}
			if row.id == "" {
				row.id = "own-1"
			}
			begun := time.Now()
			created, err := c.CreateInstance(within(t, row.timeout), web)
			took := time.Since(begun)
			switch want := row.err.(type) {
			case nil:
				if err != nil || created.ID != row.id || created.Pending.JobID != "j-"+row.id || created.Adopted != (m.answer != 202) {
					t.Errorf("CreateInstance: got %+v and error %v, want %s, adopted: %t", created, err, row.id, m.answer != 202)
				}
			case *UnknownCreationError:
				if !isAs[*UnknownCreationError](err) || !contains(err.Error(), `instance "web" did not appear within`) || !contains(err.Error(), "the request was not repeated") {
					t.Errorf("CreateInstance: got %+v and error %v, want an *UnknownCreationError of web, whose request was not repeated", created, err)
				}
			case *AmbiguousError:
				var ambiguous *AmbiguousError
				if !errors.As(err, &ambiguous) || !slices.Equal(ambiguous.Candidates, want.Candidates) {
					t.Errorf("CreateInstance: got %+v and error %v, want an *AmbiguousError of %v", created, err, want.Candidates)
				}
			}
			if m.posts != 1 || len(m.keys) != 1 || m.keys[""] {
				t.Errorf("creations: got %d POSTs with the keys %v, want one with a key", m.posts, m.keys)
			}
			if took < row.takes || took > row.takes+row.takes/4+40*time.Second {
				t.Errorf("CreateInstance: got an end after %s, want one from %s to %s", took, row.takes, row.takes+row.takes/4+40*time.Second)
			}
		})
	}
}

// If the service itself refuses a request, or it was never sent, the outcome is known and
// nothing is searched for.
func TestRefusedCreationIsNotLookedFor(t *testing.T) {
	none := says(200, object{"instances": []object{}})
	for name, row := range map[string]struct {
		post  http.HandlerFunc
		posts int
		id    string
	}{
		"refused":                      {func(w http.ResponseWriter, _ *http.Request) { refuse(w, 422, "validation_failed") }, 1, ""},
		"unavailable, and then not":    {inTurn(func(w http.ResponseWriter, _ *http.Request) { refuse(w, 503, "unavailable") }, says(202, object{"id": "i"})), 2, "i"},
		"rate limited, and then not":   {inTurn(func(w http.ResponseWriter, _ *http.Request) { refuse(w, 429, "rate_limited") }, says(202, object{"id": "i"})), 2, "i"},
		"unavailable for good":         {func(w http.ResponseWriter, _ *http.Request) { refuse(w, 503, "unavailable") }, 4, ""},
		"no connection, and then one":  {inTurn(says(refused, nil), says(refused, nil), says(202, object{"id": "i"})), 3, "i"},
		"no connection for good":       {says(refused, nil), 4, ""},
		"unavailable, and then broken": {inTurn(func(w http.ResponseWriter, _ *http.Request) { refuse(w, 503, "unavailable") }, func(w http.ResponseWriter, _ *http.Request) { refuse(w, 401, "unauthorized") }), 2, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, wire := newTestClient(t, script{"GET /instances": none, "POST /instances": row.post}.Serve)
			begun := time.Now()
			created, err := c.CreateInstance(t.Context(), web)
			if (err == nil) != (row.id != "") || created.ID != row.id || transport.OutcomeUnknown(err) || isAs[*UnknownCreationError](err) || created.Adopted {
				t.Errorf("%s: got %+v and error %v, want the id %q, not adopted, or a known error", name, created, err, row.id)
			}
			if n := wire.Count("POST"); n != row.posts {
				t.Errorf("%s: got %d POSTs, want %d", name, n, row.posts)
			}
			if took := time.Since(begun); took > 10*time.Second || wire.Count("GET") != 1 {
				t.Errorf("%s: got an end after %s with %v, want one within 10 s and one GET", name, took, wire.Requests())
			}
		})
	}
}

// After Ctrl-C, a search continues until the end of the grace period.
func TestInterruptedLookForACreation(t *testing.T) {
	for commits, found := range map[time.Duration]bool{20 * time.Second: true, time.Minute: false} {
		synctest.Test(t, func(t *testing.T) {
			m := &market{answer: 504, commits: commits}
			c, _ := newTestClient(t, m.serve)
			ctx, interrupt := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, interrupt)
			begun := time.Now()
			created, err := c.CreateInstance(ctx, web)
			if found && (err != nil || created.ID != "own-1") || !found && !isAs[*UnknownCreationError](err) {
				t.Errorf("CreateInstance: got %+v and error %v, want own-1 if it is found (%t) and otherwise an *UnknownCreationError", created, err, found)
			}
			if took := time.Since(begun); took > time.Second+lifetime.GracePeriod || m.posts != 1 {
				t.Errorf("CreateInstance: got %d POSTs in %s, want one within %s", m.posts, took, time.Second+lifetime.GracePeriod)
			}
		})
	}
}

func TestCreationsOfOneNameNeverAdoptEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &market{answer: dropped}
		c, wire := newTestClient(t, m.serve)
		ids := make(chan string, 5)
		for range 5 {
			go func() {
				created, err := c.CreateInstance(t.Context(), web)
				if err != nil {
					t.Error(err)
				}
				ids <- created.ID
			}()
		}
		seen := map[string]bool{}
		for range 5 {
			seen[<-ids] = true
		}
		if len(seen) != 5 || len(m.instances) != 5 {
			t.Errorf("ids of five creations: got %v of %d instances, want five of five", seen, len(m.instances))
		}
		t.Logf("%d requests", len(wire.Requests()))
	})
}

// Creations that start within half a minute share one list.
func TestCreationsShareAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &market{answer: 202}
		c, wire := newTestClient(t, m.serve)
		var all sync.WaitGroup
		for k := range 20 {
			all.Go(func() {
				time.Sleep(time.Duration(k) * time.Second)
				if _, err := c.CreateInstance(t.Context(), NewInstance{InstanceSettings: InstanceSettings{Name: Some(fmt.Sprint("web-", k))}, Plan: "free", Region: "eu"}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := wire.Count("GET"); n != 1 {
			t.Errorf("lists for 20 creations: got %d, want 1", n)
		}
		time.Sleep(snapshotAge)
		if _, err := c.CreateInstance(t.Context(), NewInstance{InstanceSettings: InstanceSettings{Name: Some("late")}, Plan: "free", Region: "eu"}); err != nil || wire.Count("GET") != 2 {
			t.Errorf("a creation after the list is old: got error %v and %d lists, want none and 2", err, wire.Count("GET"))
		}
	})
}

func TestNamesakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &market{answer: 202, instances: []object{
			instanceNamed("half", "web"),
			instanceNamed("runs", "web", "status", "running"),
			instanceNamed("preparing", "web", "status", "preparing"),
			instanceNamed("strange", "web", "status", "restarting", "host", "strange.example"),
			instanceNamed("going", "web", "status", "deleting"),
			instanceNamed("broken", "web", "status", "failed"),
			instanceNamed("known", "web"),
			instanceNamed("bigger", "web", "plan", "big"),
			instanceNamed("other", "db"),
			{"id": "older", "name": "web", "tier": "free", "region": "eu", "status": "running"},
			instanceNamed("renamed", "web", "status", "running", "region", "eu-one"),
			instanceNamed("far", "web", "status", "running", "region", "us"),
		}}
		c, _ := newTestClient(t, m.serve)
		c.Claim("known")
		c.Claim("")
		creating, running, err := c.Namesakes(t.Context(), web)
		if got := fmt.Sprint(identifiers(creating), identifiers(running)); err != nil || got != "[half preparing] [runs strange older renamed]" {
			t.Errorf("Namesakes: got %s and error %v, want half preparing, and runs, strange, older and renamed running", got, err)
		}
		_, err = c.CreateInstance(t.Context(), web)
		var namesake *NamesakeError
		if !errors.As(err, &namesake) || namesake.ID != "half" || m.posts != 0 {
			t.Errorf("CreateInstance: got error %v after %d POSTs, want a *NamesakeError of half after none", err, m.posts)
		}
	})
}

// A service may trim names. A name that was read from a file ends in a newline.
func TestNamesakesOfATrimmedName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &market{answer: 202, instances: []object{instanceNamed("half", "web")}}
		c, _ := newTestClient(t, m.serve)
		padded := web
		padded.Name.Value += "\n"
		_, err := c.CreateInstance(t.Context(), padded)
		if !errors.As(err, new(*NamesakeError)) || m.posts != 0 {
			t.Errorf("got %v after %d POSTs, want a NamesakeError and no POST", err, m.posts)
		}
	})
}

// A service may cut a long name. If the answer was lost, the instance is adopted unless one
// with the whole name appears. Short names are never taken for cut ones.
func TestCreationWithACutName(t *testing.T) {
	long := strings.Repeat("a", 90)
	for name, row := range map[string]struct {
		asked, kept string
		others      []object
		want        string // the id, or "" for an error
	}{
		"cut":                   {long, long[:50], nil, "own-1"},
		"cut too early":         {long, long[:31], nil, ""},
		"another one":           {long, strings.Repeat("b", 50), nil, ""},
		"another, short one":    {"web-10", "web-1", nil, ""},
		"of one that was there": {long, "other", []object{instanceNamed("old", long[:50], "status", "running")}, ""},
		"of another client, and ours comes later": {long, long, []object{instanceNamed("late", long[:50])}, "own-1"},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := &market{answer: 504, made: object{"name": row.kept}, commits: time.Minute}
			for _, i := range row.others {
				if i["status"] == "running" {
					m.instances = append(m.instances, i)
				} else {
					time.AfterFunc(time.Second, func() { m.mu.Lock(); m.instances = append(m.instances, i); m.mu.Unlock() })
				}
			}
			request := web
			request.Name = Some(row.asked)
			c, _ := newTestClient(t, m.serve)
			created, err := c.CreateInstance(within(t, time.Hour), request)
			if created.ID != row.want || (err == nil) != (row.want != "") || m.posts != 1 {
				t.Errorf("%s: got %+v and error %v after %d POSTs, want %q after one", name, created, err, m.posts, row.want)
			}
		})
	}
}

// Nothing is bought unless the existing instances can be listed.
func TestCreationNeedsItsList(t *testing.T) {
	for _, list := range []http.HandlerFunc{gateway(404), gateway(502), says(200, object{"message": "maintenance"}), func(w http.ResponseWriter, _ *http.Request) { refuse(w, 403, "forbidden") }} {
		synctest.Test(t, func(t *testing.T) {
			c, wire := newTestClient(t, script{"GET /instances": list, "POST /instances": says(202, object{"id": "i"})}.Serve)
			if _, err := c.CreateInstance(t.Context(), web); err == nil || wire.Count("POST") > 0 {
				t.Errorf("CreateInstance: got error %v, want an error and no POST", err)
			}
		})
	}
}

// The forms of the service's answer to an accepted creation.
func TestCreatedShapes(t *testing.T) {
	for name, row := range map[string]struct {
		answer  any
		want    Created
		adopted bool
	}{
		"as settled":                    {object{"id": "own-1", "status": "creating", "job_id": "j-own-1", "checkout_url": "https://pay"}, Created{ID: "own-1", Status: "creating", CheckoutURL: "https://pay", Pending: Pending{JobID: "j-own-1"}}, false},
		"a job object":                  {object{"id": "own-1", "status": "creating", "job": object{"id": "j-own-1"}}, Created{ID: "own-1", Status: "creating", Pending: Pending{JobID: "j-own-1"}}, false},
		"no job":                        {object{"id": "own-1", "status": "creating"}, Created{ID: "own-1", Status: "creating"}, false},
		"the job's own record":          {object{"id": "j-own-1", "operation": "create", "status": "queued", "instance_id": "own-1"}, Created{ID: "own-1", Status: "creating", Pending: Pending{JobID: "j-own-1"}}, false},
		"the job's record, no instance": {object{"id": "j-own-1", "operation": "create", "status": "queued"}, Created{ID: "own-1", Status: "creating", Pending: Pending{JobID: "j-own-1"}}, true},
		"nothing but a job":             {object{"job_id": "j-own-1"}, Created{ID: "own-1", Status: "creating", Pending: Pending{JobID: "j-own-1"}}, true},
		"null":                          {nil, Created{ID: "own-1", Status: "creating", Pending: Pending{JobID: "j-own-1"}}, true},
		"maintenance":                   {object{"message": "maintenance"}, Created{ID: "own-1", Status: "creating", Pending: Pending{JobID: "j-own-1"}}, true},
		"an array":                      {[]object{}, Created{ID: "own-1", Status: "creating", Pending: Pending{JobID: "j-own-1"}}, true},
	} {
		inBubble(t, name, func(t *testing.T) {
			m := &market{answer: 202}
			c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					m.make("own-1", "web")
					m.posts++
					respond(w, 202, row.answer)
					return
				}
				m.serve(w, r)
			})
			created, err := c.CreateInstance(t.Context(), web)
			row.want.Adopted = row.adopted
			if err != nil || created != row.want || m.posts != 1 {
				t.Errorf("CreateInstance: got %+v, error %v and %d POSTs, want %+v, none and 1", created, err, m.posts, row.want)
			}
		})
	}
}

func TestWhatACreationEquals(t *testing.T) {
	asked := NewInstance{InstanceSettings: InstanceSettings{Name: Some("web"), Tags: Some([]string{"A", "b "})}, Plan: "free", Region: "eu", Engines: map[string]bool{"postgres": true, "apps": false}}
	equal := func() Instance {
		return Instance{InstanceSettings: InstanceSettings{Name: Some("web"), Tags: Some([]string{"b ", "A"})}, Plan: "free", Region: "eu", Engines: Some(Engines{"postgres": {}})}
	}
	for name, row := range map[string]struct {
		change func(*Instance)
		want   bool
	}{
		"equal":               {func(*Instance) {}, true},
		"its plan as tier":    {func(i *Instance) { i.Plan, i.Tier = "", "free" }, true},
		"no tags told":        {func(i *Instance) { i.Tags = Maybe[[]string]{} }, true},
		"no engines told":     {func(i *Instance) { i.Engines = Maybe[Engines]{} }, true},
		"redis beside":        {func(i *Instance) { i.Engines.Value["redis"] = Engine{} }, true},
		"another name":        {func(i *Instance) { i.Name = Some("db") }, false},
		"another region":      {func(i *Instance) { i.Region = "us" }, false},
		"tags in lower case":  {func(i *Instance) { i.Tags.Value = []string{"a", "b"} }, true},
		"a tag less":          {func(i *Instance) { i.Tags.Value = []string{"a"} }, false},
		"apps beside":         {func(i *Instance) { i.Engines.Value["apps"] = Engine{} }, false},
		"postgres is not on":  {func(i *Instance) { delete(i.Engines.Value, "postgres") }, false},
		"neither engine told": {func(i *Instance) { i.Engines = Some(Engines(nil)) }, false},
	} {
		i := equal()
		row.change(&i)
		if got := asked.equals(i); got != row.want {
			t.Errorf("%s: got equal %v, want %v", name, got, row.want)
		}
	}
}

func TestWaitCreated(t *testing.T) {
	status := func(status string, fields ...any) http.HandlerFunc {
		i := object{"id": "i", "status": status}
		for k := 0; k < len(fields); k += 2 {
			i[fields[k].(string)] = fields[k+1]
		}
		return says(200, i)
	}
	open := status("creating", "checkout_url", "https://pay", "job_id", "j-1")
	always := func(h http.HandlerFunc) func() http.HandlerFunc { return func() http.HandlerFunc { return h } }
	jobFor := func(lasts time.Duration, end string) func() http.HandlerFunc {
		return func() http.HandlerFunc { return during(lasts, jobIs("running", OpCreate), jobIs(end, OpCreate)) }
	}
	for name, row := range map[string]struct {
		job      string // the known id of the job
		instance func() http.HandlerFunc
		record   func() http.HandlerFunc // the job's
		err      any
		takes    time.Duration
	}{
		"as usual":                    {"j-1", always(status("creating", "job_id", "j-1")), jobFor(480*time.Second, "done"), nil, 480 * time.Second},
		"its job named by the record": {"", always(status("creating", "job_id", "j-1")), jobFor(480*time.Second, "done"), nil, 480 * time.Second},
		"its job named late": {"", func() http.HandlerFunc {
			return during(30*time.Second, status("creating"), status("creating", "job_id", "j-1"))
		}, jobFor(480*time.Second, "done"), nil, 480 * time.Second},
		"no job named, it runs at last": {"", func() http.HandlerFunc { return during(480*time.Second, status("creating"), status("running")) }, always(notFound), nil, 480 * time.Second},
		"it runs":                       {"j-1", always(status("running", "job_id", "j-9")), always(notFound), nil, 0},
		"its job failed":                {"j-1", always(status("failed")), always(jobIs("failed", OpCreate)), &JobError{}, 0},
		"failed, and its job is gone":   {"j-1", always(status("failed")), always(notFound), &JobError{}, missingJobGrace},
		"failed, and no job named":      {"", always(status("failed")), always(notFound), &JobError{}, 0},
		"creating, and its job is gone": {"j-1", always(status("creating")), always(notFound), &MissingJobError{}, missingJobGrace},
		"a gateway's 404 for 20 s": {"j-1", func() http.HandlerFunc {
			return during(20*time.Second, gateway(404), status("creating", "job_id", "j-1"))
		}, jobFor(480*time.Second, "done"), nil, 480 * time.Second},
		"a replica that lags":               {"j-1", func() http.HandlerFunc { return during(10*time.Second, notFound, status("creating", "job_id", "j-1")) }, jobFor(480*time.Second, "done"), nil, 480 * time.Second},
		"gone":                              {"j-1", always(notFound), always(notFound), ErrNotFound, missingJobGrace},
		"its checkout is open":              {"j-1", always(open), always(jobIs("queued", OpCreate)), &CheckoutError{}, 0},
		"its checkout is open, job unknown": {"", always(open), always(notFound), &CheckoutError{}, 0},
		"a word nobody knows, its checkout is open": {
			"j-1", always(status("unpaid", "checkout_url", "https://pay", "job_id", "j-1")), always(jobIs("queued", OpCreate)), &CheckoutError{}, 0,
		},
		"paid, and the URL stays": {"j-1", always(open), jobFor(480*time.Second, "done"), nil, 480 * time.Second},
		"paid, and the gateway reloads": {"j-1", always(open), func() http.HandlerFunc {
			return during(20*time.Second, gateway(404), jobFor(480*time.Second, "done")())
		}, nil, 480 * time.Second},
		"a word nobody knows, its job runs": {"j-1", always(status("provisioning", "job_id", "j-1")), jobFor(480*time.Second, "done"), nil, 480 * time.Second},
		"a word nobody knows, its job fails": {
			"j-1", always(status("provisioning", "job_id", "j-1")), jobFor(100*time.Second, "failed"), &JobError{}, 100 * time.Second,
		},
		"a word nobody knows, no job": {
			"", func() http.HandlerFunc { return during(100*time.Second, status("provisioning"), status("running")) }, always(notFound), nil, 100 * time.Second,
		},
		"it is deleted meanwhile": {"", always(status("deleting", "job_id", "j-1")), always(jobIs("running", OpDelete)), &JobError{}, 0},
		"it takes too long":       {"j-1", always(status("creating", "job_id", "j-1")), always(jobIs("running", OpCreate)), &InterruptedError{}, 20 * time.Minute},
		"it creates for ever":     {"", always(status("creating")), always(notFound), &InterruptedError{}, 20 * time.Minute},
	} {
		inBubble(t, name, func(t *testing.T) {
			c, wire := newTestClient(t, script{"GET /instances/i": row.instance(), "GET /jobs/j-1": row.record()}.Serve)
			begun := time.Now()
			err := c.WaitCreated(within(t, 20*time.Minute), "i", row.job)
			took := time.Since(begun)
			var ok bool
			if _, failed := row.err.(*JobError); isAs[*JobError](err) && !failed {
				t.Errorf("wait: got %v, want no failed job", err)
			}
			switch want := row.err.(type) {
			case nil:
				ok = err == nil
			case *JobError:
				ok = isAs[*JobError](err)
			case *MissingJobError:
				ok = isAs[*MissingJobError](err)
			case *CheckoutError:
				ok = isAs[*CheckoutError](err)
			case *InterruptedError:
				ok = isAs[*InterruptedError](err) && errors.Is(err, context.DeadlineExceeded)
			case error:
				ok = errors.Is(err, want)
			}
			if !ok {
				t.Errorf("the creation: got error %v, want %T", err, row.err)
			}
			if took < row.takes || took > row.takes+row.takes/4+5*time.Second {
				t.Errorf("the creation: got an end after %s, want one after %s", took, row.takes)
			}
			if n := len(wire.Requests()); n > 250 {
				t.Errorf("requests: got %d, want at most 250", n)
			}
		})
	}
}

// If the answer to a create request is lost with its connection, the instance is found
// within a minute after the network is back, however long that takes.
func TestLostCreationIsFoundOnceTheNetworkIsBack(t *testing.T) {
	for _, away := range []time.Duration{0, 10 * time.Second, 3 * time.Minute, 8 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			m := &market{answer: 202}
			var n *transporttest.Network
			n = transporttest.NewNetwork(t, true, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					n.GoAway(away)
				}
				m.serve(w, r)
			}, transport.NewTransport)
			c, _ := newTestClient(t, nil, func(o *Options) { o.BaseURL, o.Transport = "https://example.com/api/v1", n })
			begun := time.Now()
			created, err := c.CreateInstance(t.Context(), web)
			if err != nil || !created.Adopted || m.posts != 1 {
				t.Errorf("away for %s: got %+v, error %v and %d POSTs, want it adopted after one", away, created, err, m.posts)
			}
			if took := time.Since(begun) - away; took > time.Minute {
				t.Errorf("away for %s: got the instance %s after the network was back, want it within a minute", away, took)
			}
		})
	}
}
