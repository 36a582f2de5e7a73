package control

import (
	"fmt"
	"net/http"
)

// getProcesses lists the processes of the instances, so that a program can end one and
// watch the service recover.
func (c *control) getProcesses(*http.Request) (any, error) {
	processes := []object{}
	for _, in := range c.Core.Instances() {
		for _, p := range c.Core.Processes(in.ID) {
			processes = append(processes, object{
				"instance_id": p.InstanceID, "engine": p.Engine, "app": orNull(p.App), "pid": p.PID,
			})
		}
	}
	return object{"processes": processes}, nil
}

// getMail lists the mails that the service would have sent. Their links and codes sign
// the reader in, but only at this fake.
func (c *control) getMail(*http.Request) (any, error) {
	mails := []object{}
	for _, m := range c.Core.Mails() {
		mails = append(mails, object{"instance_id": m.InstanceID, "to": m.To, "link": m.Link, "code": m.Code})
	}
	return object{"mail": mails}, nil
}

// getAppLog returns the end of an app's output.
func (c *control) getAppLog(r *http.Request) (any, error) {
	return object{"log": c.Core.AppLog(r.PathValue("instance"), r.PathValue("name"))}, nil
}

// getBuildLog returns the end of a build's log so far.
func (c *control) getBuildLog(r *http.Request) (any, error) {
	log, found := c.Core.BuildLog(r.PathValue("instance"), r.PathValue("name"), r.PathValue("build"))
	if !found {
		return nil, fmt.Errorf("the app has no build %q", r.PathValue("build"))
	}
	return object{"log": log}, nil
}

// orNull returns a text, or nil if it is empty.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
