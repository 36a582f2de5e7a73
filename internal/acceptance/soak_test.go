package acceptance

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
)

var (
	soakTime = flag.Duration("soaktime", time.Minute, "how long the soak walks")
	soakSeed = flag.Uint64("soakseed", 0, "the seed to replay; 0 takes a new one")
)

// A wish lists the objects that the configuration asks for.
type wish struct {
	instances []wishedInstance
	webhooks  int
}

type wishedInstance struct {
	name, plan, tag string
	redis           bool
	apps, databases int
	port            int
	env             string
	secretVersion   int
	cidr, mode      string
}

func (w wish) hcl() string {
	var b strings.Builder
	for n, i := range w.instances {
		redis := ""
		if i.redis {
			redis = ", redis = { memory_mb = 128 }"
		}
		fmt.Fprintf(&b, `
resource "hosting_instance" "i%[1]d" {
  name    = %[2]q
  plan    = %[3]q
  region  = "eu-central"
  tags    = [%[4]q]
  engines = { postgres = {}, apps = {}, auth = {}%[5]s }
  deletion_protection = false
}
resource "hosting_allowlist" "i%[1]d" {
  instance_id = hosting_instance.i%[1]d.id
  cidrs       = [%[6]q]
}
resource "hosting_console_mode" "i%[1]d" {
  instance_id = hosting_instance.i%[1]d.id
  mode        = %[7]q
}
`, n, i.name, i.plan, i.tag, redis, i.cidr, i.mode)
		for a := range i.apps {
			fmt.Fprintf(&b, `
resource "hosting_app" "i%[1]d_%[2]d" {
  instance_id           = hosting_instance.i%[1]d.id
  name                  = "app%[2]d"
  repo                  = "octo/app"
  port                  = %[3]d
  env                   = { A = %[4]q }
  secret_env_wo         = { TOKEN = "canary-of-a-variable" }
  secret_env_wo_version = %[5]d
  links                 = ["auth"]
  deletion_protection   = false
}
`, n, a, i.port, i.env, i.secretVersion)
		}
		for d := range i.databases {
			fmt.Fprintf(&b, `
resource "hosting_postgres_database" "i%[1]d_%[2]d" {
  instance_id         = hosting_instance.i%[1]d.id
  name                = "db%[2]d"
  deletion_protection = false
}
`, n, d)
		}
	}
	for n := range w.webhooks {
		fmt.Fprintf(&b, `
resource "hosting_webhook_endpoint" "w%[1]d" {
  url               = "https://hooks.example/%[1]d"
  secret_wo         = "canary-of-a-webhook"
  secret_wo_version = 1
}
`, n)
	}
	return b.String()
}

func newWishedInstance(n int) wishedInstance {
	return wishedInstance{name: fmt.Sprint("machine", n), plan: "free", tag: "t", port: 3000, env: "1", secretVersion: 1, cidr: "203.0.113.0/24", mode: "off"}
}

// change makes one random change to the wish.
func (w *wish) change(random *rand.Rand) {
	if len(w.instances) == 0 || len(w.instances) < 3 && random.IntN(8) == 0 {
		w.instances = append(w.instances, newWishedInstance(len(w.instances)))
		return
	}
	if random.IntN(20) == 0 {
		w.instances = w.instances[:len(w.instances)-1]
		return
	}
	i := &w.instances[random.IntN(len(w.instances))]
	switch random.IntN(11) {
	case 0:
		i.name = fmt.Sprint(strings.TrimRight(i.name, "0123456789"), random.IntN(1000))
	case 1:
		i.tag = fmt.Sprint("t", random.IntN(5))
	case 2:
		i.redis = !i.redis
	case 3:
		i.apps = random.IntN(3)
	case 4:
		i.databases = random.IntN(3)
	case 5:
		i.port = 3000 + random.IntN(5)
	case 6:
		i.env = fmt.Sprint(random.IntN(5))
	case 7:
		i.secretVersion++
	case 8:
		i.cidr = []string{"203.0.113.0/24", "192.0.2.1", "2001:db8::/32"}[random.IntN(3)]
	case 9:
		i.mode = []string{"off", "ro", "rw"}[random.IntN(3)]
	case 10:
		w.webhooks = random.IntN(3)
	}
}

// badLuck is the error of the jobs and builds that a soak makes fail.
const badLuck = "it is just bad luck"

