// Package verification runs the checks of SERVICE.md#guestbook against a guestbook that the
// Terraform module has deployed. It checks the health path, then an account, a message and
// the visit counter. They must survive a redeploy and separate restarts of the app,
// Postgres and the auth engine.
//
// The demo and an acceptance test share it. It uses the guestbook as a visitor does, and
// the service as a customer does.
package verification

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// Guestbook is a deployed guestbook, and the ways to it.
type Guestbook struct {
	// AppURL, AuthURL and AnonKey are the module's outputs.
	AppURL, AuthURL, AnonKey string
	// Service redeploys and restarts. InstanceID and App name the guestbook.
	Service         *client.Client
	InstanceID, App string
	// Processes returns the id of an engine's process, or of the app's if the engine is
	// apps, or 0 if none runs. If it is nil, the verification leaves out killing processes,
	// which customers cannot see.
	Processes func(ctx context.Context, engine string) (int, error)
	// Brief leaves out the redeploy, the restarts and the kills.
	Brief bool
	// Chromium is the browser's program; with "", the same checks use HTTP.
	Chromium string
	// Screenshots is a folder for the browser's pictures; with "", none are taken.
	Screenshots string
	// Patience is the time limit for a single action; 0 means two minutes.
	Patience time.Duration
	// Say prints the observations, line by line.
	Say func(format string, arguments ...any)

	// counted is the latest number of visits.
	counted int
}

func (g *Guestbook) patience() time.Duration { return cmp.Or(g.Patience, 2*time.Minute) }

// account is a visitor's account, which is only created for this verification.
type account struct{ email, password string }

// Verify runs the whole verification. It ends with the first failure.
func (g *Guestbook) Verify(ctx context.Context) error {
	name := fmt.Sprintf("ada-%d", time.Now().UnixNano()%1e9)
	who := account{name + "@example.com", "correct horse battery"}
	message := "Hello from " + name + ": <b>1 < 2</b> & \"so on\", naïve ✓"

	if err := g.health(ctx); err != nil {
		return err
	}
	if err := g.linked(ctx); err != nil {
		return err
	}
	if err := g.refusesStrangers(ctx); err != nil {
		return err
	}
	if err := g.visit(ctx, who, message); err != nil {
		return err
	}
	for _, step := range g.steps() {
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		seen, err := g.survived(ctx, who, message)
		if err != nil {
			return fmt.Errorf("after the %s: %w", step.name, err)
		}
		g.Say("After the %s: %s", step.name, seen)
	}
	return nil
}

// visit leaves a message, in a browser if one is configured.
func (g *Guestbook) visit(ctx context.Context, who account, message string) error {
	if g.Chromium == "" {
		g.Say("No Chromium was found, so the visit is made over HTTP, without the pages' scripts.")
		return g.visitByHTTP(ctx, who, message)
	}
	return g.visitByBrowser(ctx, who, message)
}

func (g *Guestbook) health(ctx context.Context) error {
	answer, err := g.get(ctx, "/healthz")
	if err != nil {
		return err
	}
	if answer.status != http.StatusOK || strings.TrimSpace(answer.body) != "ok" {
		return fmt.Errorf("%s/healthz answered %d %q", g.AppURL, answer.status, answer.body)
	}
	g.Say("%s/healthz: %d %s", g.AppURL, answer.status, answer.body)
	return nil
}

// linked checks that the app is linked with the auth engine, which an import does not do by
// itself.
func (g *Guestbook) linked(ctx context.Context) error {
	app, err := g.Service.App(ctx, g.InstanceID, g.App)
	if err != nil {
		return err
	}
	if !slices.Contains(app.Links.Value, "auth") {
		return fmt.Errorf("the app %s is linked with %q, and not with auth", g.App, app.Links.Value)
	}
	g.Say("The app %s is linked with auth", g.App)
	return nil
}

// refusesStrangers checks that an invalid token cannot leave a message.
func (g *Guestbook) refusesStrangers(ctx context.Context) error {
	answer, err := g.post(ctx, "made up", "I am nobody.")
	if err != nil {
		return err
	}
	if answer.status != http.StatusUnauthorized {
		return fmt.Errorf("a message with a made-up token was answered with %d %s", answer.status, answer.body)
	}
	g.Say("A message with a made-up token: %d", answer.status)
	return nil
}

