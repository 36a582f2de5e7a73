package portal

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/scenario"
)

const controlsPath = FakePath + "/controls"

// setting is a form of the control page. Like a control route, it needs the control token,
// which the session remembers.
type setting struct {
	pattern string
	do      func(*call) error
	done    string
}

// settings has the forms of the control page.
var settings = []setting{
	{"/fake/controls/token", giveToken, "The controls are open for this session."},
	{"/fake/controls/clock", advanceClock, "The clock is advanced."},
	{"/fake/controls/weather", setWeather, "The weather is set."},
	{"/fake/controls/jobs", holdJobs, "The jobs are held."},
	{"/fake/controls/builds", holdBuilds, "The builds are held."},
	{"/fake/controls/holds/{id}/release", releaseHold, "The hold is released."},
	{"/fake/controls/faults", addFault, "The fault is installed."},
	{"/fake/controls/faults/{id}/remove", removeFault, "The fault is removed."},
	{"/fake/controls/snapshots", takeSnapshot, "The snapshot is taken."},
	{"/fake/controls/snapshots/{id}/restore", restoreSnapshot, "The snapshot is restored."},
	{"/fake/controls/snapshots/{id}/delete", deleteSnapshot, "The snapshot is deleted."},
}

// formAction returns the form with its page.
func (s setting) formAction() formAction {
	return formAction{pattern: s.pattern, build: showControls, do: func(c *call) (outcome, error) {
		if !c.sessions.controls(c.session) && s.pattern != settings[0].pattern {
			return outcome{}, core.Refuse(core.Unauthorized, "Enter the control token first.")
		}
		if err := s.do(c); err != nil {
			return outcome{}, refusal(err)
		}
		return outcome{to: controlsPath, notice: notice{Text: s.done}}, nil
	}}
}

// refusal returns an error of a control as a refusal of the form.
func refusal(err error) error {
	if problem := core.ProblemOf(err); problem.Code != core.Internal {
		return problem
	}
	return core.Refuse(core.ValidationError, "%s", err)
}

// giveToken opens the controls for the session. The portal's password alone does not.
func giveToken(c *call) error {
	if !c.Scenario.Accepts(strings.TrimSpace(c.r.PostForm.Get("token"))) {
		return fmt.Errorf("token: it is not the control token")
	}
	c.sessions.openControls(c.session)
	return nil
}

// openControls remembers that the control token was given in a session.
func (s *sessions) openControls(one *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one.controls = true
}

// controls reports whether the control token was given in a session.
func (s *sessions) controls(one *session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return one.controls
}

// controlled is a part of the control page, with the present settings and the form for new
// ones.
type controlled struct {
	Title, Text string
	// Rows has the settings that can be undone, each with the forms for that.
	Rows []controlRow
	Form *form
}

type controlRow struct {
	Name, Text string
	Forms      []*form
}

func showControls(c *call) (*page, error) {
	p := fakePage("Controls", "controls", "/controls")
	if !c.sessions.controls(c.session) {
		p.Forms = []*form{{ID: "token", Action: controlsPath + "/token", Title: "Control token", Submit: "Open the controls",
			Help:   "The fake prints the token when it starts. It is needed once for each session.",
			Fields: []*field{{Name: "token", Label: "Token", Kind: "password", Required: true, Autocomplete: "off"}}}}
		return p, nil
	}
	names, err := c.Scenario.SnapshotNames()
	if err != nil {
		return nil, err
	}
	jobs, builds := c.holdParts()
	parts := []controlled{c.clockPart(), c.weatherPart(), jobs, builds, c.faultPart(), snapshotPart(names)}
	for _, part := range parts {
		p.Forms = append(p.Forms, part.Form)
		for _, row := range part.Rows {
			p.Forms = append(p.Forms, row.Forms...)
		}
	}
	p.Data = parts
	return p, nil
}

func (c *call) clockPart() controlled {
	text := fmt.Sprintf("It is %s. The speed is %g.", timeText(c.Service.Now()), c.Service.Speed())
	return controlled{"Clock", text, nil, &form{ID: "clock", Action: controlsPath + "/clock", Submit: "Advance the clock", Fields: []*field{
		{Name: "by", Label: "Advance by", Kind: "text", Value: "1h", Required: true, Autocomplete: "off", Code: true, Help: "Such as 90s, 10m or 24h. Jobs and deliveries that are due by then are carried out."},
	}}}
}

