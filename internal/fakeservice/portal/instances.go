package portal

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

func showInstances(c *call) (*page, error) {
	list, err := c.Service.ListInstances(c.context(), c.r.URL.Query().Get("cursor"), core.PageLimit)
	if err != nil {
		return nil, err
	}
	return &page{
		Title: "Instances", Template: "instances", Section: "instances", Data: list, Live: c.r.URL.RequestURI(),
		Busy: slices.ContainsFunc(list.Instances, func(i core.InstanceRecord) bool { return i.JobID != nil }),
	}, nil
}

func showNewInstance(c *call) (*page, error) {
	offer, err := c.Service.Plans(c.context())
	if err != nil {
		return nil, err
	}
	places, err := c.Service.Locations(c.context())
	if err != nil {
		return nil, err
	}
	engines := []*field{}
	for _, name := range []string{core.EnginePostgres, core.EngineApps, core.EngineAuth} {
		engines = append(engines, &field{Name: "engines." + name, Label: name, Kind: checkbox, Floor: offer.Engines[name].FloorMB,
			Help: fmt.Sprintf("%d MB at least", offer.Engines[name].FloorMB)})
	}
	engines[2].Help += "; needs postgres and apps"
	f := &form{ID: "create", Action: Root + "/instances", Submit: "Create the instance", Sums: &memorySum{}, Fields: slices.Concat([]*field{
		{Name: "name", Label: "Name", Kind: "text", Required: true, Autocomplete: "off"},
		planField(offer.Plans, "", "A paid plan waits for its checkout."),
		{Name: "region", Label: "Location", Kind: choice, Choices: locationChoices(places.Locations)},
	}, engines, []*field{tagsField(nil)})}
	return &page{Title: "New instance", Template: "new", Section: "instances", Forms: []*form{f}}, nil
}

func locationChoices(locations []core.Location) []option {
	list := []option{}
	for _, l := range locations {
		list = append(list, option{l.ID, cmp.Or(l.Name, l.ID) + " (" + l.ID + ")"})
	}
	return list
}

func createInstance(c *call) (outcome, error) {
	sent := c.r.PostForm
	wanted := core.NewInstance{
		Name: sent.Get("name"), Plan: sent.Get("plan"), Region: sent.Get("region"),
		Engines: map[string]bool{}, Tags: listed(sent.Get("tags")),
	}
	for _, name := range []string{core.EnginePostgres, core.EngineApps, core.EngineAuth} {
		wanted.Engines[name] = sent.Has("engines." + name)
	}
	made, err := c.Service.CreateInstance(wanted, c.root())
	if err != nil {
		return outcome{}, err
	}
	text := "The instance is being created."
	if made.CheckoutURL != "" {
		text = "The instance waits for its checkout."
	}
	return outcome{to: instancePath(made.ID), notice: notice{Text: text, JobID: made.JobID}}, nil
}

// instancePage returns the frame of a page of an instance, or an error if the instance
// does not exist.
func (c *call) instancePage(tab, template string) (*page, error) {
	record, err := c.Service.ReadInstance(c.context(), c.instance())
	if err != nil {
		return nil, err
	}
	p := &page{Title: titleOf(tab), Template: template, Section: "instances", Tab: tab, Instance: &record, Live: instancePath(record.ID) + tab, Busy: record.JobID != nil}
	if record.JobID != nil {
		if job, err := c.Service.Job(c.context(), *record.JobID); err == nil {
			p.Job = &job
		}
	}
	return p, nil
}

// overview is the data of an instance's first page.
type overview struct {
	Plan    core.Plan
	Engines []engineLine
}

type engineLine struct {
	Name string
	core.EngineRecord
}

func showOverview(c *call) (*page, error) {
	p, err := c.instancePage("", "overview")
	if err != nil {
		return nil, err
	}
	offer, err := c.Service.Plans(c.context())
	if err != nil {
		return nil, err
	}
	data := overview{Engines: enginesOf(p.Instance)}
	if at := slices.IndexFunc(offer.Plans, func(one core.Plan) bool { return one.ID == p.Instance.Plan }); at >= 0 {
		data.Plan = offer.Plans[at]
	}
	p.Data = data
	return p, nil
}

func enginesOf(in *core.InstanceRecord) []engineLine {
	list := []engineLine{}
	for _, name := range slices.Sorted(maps.Keys(in.Engines)) {
		list = append(list, engineLine{name, in.Engines[name]})
	}
	return list
}

func showJob(c *call) (*page, error) {
	job, err := c.Service.Job(c.context(), c.param("job"))
	if err != nil {
		return nil, err
	}
	return &page{Title: "Job " + job.ID, Template: "job", Section: "instances", Data: job, Live: c.r.URL.EscapedPath(), Busy: job.FinishedAt == nil}, nil
}

// queued returns the outcome of a form that has queued a job of the instance.
func (c *call) queued(accepted core.Accepted, err error, text string, parts ...string) (outcome, error) {
	return outcome{to: instancePath(c.instance(), parts...), notice: notice{Text: text, JobID: accepted.JobID}}, err
}