// A disturbance is a fault or an interruption during one apply.
type disturbance struct {
	name string
	// begin installs the disturbance and returns a function that removes it.
	begin func(*soak) (end func())
	// during runs while the CLI runs.
	during func(*soak, *started)
}

var operationsToFail = []string{"create", "update", "engines", "allowlist", "console", "app_import", "app_update", "database_create", "delete", "app_delete"}

var disturbances = []disturbance{
	{name: "none"},
	{name: "Ctrl-C", during: func(s *soak, c *started) { s.after(1500); c.interrupt(syscall.SIGINT) }},
	{name: "SIGTERM to the group", during: func(s *soak, c *started) { s.after(1500); c.interruptGroup(syscall.SIGTERM) }},
	{name: "dropped answers", begin: func(s *soak) func() {
		return s.fake.Inject(fakeservice.Fault{Method: s.oneOf("POST", "PUT", "PATCH", "DELETE", "GET"), Skip: s.random.IntN(4), Times: 2, AfterCommit: true, Drop: true})
	}},
	{name: "dropped requests", begin: func(s *soak) func() {
		return s.fake.Inject(fakeservice.Fault{Method: s.oneOf("POST", "PUT", "PATCH", "DELETE", "GET"), Skip: s.random.IntN(6), Times: 2, Drop: true})
	}},
	{name: "502 and 503", begin: func(s *soak) func() {
		return s.fake.Inject(fakeservice.Fault{Skip: s.random.IntN(8), Times: 3, AfterCommit: s.random.IntN(2) == 0, Status: []int{502, 503}[s.random.IntN(2)]})
	}},
	{name: "429", begin: func(s *soak) func() {
		return s.fake.Inject(fakeservice.Fault{Skip: s.random.IntN(8), Times: 3, Status: http.StatusTooManyRequests, RetryAfter: "1"})
	}},
	{name: "HTML polls", begin: func(s *soak) func() {
		return s.fake.Inject(fakeservice.Fault{Method: "GET", Path: "/jobs/*", Times: 3, Status: 200, Body: []byte("<html>"), ContentType: "text/html"})
	}},
	{name: "a failing job", begin: func(s *soak) func() {
		s.fake.FailJobs(fakeservice.JobMatch{Operation: operationsToFail[s.random.IntN(len(operationsToFail))]}, 1, "trouble", badLuck)
		return func() {}
	}},
	{name: "a failing build", begin: func(s *soak) func() {
		s.fake.FailBuilds(fakeservice.BuildMatch{}, 1, badLuck)
		return func() {}
	}},
	{name: "a foreign job", begin: func(s *soak) func() {
		for _, i := range s.fake.Instances() {
			_, _ = s.fake.StartJob(i.ID, "rotate", "") // refused if a job is running
		}
		return func() {}
	}},
	{name: "drift", begin: func(s *soak) func() {
		for _, i := range s.fake.Instances() {
			s.fake.EditInstance(i.ID, func(i *fakeservice.Instance) { i.Tags, i.ConsoleMode = []string{"drifted"}, "ro" })
		}
		return func() {}
	}},
}

// A soak is a random walk with its counts.
type soak struct {
	t      *testing.T
	random *rand.Rand
	fake   *fakeservicetest.Server
	w      *workspace
	wish   wish

	applies, faults, interrupts int
	lost, twice, wrongly, leaks int
	// wanted is the number of instances that had to be created: one for each new wish,
	// and one more for each creation that the service failed.
	wanted int
}

func (s *soak) oneOf(words ...string) string { return words[s.random.IntN(len(words))] }

func (s *soak) after(milliseconds int) {
	time.Sleep(time.Duration(s.random.IntN(milliseconds)) * time.Millisecond)
}

// interrupt and interruptGroup signal a CLI that may have ended.
func (s *started) interrupt(sig syscall.Signal)      { _ = s.command.Process.Signal(sig) }
func (s *started) interruptGroup(sig syscall.Signal) { _ = syscall.Kill(-s.command.Process.Pid, sig) }