func (c *call) weatherPart() controlled {
	now, seed := c.Scenario.Network.Weather()
	text := "It is " + now.String() + "."
	if seed != 0 {
		text = fmt.Sprintf("It is a %s with the seed %d.", now, seed)
	}
	return controlled{"Weather", text, nil, &form{ID: "weather", Action: controlsPath + "/weather", Submit: "Set the weather", Fields: []*field{
		{Name: "weather", Label: "Weather", Kind: choice, Value: now.String(), Choices: []option{{"calm", "calm: no faults"}, {"breeze", "breeze: one request in ten"}, {"storm", "storm: one request in four"}}},
		{Name: "seed", Label: "Seed", Kind: "number", Autocomplete: "off", Help: "The same seed makes the same faults. Left empty, one is drawn."},
	}}}
}

// holdParts returns the parts of jobs and builds.
func (c *call) holdParts() (jobs, builds controlled) {
	instances := []option{{"", "any"}}
	for _, in := range c.Service.Instances() {
		instances = append(instances, option{in.ID, in.Name + " (" + in.ID + ")"})
	}
	instance := func() *field {
		return &field{Name: "instance_id", Label: "Instance", Kind: choice, Choices: instances}
	}
	jobs = controlled{"Jobs on hold", "Held jobs stay in progress until they are released. Then they end immediately.", nil,
		&form{ID: "jobs", Action: controlsPath + "/jobs", Submit: "Hold jobs", Fields: []*field{instance(),
			{Name: "operation", Label: "Operation", Kind: "text", Autocomplete: "off", Code: true, Help: "Such as create or resize. Left empty, any."},
		}}}
	builds = controlled{"Builds on hold", "Held builds stay in progress until they are released.", nil,
		&form{ID: "builds", Action: controlsPath + "/builds", Submit: "Hold builds", Fields: []*field{instance(),
			{Name: "app", Label: "App", Kind: "text", Autocomplete: "off", Code: true, Help: "Left empty, any."},
		}}}
	for _, h := range c.Scenario.Holds() {
		row := controlRow{h.ID, describe("instance", h.InstanceID, "operation", h.Operation, "target", h.Target, "app", h.App),
			[]*form{button("release-"+h.ID, controlsPath+"/holds/"+h.ID+"/release", "Release "+h.ID)}}
		if h.Kind == "jobs" {
			jobs.Rows = append(jobs.Rows, row)
		} else {
			builds.Rows = append(builds.Rows, row)
		}
	}
	return jobs, builds
}

// describe joins the pairs of names and values, without empty values. Without any pair, it
// returns "any".
func describe(pairs ...string) string {
	var parts []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			parts = append(parts, pairs[i]+" "+pairs[i+1])
		}
	}
	if parts == nil {
		return "any"
	}
	return strings.Join(parts, ", ")
}

// Effects of the faults that the page can install.
const (
	effectStatus = "status"
	effectPage   = "page"
	effectDrop   = "drop"
	effectLost   = "lost"
	effectDelay  = "delay"
)

func (c *call) faultPart() controlled {
	part := controlled{"Faults", "A fault affects requests to the API, the MCP server and the portal. The control routes can install more kinds.", nil,
		&form{ID: "faults", Action: controlsPath + "/faults", Submit: "Install the fault", Fields: []*field{
			{Name: "method", Label: "Method", Kind: choice, Choices: methods},
			{Name: "path", Label: "Path", Kind: "text", Autocomplete: "off", Code: true, Help: "Such as /instances/* below /api/v1, or the whole path of another interface, such as /mcp. Left empty, any."},
			{Name: "effect", Label: "Effect", Kind: choice, Choices: []option{
				{effectStatus, "an error of the service"}, {effectPage, "a gateway's page"}, {effectDrop, "a closed connection"},
				{effectLost, "carried out, then a closed connection"}, {effectDelay, "a delay"},
			}},
			{Name: "status", Label: "Status of the error or the page", Kind: "number", Value: "503", Autocomplete: "off"},
			{Name: "delay", Label: "Delay", Kind: "text", Autocomplete: "off", Code: true, Help: "Of the response, such as 2s."},
			{Name: "times", Label: "Number of requests", Kind: "number", Value: "1", Autocomplete: "off", Help: "A negative number means all."},
		}}}
	for _, f := range c.Scenario.Faults() {
		part.Rows = append(part.Rows, controlRow{f.ID, faultText(f), []*form{button("remove-"+f.ID, controlsPath+"/faults/"+f.ID+"/remove", "Remove "+f.ID)}})
	}
	return part
}

