// Command demo shows the whole product on one machine, without an account: it
// starts the fake service, applies the guestbook module with a real Terraform
// or OpenTofu, proves that a second plan changes nothing, and verifies the
// guestbook as a visitor, in a browser where there is one.
//
// It prints a line for each thing that it has done or proved, and on a terminal
// what jobs and builds are running. What Terraform prints is kept for the error,
// or shown with --plans.
//
// Where standard input is no terminal, it then destroys everything and reports
// what the fake has left. On a terminal all of it stays up for a look around.
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
)

func main() {
	options := options{}
	flag.StringVar(&options.cli, "cli", "terraform", "Terraform or OpenTofu to run, 1.11 or newer")
	flag.Float64Var(&options.speed, "speed", 20, "speed of the fake's clock, as a multiple of real time")
	flag.BoolVar(&options.plans, "plans", false, "show all of Terraform's output: plans, progress and warnings")
	flag.StringVar(&options.bin, "bin", ".bin", "folder with the built provider and fake")
	flag.StringVar(&options.module, "module", "examples/guestbook", "module to apply")
	flag.StringVar(&options.folder, "folder", ".demo", "working folder; its contents are deleted before and after the run")
	flag.StringVar(&options.artifacts, "artifacts", ".artifacts", "folder for screenshots of the guestbook")
	flag.Parse()
	options.interactive = isTerminal(os.Stdin)

	// A terminal that is closed must not leave the fake behind.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	screen := &screen{out: os.Stdout, columns: func() int { return liveColumns(os.Stdout) }, now: time.Now}
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
			// Nobody was there to see how far it came.
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

// scaled is how long something takes that needs the service's clock and the machine's.
func (o options) scaled(service, machine time.Duration) time.Duration {
	return (time.Duration(float64(service)/o.speed) + machine).Round(5 * time.Second)
}

// leftoverError says that something of the demo may still be there.
type leftoverError struct{ error }

// run does the demo's steps in order. The fake is stopped on every way out, and what is in
// the folder is deleted, unless it helps to find out what went wrong.
func run(ctx context.Context, options options, screen *screen) (err error) {
	began := time.Now()
	screen.say("The guestbook, from nothing to verified, on a fake service whose clock runs %g times as fast.\n", options.speed)
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
	screen.say("\nAll of it held, in %s.", rounded(time.Since(began)))
	if options.interactive {
		return stayUp(ctx, fake, work, deployed, screen)
	}
	return nil
}

// deploy applies the module, and proves that there is nothing to do then.
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

// What the long steps take of the service's time and of the machine's, where Go has
// compiled the app before.
const (
	applyService, applyMachine     = 700 * time.Second, 10 * time.Second
	verifyService, verifyMachine   = 200 * time.Second, 35 * time.Second
	destroyService, destroyMachine = 40 * time.Second, 5 * time.Second
)

// showEvents says how many events of the service have come to the endpoint.
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
	screen.done("%d events came to the webhook endpoint, each signed with its secret", events)
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
		screen.say("%s", indented(line))
	}
	return nil
}

func showTimes(ctx context.Context, fake *fakeProcess, speed float64, screen *screen) error {
	timeline, err := fake.timeline(ctx)
	if err != nil {
		return fmt.Errorf("read the fake's log: %w", err)
	}
	lines, err := timeline.report(speed)
	for _, line := range lines {
		screen.say("%s", indented(line))
	}
	if err != nil {
		return fmt.Errorf("measure the apply: %w", err)
	}
	return nil
}

// checkContract fails if an exchange was not as the API document has it. The
// fake would answer all the same, and the demo would prove less than it says.
func checkContract(ctx context.Context, fake *fakeProcess, screen *screen) error {
	violations, err := fake.violations(ctx)
	if err != nil {
		return fmt.Errorf("ask the fake about the API document: %w", err)
	}
	if len(violations) > 0 {
		return fmt.Errorf("%d exchanges are not as the API document has them, the first: %s", len(violations), violations[0])
	}
	screen.done("Every exchange was as the API document has it")
	return nil
}

// destroy ends a demo that nobody watches. What the fake still has afterwards
// is a fault of the provider or of the module.
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
