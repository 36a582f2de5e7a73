//go:build linux

package dataplane_test

import (
	"bufio"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// TestKills runs a plane in a separate program. The program does one deed after the other
// and reports the beginning and the end of each. The test kills it at moments that depend
// on a seed, and then takes its place, as core does. It resumes, repeats the deed that
// was not done, and checks that nothing is lost.

const (
	killsFolder = "DATAPLANE_KILLS_FOLDER"
	killsRound  = "DATAPLANE_KILLS_ROUND"
	killed      = "i-1"
)

// deed is one thing that a plane does. n is its number.
type deed struct {
	what string
	n    int
}

func (d deed) String() string { return fmt.Sprint(d.what, " ", d.n) }

// deeds returns the deeds of a round. The number of the round is the seed. No two rounds
// use the same numbers.
func deeds(round int) []deed {
	random := rand.New(rand.NewPCG(1, uint64(round)))
	var backups []int
	list := []deed{{"resume", round}, {"apply", round}}
	if round == 0 {
		list = append(list, deed{"build", 0}, deed{"deploy", 0})
	}
	for n := 1000 * round; len(list) < 40; n++ {
		switch what := []string{"insert", "insert", "keep", "keep", "sign up", "back up", "restore", "rotate", "restart", "deploy"}[random.IntN(10)]; what {
		case "deploy":
			list = append(list, deed{"build", n}, deed{"deploy", n})
		case "back up":
			backups = append(backups, n)
			list = append(list, deed{what, n})
		case "restore":
			if len(backups) > 0 {
				list = append(list, deed{what, backups[random.IntN(len(backups))]})
			}
		default:
			list = append(list, deed{what, n})
		}
	}
	return list
}

// actor does deeds.
type actor struct {
	*records
	p *dataplane.Plane
}

func newActor(t *testing.T) *actor {
	t.Helper()
	a := &actor{records: newRecords(t)}
	a.machine(killed, core.EnginePostgres, core.EngineAuth, core.EngineApps)
	a.change(killed, func(m *core.DesiredMachine) {
		m.Apps = []core.App{{Name: "web", Repo: "octo/app", Branch: "main", Port: 3000, HealthPath: "/healthz", Public: true}}
	})
	return a
}

// do does a deed. It may have been done before, in part or completely.
func (a *actor) do(d deed) error {
	ctx := a.t.Context()
	m, err := a.DesiredMachine(killed)
	if err != nil {
		return err
	}
	switch d.what {
	case "resume":
		return a.p.Resume(ctx, []string{killed})
	case "apply":
		if err := a.p.Apply(ctx, killed); err != nil {
			return err
		}
		return a.sql("CREATE TABLE IF NOT EXISTS t (n INT)")
	case "insert":
		return a.sql("INSERT INTO t VALUES (" + strconv.Itoa(d.n) + ")")
	case "keep":
		a.awaitAnswer()
		status, text := ask(a.t, a.url(), "/keep?text="+strconv.Itoa(d.n))
		if status != http.StatusOK {
			return fmt.Errorf("the app answered %d %s", status, text)
		}
		return nil
	case "sign up":
		if status := postAuth(a.t, a.p.Endpoints(killed).AuthURL+"/signup", "anon", userOf(d.n)); status != http.StatusOK {
			return fmt.Errorf("the auth engine answered %d", status)
		}
		return nil
	case "back up":
		_, err := a.p.Backup(ctx, killed, "bak-"+strconv.Itoa(d.n))
		return err
	case "restore":
		return a.p.Restore(ctx, killed, "bak-"+strconv.Itoa(d.n))
	case "rotate":
		a.setEdition(d.n)
		return a.p.Apply(ctx, killed)
	case "restart":
		return a.p.Restart(ctx, killed, core.EnginePostgres)
	case "build":
		_, err := a.p.Build(ctx, killed, m.Apps[0], "b-"+strconv.Itoa(d.n))
		return err
	case "deploy":
		return a.p.Deploy(ctx, killed, "web", "b-"+strconv.Itoa(d.n))
	}
	return fmt.Errorf("unknown deed %s", d)
}

func (a *actor) setEdition(n int) {
	a.change(killed, func(m *core.DesiredMachine) { m.Credentials = secrets(strconv.Itoa(n)) })
}

func (a *actor) sql(statement string) error {
	m, err := a.DesiredMachine(killed)
	if err != nil {
		return err
	}
	_, err = a.p.Query(a.t.Context(), core.Query{Instance: m.Instance, Database: postgres.DefaultDatabase, Mode: "rw", SQL: statement})
	return err
}

func (a *actor) url() string { return a.p.Endpoints(killed).AppURLs["web"] }

func (a *actor) awaitAnswer() {
	a.t.Helper()
	machine.Until(a.t, "the app answers", func() bool { status, _ := ask(a.t, a.url(), "/healthz"); return status == http.StatusOK })
}

func userOf(n int) string { return fmt.Sprintf("u%d@example.com", n) }

// TestPlaneThatIsKilled is the program that TestKills runs and kills. By itself it does
// nothing.
func TestPlaneThatIsKilled(t *testing.T) {
	folder := os.Getenv(killsFolder)
	if folder == "" {
		return
	}
	var round, edition int
	must.Get(fmt.Sscan(os.Getenv(killsRound), &round, &edition))(t)
	a := newActor(t)
	a.setEdition(edition)
	a.p = a.open(folder)
	for _, d := range deeds(round) {
		fmt.Println("begin", d)
		if err := a.do(d); err != nil {
			t.Fatalf("%s: %s", d, err)
		}
		fmt.Println("done", d)
	}
	fmt.Println("begin the end 0")
	select {} // until it is killed
}

// holding is the contents of a machine.
type holding struct {
	rows, users map[int]bool
	note        string
}

func (h holding) clone() holding {
	h.rows, h.users = maps.Clone(h.rows), maps.Clone(h.users)
	return h
}

// world is the expected result of all deeds that are done.
type world struct {
	holding
	backups  map[int]holding
	edition  int
	deployed bool
}

// did records a deed that was done.
func (w *world) did(d deed) {
	switch d.what {
	case "insert":
		w.rows[d.n] = true
	case "sign up":
		w.users[d.n] = true
	case "keep":
		w.note = strconv.Itoa(d.n)
	case "rotate":
		w.edition = d.n
	case "deploy":
		w.deployed = true
	case "back up":
		w.backups[d.n] = w.clone()
	case "restore":
		w.holding = w.backups[d.n].clone()
	}
}

// killAt runs a round in a separate program. When the given number of deeds has begun, it
// waits for a while and kills the program. It returns the deed in progress, or the zero
// deed.
func (w *world) killAt(t *testing.T, folder string, round, begun int, while time.Duration) (doing deed) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestPlaneThatIsKilled$")
	// The test removes the child's temporary files, because a killed child cannot.
	child.Env = append(os.Environ(), "TMPDIR="+diskFolder(t), killsFolder+"="+folder, fmt.Sprintf("%s=%d %d", killsRound, round, w.edition))
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	child.Stderr = os.Stderr
	out := must.Get(child.StdoutPipe())(t)
	must.Do(t, child.Start())
	var said []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said = append(said, lines.Text())
		how, rest, _ := strings.Cut(lines.Text(), " ")
		what, n, _ := cutLast(rest)
		switch how {
		case "begin":
			doing = deed{what, n}
			if begun--; begun == 0 {
				time.AfterFunc(while, func() { _ = child.Process.Kill() }) // the child may still run
			}
		case "done":
			w.did(deed{what, n})
			doing = deed{}
		}
	}
	if err := child.Wait(); err == nil || begun > 0 {
		t.Fatalf("the end of the plane: got error %v with %d deeds left, want a kill after all: %s", err, begun, strings.Join(said, "\n"))
	}
	return doing
}