// faultText describes a fault in one line.
func faultText(f *scenario.Fault) string {
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	duration := func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return d.String()
	}
	flag := map[bool]string{true: "yes"}
	of := strconv.Itoa(max(f.Times, 1))
	if f.Times < 0 || f.Times == 0 && f.For > 0 {
		of = "all"
	}
	return fmt.Sprintf("%s; %d of %s requests affected", describe("method", f.Method, "path", f.Path, "status", number(f.Status), "page", number(f.Page),
		"delay", duration(f.Delay), "closed connection", flag[f.Drop], "after commit", flag[f.AfterCommit], "commit after", duration(f.CommitAfter),
		"lag", duration(f.Lag), "for", duration(f.For)), f.Hits(), of)
}

func snapshotPart(names []string) controlled {
	part := controlled{"Snapshots", "A snapshot has all records, the time and the data of the machines.", nil,
		&form{ID: "snapshots", Action: controlsPath + "/snapshots", Submit: "Take a snapshot", Fields: []*field{
			{Name: "name", Label: "Name", Kind: "text", Required: true, Autocomplete: "off", Code: true, Help: "Lower case letters, digits and hyphens. A snapshot with the same name is replaced."},
		}}}
	for _, name := range names {
		at := controlsPath + "/snapshots/" + url.PathEscape(name)
		part.Rows = append(part.Rows, controlRow{name, "", []*form{
			question("restore-"+name, at+"/restore", "Restore "+name, "The account returns to the time of the snapshot.", "Everything created or changed since then"),
			question("delete-"+name, at+"/delete", "Delete "+name, "The account stays as it is.", "Snapshot: "+name),
		}})
	}
	return part
}

func advanceClock(c *call) error { return c.Scenario.Advance(c.r.PostForm.Get("by")) }

func setWeather(c *call) error {
	var seed uint64
	if text := strings.TrimSpace(c.r.PostForm.Get("seed")); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return fmt.Errorf("seed: it must be a whole number")
		}
	}
	return c.Scenario.SetWeather(c.r.PostForm.Get("weather"), seed)
}

func holdJobs(c *call) error {
	_, err := c.Scenario.HoldJobs(core.JobMatch{InstanceID: c.r.PostForm.Get("instance_id"), Operation: strings.TrimSpace(c.r.PostForm.Get("operation"))})
	return err
}

func holdBuilds(c *call) error {
	c.Scenario.HoldBuilds(core.BuildMatch{InstanceID: c.r.PostForm.Get("instance_id"), App: strings.TrimSpace(c.r.PostForm.Get("app"))})
	return nil
}

// releaseHold and removeFault name one, because an empty id would mean all.
func releaseHold(c *call) error {
	_, err := c.Scenario.Release(c.param("id"))
	return err
}

func removeFault(c *call) error {
	_, err := c.Scenario.RemoveFault(c.param("id"))
	return err
}

func addFault(c *call) error {
	sent := c.r.PostForm
	status, err := numberOf("status", sent.Get("status"))
	if err != nil {
		return err
	}
	times, err := numberOf("times", sent.Get("times"))
	if err != nil {
		return err
	}
	f := gateway.Fault{Method: sent.Get("method"), Path: strings.TrimSpace(sent.Get("path"))}
	if text := strings.TrimSpace(sent.Get("delay")); text != "" {
		if f.Delay, err = time.ParseDuration(text); err != nil || f.Delay < 0 {
			return fmt.Errorf("delay: it must be a duration such as 2s")
		}
	}
	if times != nil {
		f.Times = *times
	}
	switch sent.Get("effect") {
	case effectDrop:
		f.Drop = true
	case effectLost:
		f.Drop, f.AfterCommit = true, true
	case effectDelay:
		if f.Delay == 0 {
			return fmt.Errorf("delay: it must be a duration such as 2s")
		}
	default:
		if status == nil {
			return fmt.Errorf("status: it is missing")
		}
		if sent.Get("effect") == effectPage {
			f.Page = *status
		} else {
			f.Status = *status
		}
	}
	return c.Scenario.AddFault(f)
}

func takeSnapshot(c *call) error {
	return c.Scenario.TakeSnapshot(c.context(), strings.TrimSpace(c.r.PostForm.Get("name")))
}

func restoreSnapshot(c *call) error {
	return c.Scenario.RestoreSnapshot(c.context(), c.param("id"))
}

func deleteSnapshot(c *call) error { return c.Scenario.DeleteSnapshot(c.param("id")) }
