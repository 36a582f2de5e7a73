package appruntime

import (
	"context"
	"fmt"
	"net/http"
	"syscall"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
)

const (
	// healthEvery is the time between health checks of an app that does not answer yet, and
	// watchEvery the time once it does.
	healthEvery = 50 * time.Millisecond
	watchEvery  = time.Second
	// A crashed app is restarted after a pause. The pause doubles with each crash, and is
	// short again once the app has lived for a while.
	firstPause = 100 * time.Millisecond
	longPause  = 10 * time.Second
	longLife   = 10 * time.Second
)

// run is one version of an app with one set of settings, until another run replaces it.
type run struct {
	app   *App
	build *Build
	spec  Spec
}

// keepUp starts the app, and restarts it each time it ends, until ctx does.
func (r *run) keepUp(ctx context.Context) {
	unhealthy := make(chan struct{})
	go func() {
		defer close(unhealthy)
		defer rescue.Log(r.app.runtime.log, "wait for an app")
		r.watchPatience(ctx)
	}()
	defer func() { <-unhealthy }()
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, longPause) {
		began := time.Now()
		if err := r.live(ctx); err != nil && ctx.Err() == nil {
			r.app.see(func(s *seen) { s.exited = true })
			r.app.note("%s; it is started again", err)
		}
		if time.Since(began) > longLife {
			pause = firstPause
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// live runs one process of the app from its start to its end.
func (r *run) live(ctx context.Context) error {
	if err := r.checkDisk(ctx); err != nil {
		return fmt.Errorf("the app cannot be started: %w", err)
	}
	// Another program may take the port before the app does. The app then ends and gets
	// another port.
	port, err := loopback.FreePort(ctx, loopback.Shared)
	if err != nil {
		return err
	}
	spec, err := r.launch(port)
	if err != nil {
		return err
	}
	p, err := process.Start(spec)
	if err != nil {
		return err
	}
	r.app.setProcess(p)
	r.app.note("started, with PORT=%d", port)
	watching, cancel := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		defer rescue.Log(r.app.runtime.log, "watch an app")
		r.watch(watching, port)
	}()
	full := make(chan error, 1)
	go func() {
		defer rescue.Log(r.app.runtime.log, "measure an app's data")
		full <- r.awaitFullDisk(watching)
	}()
	defer func() {
		cancel()
		<-watched
		r.app.front.point(0)
		r.app.setProcess(nil)
	}()
	select {
	case <-p.Ended():
		return fmt.Errorf("the app has ended: %s", p.How())
	case err = <-full:
		if err != nil {
			err = fmt.Errorf("the app was stopped: %w", err)
		}
	case <-ctx.Done():
	}
	r.app.front.point(0)
	p.Stop(r.app.runtime.options.Farewell, syscall.SIGTERM)
	return err
}

// watch polls the health path as long as the process lives. Visitors are admitted after the
// first 200.
func (r *run) watch(ctx context.Context, port int) {
	pause := healthEvery
	for ctx.Err() == nil {
		switch status := probe(ctx, port, r.spec.HealthPath); status {
		case http.StatusOK:
			r.app.front.point(port)
			r.app.answered()
			pause = watchEvery
		case 0: // no answer
		default:
			r.app.see(func(s *seen) { s.status = status })
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// prober checks the health of apps. A redirect does not count as 200.
var prober = &http.Client{
	Timeout:       5 * time.Second,
	Transport:     &http.Transport{DialContext: dialLoopback, DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// probe requests the health path and returns the status, or 0 if there is no answer.
func probe(ctx context.Context, port int, path string) int {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://localhost:%d%s", port, path), nil)
	if err != nil {
		return 0
	}
	response, err := prober.Do(request)
	if err != nil {
		return 0
	}
	_ = response.Body.Close() // only the status counts
	return response.StatusCode
}