func (s *soak) step() {
	had := len(s.wish.instances)
	s.wish.change(s.random)
	if s.random.IntN(3) == 0 {
		s.wish.change(s.random)
	}
	s.wanted += max(0, len(s.wish.instances)-had)
	s.w.configure(s.wish.hcl())
	d := disturbances[s.random.IntN(len(disturbances))]
	end := func() {}
	if d.begin != nil {
		end = d.begin(s)
	}
	failedBefore := s.creations("failed")
	command := s.w.start("apply", "-auto-approve", "-no-color")
	if d.during != nil {
		d.during(s, command)
	}
	r := command.wait()
	end()
	s.applies++
	switch {
	case strings.Contains(d.name, "Ctrl-C"), strings.Contains(d.name, "SIGTERM"):
		s.interrupts++
	case d.name != "none":
		s.faults++
	}
	if tainted := strings.Count(s.w.state(), `"status": "tainted"`); tainted > 0 && !strings.Contains(r.output, badLuck) {
		s.wrongly += tainted
		s.t.Errorf("after %s: got %d tainted, want none:\n%s", d.name, tainted, r.output)
	}
	s.look(r.output)
	// Whatever happened, the next applies must reach the wish. An apply that meets a
	// failure that an earlier step injected is not counted.
	for try := 0; ; try++ {
		r := s.w.run("apply", "-auto-approve", "-no-color")
		s.applies++
		s.look(r.output)
		if r.exit == 0 && s.w.run("plan", "-detailed-exitcode", "-no-color").exit == 0 {
			break
		}
		if strings.Contains(r.output, badLuck) {
			try--
		}
		if try == 3 {
			s.t.Fatalf("the applies after %s: got the third failure, want an end:\n%s", d.name, r.output)
		}
	}
	s.wanted += s.creations("failed") - failedBefore
	s.compare(d.name)
}

// creations counts the jobs that create instances and have a status; "" counts all.
func (s *soak) creations(status string) int {
	n := 0
	for _, job := range s.fake.Jobs() {
		if job.Operation == "create" && (status == "" || job.Status == status) {
			n++
		}
	}
	return n
}

// compare checks that the service has exactly the objects of the wish.
func (s *soak) compare(after string) {
	want, have := []string{}, []string{}
	for _, i := range s.wish.instances {
		want = append(want, fmt.Sprint(i.name, " ", i.apps, " apps ", i.databases+1, " databases"))
	}
	for _, i := range s.fake.Instances() {
		have = append(have, fmt.Sprint(i.Name, " ", len(s.fake.Apps(i.ID)), " apps ", len(s.fake.Databases(i.ID)), " databases"))
	}
	slices.Sort(want)
	slices.Sort(have)
	if !slices.Equal(want, have) || len(s.fake.Webhooks()) != s.wish.webhooks {
		if len(have) > len(want) || len(s.fake.Webhooks()) > s.wish.webhooks {
			s.twice++
		} else {
			s.lost++
		}
		s.t.Errorf("the service after %s: got %v and %d webhooks, want %v and %d", after, have, len(s.fake.Webhooks()), want, s.wish.webhooks)
	}
}

// look searches the output and the state for secrets.
func (s *soak) look(output string) {
	for _, secret := range []string{fakeservicetest.APIKey, "canary-of-a-webhook", "canary-of-a-variable"} {
		if strings.Contains(output, secret) || strings.Contains(s.w.state(), secret) {
			s.leaks++
			s.t.Errorf("%s leaked", secret)
		}
	}
}

func TestSoak(t *testing.T) {
	tier.Night.Only(t)
	seed := *soakSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	fmt.Printf("seed %d; replay with SOAKARGS='-soakseed %d'\n", seed, seed)
	fake := startFake(t)
	s := &soak{t: t, random: rand.New(rand.NewPCG(seed, 0)), fake: fake, w: newWorkspaceBeside(t, fake, "")}
	for begun := time.Now(); time.Since(begun) < *soakTime && !t.Failed(); {
		s.step()
	}
	if r := s.w.run("destroy", "-auto-approve", "-no-color"); r.exit != 0 {
		t.Errorf("the destroy: got exit %d, want 0:\n%s", r.exit, r.output)
	}
	left := len(fake.Instances()) + len(fake.Webhooks())
	fmt.Printf("%d applies, %d faults and %d interrupts survived\n", s.applies, s.faults, s.interrupts)
	fmt.Printf("%d instances created, %d wanted\n", s.creations(""), s.wanted)
	fmt.Printf("%d lost, %d twice, %d tainted without a failed job, %d leaks, %d left\n", s.lost, s.twice, s.wrongly, s.leaks, left)
	if s.creations("") != s.wanted {
		t.Errorf("instances that were created: got %d, want %d", s.creations(""), s.wanted)
	}
	if left != 0 {
		t.Errorf("left after the destroy: got %d, want none", left)
	}
}
