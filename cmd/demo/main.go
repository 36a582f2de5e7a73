// Command demo shows the whole product on one machine, without an account. It starts the
// fake service, applies the guestbook module with a real Terraform or OpenTofu, and proves
// that a second plan changes nothing. Then it verifies the guestbook as a visitor, in a
// browser if one is installed.
//
// It prints a line for each step, and on a terminal also the running jobs and builds. With
// --verbose it prints each output and each check. Terraform's output is kept for errors, or
// shown with --plans.
//
// If standard input is not a terminal, it then destroys everything and reports what the
// fake has left. On a terminal everything stays up so that the user can look around.
//
// It is run by `make demo`, from the root of the repository.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/terminal"
)

func main() {
	options := options{}
	flag.StringVar(&options.cli, "cli", "terraform", "Terraform or OpenTofu to run, 1.11 or newer")
	flag.Float64Var(&options.speed, "speed", 20, "speed of the fake's clock, as a multiple of real time")
	verbose := flag.Bool("verbose", false, "also print the outputs, the durations of the jobs and each check")
	flag.BoolVar(&options.plans, "plans", false, "show all of Terraform's output: plans, progress and warnings")
	flag.StringVar(&options.bin, "bin", ".bin", "folder with the built provider and fake")
	flag.StringVar(&options.module, "module", "examples/guestbook", "module to apply")
	flag.StringVar(&options.folder, "folder", ".demo", "working folder; its contents are deleted before and after the run")
	flag.StringVar(&options.artifacts, "artifacts", ".artifacts", "folder for screenshots of the guestbook")
	flag.Parse()
	options.interactive = terminal.IsTerminal(os.Stdin)

	// A terminal that is closed must not leave the fake behind.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	screen := &screen{out: os.Stdout, columns: func() int { return liveColumns(os.Stdout) }, now: time.Now,
		style: terminal.StyleOf(os.Stdout, os.Getenv), verbose: *verbose}
	still := screen.animate()
	unheard := context.AfterFunc(ctx, screen.interrupted)
	err := run(ctx, options, screen)
	interrupted := !unheard()
	still()
	stop()

	const stopped = "All of it is stopped, and nothing of it is left."
	var left *leftoverError
	switch {
	case err == nil && interrupted:
		screen.say(stopped)
	case err == nil:
	case interrupted && !errors.As(err, &left):
		if screen.columns() == 0 {
			// Without a terminal, the screen did not show the progress.
			fmt.Fprintf(os.Stderr, "\ndemo: %v\n", err)
		}
		screen.say("Interrupted. " + stopped)
		os.Exit(130)
	default:
		fmt.Fprintf(os.Stderr, "\ndemo: %v\n", err)
		os.Exit(1)
	}
}

type options struct {
	cli, bin, module, folder, artifacts string
	speed                               float64
	plans, interactive                  bool
}

// scaled returns the estimated duration of a step, in the service's time and in the
// machine's.
func (o options) scaled(service, machine time.Duration) time.Duration {
	return (time.Duration(float64(service)/o.speed) + machine).Round(5 * time.Second)
}

// leftoverError says that parts of the demo may remain.
type leftoverError struct{ error }

// run runs the demo's steps in order. It always stops the fake, and deletes the content of
// the folder unless it helps to find a problem.
func run(ctx context.Context, options options, screen *screen) (err error) {
	began := time.Now()
	screen.say("The guestbook, from nothing to verified, on a fake service.\nIts clock runs %g times as fast as yours.\n", options.speed)
	receiver := startReceiver()
	defer receiver.server.Close()

	screen.begin(0, "Start the fake service")
	defer func() { screen.end(err != nil) }()
	fake, err := startFake(ctx, options, receiver)
	if err != nil {
		return fmt.Errorf("start the fake service: %w", err)
	}
	defer func() {
		if stopped := fake.stop(); stopped != nil {
			err = errors.Join(err, &leftoverError{stopped})
		}
	}()
	watched := fake.show(screen)
	defer watched()
	screen.done("The fake service answers at %s", fake.baseURL())

	screen.begin(0, "Install the provider")
	catalogue, err := fake.catalogue(ctx)
	if err != nil {
		return fmt.Errorf("read the fake's plans and regions: %w", err)
	}
	work, err := newWorkspace(options, fake, catalogue, receiver.url())
	if err != nil {
		return fmt.Errorf("prepare %s: %w", options.folder, err)
	}
	defer func() { err = errors.Join(err, work.leave(err != nil && ctx.Err() == nil)) }()
	if options.plans {
		work.plans = screen
	}
	if err := deploy(ctx, fake, work, options, screen); err != nil {
		return err
	}
	deployed, err := verify(ctx, fake, work, options, screen)
	if err != nil {
		return err
	}
	if err := showEvents(ctx, work, receiver, screen); err != nil {
		return err
	}
	if !options.interactive {
		if err := destroy(ctx, fake, work, options, screen); err != nil {
			return err
		}
	}
	if err := checkContract(ctx, fake, screen); err != nil {
		return err
	}
	screen.end(false)
	screen.say("\n%s in %s.", screen.style.Good("Everything worked,"), rounded(time.Since(began)))
	if options.interactive {
		return stayUp(ctx, fake, work, deployed, screen)
	}
	screen.say("%s", nextStep(screen))
	return nil
}