func cutLast(text string) (before string, n int, err error) {
	at := strings.LastIndexByte(text, ' ')
	n, err = strconv.Atoi(text[at+1:])
	return text[:max(at, 0)], n, err
}

// A plane that is killed at any moment loses nothing that was done before, and the
// interrupted deed can be repeated.
func TestKills(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	const rounds = 3
	folder := keptFolder(t)
	w := &world{holding: holding{rows: map[int]bool{}, users: map[int]bool{}}, backups: map[int]holding{}}
	random := rand.New(rand.NewPCG(2, 2))
	for round := range rounds {
		list := deeds(round)
		begun := 1 + random.IntN(len(list))
		if round == 0 {
			begun = max(begun, 5) // so that there is something to lose
		}
		while := time.Duration(random.IntN(300)) * time.Millisecond
		doing := w.killAt(t, folder, round, begun, while)
		t.Logf("round %d was killed %s after deed %d began, doing %q", round, while, begun, doing)
		w.check(t, folder, doing)
	}
}

// check takes the place of a killed plane.
func (w *world) check(t *testing.T, folder string, doing deed) {
	t.Helper()
	a := newActor(t)
	if doing.what == "rotate" {
		w.edition = doing.n
	}
	a.setEdition(w.edition)
	a.p = a.open(folder)
	must.Do(t, a.do(deed{what: "resume"}))
	switch doing.what {
	case "", "the end", "resume":
	case "insert", "keep", "sign up":
		// The caller has no answer, so the deed may or may not be done.
	default:
		if err := a.do(doing); err != nil {
			t.Fatalf("%s, again: %s", doing, err)
		}
		w.did(doing)
	}
	must.Do(t, a.do(deed{what: "apply"}))
	w.checkRows(t, a, doing)
	auth := a.p.Endpoints(killed).AuthURL
	for user := range w.users {
		signIn(t, auth, "anon", userOf(user))
	}
	if doing.what == "sign up" && signsIn(t, auth, "anon", userOf(doing.n)) {
		w.users[doing.n] = true
	}
	if w.deployed {
		a.awaitAnswer()
		if text := kept(t, a.url()); doing.what != "keep" && w.note != "" && text != w.note {
			t.Errorf("the note of the app: got %q, want %q", text, w.note)
		}
		must.Do(t, a.do(deed{"keep", doing.n}))
		w.note = strconv.Itoa(doing.n)
	}
	must.Do(t, a.p.Close())
}

func (w *world) checkRows(t *testing.T, a *actor, doing deed) {
	t.Helper()
	m := must.Get(a.DesiredMachine(killed))(t)
	found := must.Get(a.p.Query(t.Context(), core.Query{Instance: m.Instance, Database: postgres.DefaultDatabase, Mode: "ro",
		SQL: "SELECT n FROM t"}))(t)
	var rows []int
	for _, row := range found.Rows {
		n := must.Get(strconv.Atoi(fmt.Sprint(row[0])))(t)
		rows = append(rows, n)
	}
	if doing.what == "insert" && slices.Contains(rows, doing.n) {
		w.rows[doing.n] = true
	}
	slices.Sort(rows)
	if want := slices.Sorted(maps.Keys(w.rows)); !slices.Equal(rows, want) {
		t.Errorf("the rows: got %v, want %v", rows, want)
	}
}
