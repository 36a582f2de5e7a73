// Package probe checks which statements of the OpenAPI document are true for a hosting
// service.
//
// The document (package apispec) marks statements that this project settled by analogy,
// because the service's own description does not contain them. Each mark is a Fact. The
// probe sends requests, compares the answers with the document, and reports for each fact
// whether it holds, differs, or was not seen. It shares no code with the client, and only
// package apispec with the fake service, so it shares none of their assumptions. It parses
// the data for its next steps as tolerantly as possible, so that a fact that differs does
// not hide the others.
//
// It only reads, unless Options.Create lets it create one instance. Then every change
// concerns that instance, which is deleted at the end in any case.
package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options configure a run.
type Options struct {
	// BaseURL is the REST base address, ending in /api/v1. It must use https, or http with a
	// loopback address.
	BaseURL string
	// APIKey is never logged or reported.
	APIKey string
	// Create lets the probe create an instance, try every change on it and delete it.
	Create bool
	// Paid allows a plan that costs money.
	Paid bool
	// Plan and Region determine the created instance; "" means the cheapest plan and the
	// first region.
	Plan, Region string
	// Repo is a repository, owner/repo, to import as an app; "" imports none. Branch is its
	// branch, and Port the port that the app listens on.
	Repo, Branch string
	Port         int
	// Progress receives a line for each step of a run with Create. The first line has the
	// instance's id.
	Progress io.Writer
	// Abandon, if non-nil and closed, ends the attempts to delete the instance at the end.
	Abandon <-chan struct{}
	// Wait is the maximum wait for one job, a checkout or the deletion.
	Wait time.Duration
	// Poll is the time between two polls of a wait.
	Poll time.Duration
	// RequestTimeout is the maximum duration of one request.
	RequestTimeout time.Duration
	// Transport sends the requests; nil means the default transport.
	Transport http.RoundTripper
}

// instances is the path of the collection.
const instances = "/instances"

// probe is the state of one run.
type probe struct {
	options  Options
	base     string
	client   *http.Client
	document document
	findings *findings

	// asked reports whether the only create request was sent. instance is the instance's id.
	asked    bool
	instance string
	// name is the name of the instance.
	name string
}

// Run probes a service. It returns the findings even if an error ended the run early. The
// error is the context's, or means that the service could not be reached.
func Run(ctx context.Context, o Options) (Report, error) {
	base, err := checkBaseURL(o.BaseURL)
	if err != nil {
		return Report{}, err
	}
	if o.APIKey == "" || strings.ContainsFunc(o.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return Report{}, errors.New("the API key is empty or holds white space or another character that no key has")
	}
	d, err := openDocument()
	if err != nil {
		return Report{}, err
	}
	o.setDefaults()
	p := &probe{options: o, base: base, document: d, findings: newFindings()}
	p.client = &http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // so that the key is sent to no other host
	}}
	err = p.run(ctx)
	return p.report(), err
}

func (o *Options) setDefaults() {
	o.Wait, o.Poll = cmp.Or(o.Wait, 30*time.Minute), cmp.Or(o.Poll, 3*time.Second)
	o.RequestTimeout = cmp.Or(o.RequestTimeout, time.Minute)
	o.Branch, o.Port = cmp.Or(o.Branch, "main"), cmp.Or(o.Port, 3000)
	if o.Progress == nil {
		o.Progress = io.Discard
	}
}

// run reads the account and then, if Create is set, tries the changes.
func (p *probe) run(ctx context.Context) error {
	a, err := p.readAccount(ctx)
	if err != nil {
		return err
	}
	for _, id := range a.instances {
		if err := p.readInstance(ctx, id); err != nil {
			return err
		}
	}
	if p.options.Create {
		return p.tryChanges(ctx, a)
	}
	return nil
}

// say writes a line of progress.
func (p *probe) say(format string, args ...any) {
	_, _ = fmt.Fprintln(p.options.Progress, p.withoutKey(fmt.Sprintf(format, args...)))
}

// withoutKey removes the key from a text, in case a service repeats it.
func (p *probe) withoutKey(said string) string {
	return strings.ReplaceAll(said, p.options.APIKey, "(the key)")
}

// checkBaseURL checks the base address and returns it without a trailing slash.
func checkBaseURL(raw string) (string, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "":
		return "", errors.New("the base URL must be one such as https://hosting.example/api/v1")
	case u.User != nil || strings.ContainsAny(raw, "?#"):
		return "", errors.New("the base URL must hold no user, query or fragment")
	case u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())):
		return "", errors.New("the base URL must use https, as http would send the key unencrypted (it may on a loopback address)")
	case !strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/api/v1"):
		return "", errors.New("the base URL must end in /api/v1")
	}
	return strings.TrimRight(raw, "/"), nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