// deploy applies the module, and proves that nothing is left to do then.
func deploy(ctx context.Context, fake *fakeProcess, work *workspace, options options, screen *screen) error {
	version, err := work.version(ctx)
	if err != nil {
		return err
	}
	if err := work.command(ctx, "init", "-input=false"); err != nil {
		return fmt.Errorf("install the provider: %w", err)
	}
	screen.done("%s has the provider that was built", version)

	screen.begin(options.scaled(applyService, applyMachine), "Apply the guestbook")
	if err := work.command(ctx, "apply", "-auto-approve", "-input=false"); err != nil {
		return fmt.Errorf("apply the guestbook: %w", err)
	}
	screen.done("The guestbook is deployed")
	if err := checkProgress(ctx, work.progressFile); err != nil {
		return fmt.Errorf("read the progress of the apply: %w", err)
	}
	if err := showOutputs(ctx, work, screen); err != nil {
		return err
	}
	if err := showTimes(ctx, fake, options.speed, screen); err != nil {
		return err
	}

	screen.begin(0, "Plan again")
	if err := work.command(ctx, "plan", "-detailed-exitcode", "-input=false"); err != nil {
		return fmt.Errorf("the second plan is not empty, or failed: %w", err)
	}
	screen.done("A second plan changes nothing")
	return nil
}

// The durations of the long steps, in the service's time and in the machine's, if Go has
// compiled the app before.
const (
	applyService, applyMachine     = 700 * time.Second, 10 * time.Second
	verifyService, verifyMachine   = 200 * time.Second, 35 * time.Second
	destroyService, destroyMachine = 40 * time.Second, 5 * time.Second
)

// showEvents prints the number of events that the endpoint has received.
func showEvents(ctx context.Context, work *workspace, receiver *receiver, screen *screen) error {
	secret, err := work.output(ctx, "output", "-raw", "webhook_secret")
	if err != nil {
		return fmt.Errorf("read the webhook's secret: %w", err)
	}
	events, err := receiver.heard(string(secret))
	if err != nil {
		return err
	}
	if events == 0 {
		return errors.New("no event has come to the webhook endpoint")
	}
	screen.done("%d events came to the webhook endpoint, each signed", events)
	return nil
}

func showOutputs(ctx context.Context, work *workspace, screen *screen) error {
	text, err := work.output(ctx, "output", "-json")
	if err != nil {
		return fmt.Errorf("read the outputs: %w", err)
	}
	lines, err := outputLines(text)
	if err != nil {
		return fmt.Errorf("check the outputs: %w", err)
	}
	for _, line := range lines {
		screen.aside("%s", line)
	}
	return nil
}

func showTimes(ctx context.Context, fake *fakeProcess, speed float64, screen *screen) error {
	timeline, err := fake.timeline(ctx)
	if err != nil {
		return fmt.Errorf("read the fake's log: %w", err)
	}
	summary, jobs, err := timeline.report(speed)
	if summary != "" {
		screen.note("%s", summary)
		screen.aside("%s", jobs)
	}
	if err != nil {
		return fmt.Errorf("measure the apply: %w", err)
	}
	return nil
}

// checkContract fails if an exchange violated the API document. The fake would answer
// anyway, and the demo would prove less than it claims.
func checkContract(ctx context.Context, fake *fakeProcess, screen *screen) error {
	violations, err := fake.violations(ctx)
	if err != nil {
		return fmt.Errorf("ask the fake about the API document: %w", err)
	}
	if len(violations) > 0 {
		return fmt.Errorf("%d exchanges are not as the API document has them, the first: %s", len(violations), violations[0])
	}
	screen.done("Every request and answer matched the API document")
	return nil
}

// destroy ends a demo without a terminal. Records that the fake still has afterwards are a
// fault of the provider or of the module.
func destroy(ctx context.Context, fake *fakeProcess, work *workspace, options options, screen *screen) error {
	screen.begin(options.scaled(destroyService, destroyMachine), "Destroy the guestbook")
	if err := work.command(ctx, "destroy", "-auto-approve", "-input=false"); err != nil {
		return fmt.Errorf("destroy the guestbook: %w", err)
	}
	left, err := fake.left(ctx)
	if err != nil {
		return fmt.Errorf("ask the fake what is left: %w", err)
	}
	if left != 0 {
		return fmt.Errorf("the fake has %d records left after the destroy", left)
	}
	screen.done("The guestbook is destroyed, and the fake has nothing left")
	return nil
}