// step is an event that the guestbook must survive.
type step struct {
	name string
	do   func(context.Context) error
}

func (g *Guestbook) steps() []step {
	if g.Brief {
		return nil
	}
	steps := []step{
		{"redeploy of the app", g.redeploy},
		{"restart of the app", g.restartApp},
		{"restart of Postgres", g.restart("postgres")},
		{"restart of auth", g.restart("auth")},
	}
	if g.Processes != nil {
		steps = append(steps, step{"kill -9 of the app", g.kill("apps")}, step{"kill -9 of Postgres", g.kill("postgres")})
	}
	return steps
}

// change makes a mutation of the instance and waits for its job.
func (g *Guestbook) change(ctx context.Context, operation string, send func(*client.Turn) (client.Pending, error)) (client.Pending, error) {
	turn, err := g.Service.Enter(ctx, g.InstanceID)
	if err != nil {
		return client.Pending{}, err
	}
	defer turn.Leave()
	pending, err := send(turn)
	if err != nil {
		return pending, err
	}
	return pending, g.Service.WaitJob(ctx, g.InstanceID, pending, operation, nil)
}

func (g *Guestbook) redeploy(ctx context.Context) error {
	pending, err := g.change(ctx, client.OpAppRedeploy, func(turn *client.Turn) (client.Pending, error) {
		return turn.RedeployApp(ctx, g.App)
	})
	if err != nil {
		return err
	}
	return g.Service.WaitDeployed(ctx, g.InstanceID, g.App, pending.BuildID, client.AppRunning)
}

func (g *Guestbook) restartApp(ctx context.Context) error {
	_, err := g.change(ctx, client.OpAppRestart, func(turn *client.Turn) (client.Pending, error) {
		return turn.RestartApp(ctx, g.App)
	})
	return err
}

func (g *Guestbook) restart(engine string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := g.change(ctx, client.OpEngineRestart, func(turn *client.Turn) (client.Pending, error) {
			return turn.RestartEngine(ctx, engine)
		})
		return err
	}
}

// kill kills a process and waits until another has replaced it, because the killed
// process's children may live on for a moment.
func (g *Guestbook) kill(engine string) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, g.patience())
		defer cancel()
		killed, err := g.Processes(ctx, engine)
		if err != nil {
			return err
		}
		if killed == 0 {
			return fmt.Errorf("no process of %s runs", engine)
		}
		process, err := os.FindProcess(killed)
		if err != nil {
			return err
		}
		if err := process.Kill(); err != nil {
			return err
		}
		return eventually(ctx, func() error {
			running, err := g.Processes(ctx, engine)
			if err == nil && (running == 0 || running == killed) {
				return fmt.Errorf("%w: the process %d has no successor", errUnavailable, killed)
			}
			return err
		})
	}
}

// survived checks that the message, the account and the counter still exist, and describes
// them. It waits for the part that has just been restarted.
func (g *Guestbook) survived(ctx context.Context, who account, message string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, g.patience())
	defer cancel()
	before := g.counted
	var shown page
	err := eventually(ctx, func() (err error) {
		shown, err = g.readBook(ctx)
		return err
	})
	if err != nil {
		return "", err
	}
	if !shown.has(message) {
		return "", errors.New("the message is gone")
	}
	if shown.visits <= before {
		return "", fmt.Errorf("the counter is at %d, and was at %d before", shown.visits, before)
	}
	var token string
	err = eventually(ctx, func() (err error) {
		token, err = g.signIn(ctx, who)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("the account: %w", err)
	}
	if token == "" {
		return "", errors.New("the account signs in without a token")
	}
	return fmt.Sprintf("message, account and counter are there, at %d visits", shown.visits), nil
}

// eventually repeats an operation until it succeeds, or fails in a way that waiting does
// not resolve.
func eventually(ctx context.Context, do func() error) error {
	for {
		err := do()
		if err == nil || !errors.Is(err, errUnavailable) {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}
