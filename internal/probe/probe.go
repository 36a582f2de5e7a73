// Package probe asks a hosting service what of the OpenAPI document holds there.
//
// The document (package apispec) marks what this project settled by analogy, as the
// service's own description does not show it. Each mark is a Fact. The probe sends
// requests, compares the answers with the document and tells for each fact whether
// it holds, differs, or was not seen. It shares no code with the client or the fake
// service, so it shares none of their assumptions either, and it reads what it needs
// to go on as tolerantly as it can: a fact that differs shall not hide the others.
//
// It only reads, unless Options.Create lets it create one instance. Then every change
// is about that instance, which is deleted at the end in any case.
package probe

import (
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

// Options says what is probed and how.
type Options struct {
	// BaseURL is the REST base address, ending in /api/v1. It is https, or http on
	// a loopback address.
	BaseURL string
	// APIKey is never written anywhere.
	APIKey string
	// Create makes an instance, tries every change on it and deletes it.
	Create bool
	// Paid lets it be on a plan that costs money.
	Paid bool
	// Plan and Region are where the instance is made; "" takes the cheapest plan
	// and the first region.
	Plan, Region string
	// Repo is a repository, owner/repo, to import as an app; "" imports none.
	// Branch is its branch and Port the one that it listens on.
	Repo, Branch string
	Port         int
	// Progress gets a line for each step of a run with Create, the instance's id
	// before all others.
	Progress io.Writer
	// Abandon, once done, gives the deletion at the end up; nil never does.
	Abandon <-chan struct{}
	// Wait is the longest wait for one job, a checkout or the deletion.
	Wait time.Duration
	// Poll is the time between two looks at what is waited for.
	Poll time.Duration
	// RequestTimeout is the longest that one request may take.
	RequestTimeout time.Duration
	// Transport carries the requests; nil is the standard one.
	Transport http.RoundTripper
}

// instances is the path of the collection.
const instances = "/instances"

// probe is one run.
type probe struct {
	options  Options
	base     string
	client   *http.Client
	document document
	evidence *evidence

	// asked tells whether the one creation was sent, and instance is its id.
	asked    bool
	instance string
	// name is what the instance is called.
	name string
}

// Run probes a service. The Report holds what was found, also where an error ended
// the run early: the context's, or that the service cannot be asked.
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
	p := &probe{options: o, base: base, document: d, evidence: newEvidence()}
	p.client = &http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // the key goes nowhere else
	}}
	err = p.run(ctx)
	return p.report(), err
}

func (o *Options) setDefaults() {
	if o.Wait == 0 {
		o.Wait = 30 * time.Minute
	}
	if o.Poll == 0 {
		o.Poll = 3 * time.Second
	}
	if o.RequestTimeout == 0 {
		o.RequestTimeout = time.Minute
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	if o.Branch == "" {
		o.Branch = "main"
	}
	if o.Port == 0 {
		o.Port = 3000
	}
}

// run makes both tours.
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

// say tells of the progress.
func (p *probe) say(format string, args ...any) {
	_, _ = fmt.Fprintln(p.options.Progress, p.withoutKey(fmt.Sprintf(format, args...)))
}

// withoutKey is a text without the key, should a service ever repeat it.
func (p *probe) withoutKey(said string) string {
	return strings.ReplaceAll(said, p.options.APIKey, "(the key)")
}

// checkBaseURL gives the base address without a slash at its end.
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
