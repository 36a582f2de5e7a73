// Command demo shows the whole product on one machine, without an account: it
// starts the fake service, applies the guestbook module with a real Terraform
// or OpenTofu, proves that a second plan changes nothing, and verifies the
// guestbook as a visitor, in a browser where there is one.
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
	flag.StringVar(&options.cli, "cli", "terraform", "Terraform or OpenTofu to use, 1.11 or newer")
	flag.Float64Var(&options.speed, "speed", 20, "how many times faster than real the fake's clock runs")
	flag.StringVar(&options.bin, "bin", ".bin", "folder with the built provider and fake")
	flag.StringVar(&options.module, "module", "examples/guestbook", "module to apply")
	flag.StringVar(&options.folder, "folder", ".demo", "folder to work in; what is in it is deleted first")
	flag.StringVar(&options.artifacts, "artifacts", ".artifacts", "folder for the browser's pictures of the guestbook")
	flag.Parse()
	options.interactive = isTerminal(os.Stdin)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, options)
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case err == nil:
	case interrupted:
		say("Interrupted. The fake is stopped; nothing was destroyed first, and it forgets what it had.")
		os.Exit(130)
	default:
		fmt.Fprintf(os.Stderr, "\ndemo: %v\n", err)
		os.Exit(1)
	}
}

type options struct {
	cli, bin, module, folder, artifacts string
	speed                               float64
	interactive                         bool
}

// run does the demo's steps in order. The fake is stopped on every way out.
func run(ctx context.Context, options options) (err error) {
	step("Start the fake service, its clock %gx as fast", options.speed)
	fake, err := startFake(ctx, options)
	if err != nil {
		return fmt.Errorf("start the fake service: %w", err)
	}
	defer func() { err = errors.Join(err, fake.stop()) }()
	say("It listens on %s", fake.baseURL())

	catalogue, err := fake.catalogue(ctx)
	if err != nil {
		return fmt.Errorf("read the fake's plans and regions: %w", err)
	}
	work, err := newWorkspace(options, fake, catalogue)
	if err != nil {
		return fmt.Errorf("prepare %s: %w", options.folder, err)
	}

	step("Apply the guestbook")
	began := time.Now()
	if err := work.command(ctx, "apply", "-auto-approve", "-input=false"); err != nil {
		return fmt.Errorf("apply the guestbook: %w", err)
	}
	say("Apply complete in %s.", time.Since(began).Round(100*time.Millisecond))

	if err := showOutputs(ctx, work); err != nil {
		return err
	}
	if err := showTimes(ctx, fake, options.speed); err != nil {
		return err
	}

	step("Prove that a second plan changes nothing")
	if err := work.command(ctx, "plan", "-detailed-exitcode", "-input=false"); err != nil {
		return fmt.Errorf("the second plan is not empty, or failed: %w", err)
	}
	say("The second plan is empty.")
	deployed, err := verify(ctx, fake, work, options)
	if err != nil {
		return err
	}
	if err := checkContract(ctx, fake); err != nil {
		return err
	}

	if options.interactive {
		return stayUp(ctx, fake, work, deployed)
	}
	if err := destroy(ctx, fake, work); err != nil {
		return err
	}
	return checkContract(ctx, fake)
}

func showOutputs(ctx context.Context, work *workspace) error {
	step("Outputs")
	text, err := work.output(ctx, "output", "-json")
	if err != nil {
		return fmt.Errorf("read the outputs: %w", err)
	}
	lines, err := outputLines(text)
	if err != nil {
		return fmt.Errorf("check the outputs: %w", err)
	}
	for _, line := range lines {
		say("%s", line)
	}
	return nil
}

func showTimes(ctx context.Context, fake *fakeProcess, speed float64) error {
	step("Time, against the shortest that the service allows")
	timeline, err := fake.timeline(ctx)
	if err != nil {
		return fmt.Errorf("read the fake's log: %w", err)
	}
	lines, err := timeline.report(speed)
	for _, line := range lines {
		say("%s", line)
	}
	if err != nil {
		return fmt.Errorf("measure the apply: %w", err)
	}
	return nil
}

// checkContract fails if an exchange was not as the API document has it. The
// fake would answer all the same, and the demo would prove less than it says.
func checkContract(ctx context.Context, fake *fakeProcess) error {
	violations, err := fake.violations(ctx)
	if err != nil {
		return fmt.Errorf("ask the fake about the API document: %w", err)
	}
	if len(violations) > 0 {
		return fmt.Errorf("%d exchanges are not as the API document has them, the first: %s", len(violations), violations[0])
	}
	say("Every exchange was as the API document has it.")
	return nil
}

// destroy ends a demo that nobody watches. What the fake still has afterwards
// is a fault of the provider or of the module.
func destroy(ctx context.Context, fake *fakeProcess, work *workspace) error {
	step("Destroy the guestbook")
	if err := work.command(ctx, "destroy", "-auto-approve", "-input=false"); err != nil {
		return fmt.Errorf("destroy the guestbook: %w", err)
	}
	left, err := fake.left(ctx)
	if err != nil {
		return fmt.Errorf("ask the fake what is left: %w", err)
	}
	say("Destroy complete. Left in the fake: %d", left)
	if left != 0 {
		return fmt.Errorf("the fake has %d records left after the destroy", left)
	}
	return nil
}

// stayUp waits for Ctrl-C, or for the fake to end by itself.
func stayUp(ctx context.Context, fake *fakeProcess, work *workspace, deployed guestbook) error {
	variables, err := writeConnection(ctx, fake, work, deployed)
	if err != nil {
		return err
	}
	step("The guestbook is deployed; have a look around")
	say("The guestbook:         %s", deployed.AppURL)
	say("Its database:          (. %s && psql)", variables)
	say("What the fake holds:   curl -H 'Authorization: Bearer %s' %s/_fake/state", fake.token, fake.origin)
	say("Each request it got:   the same with /_fake/requests")
	say("The module's copy:     %s", work.module)
	say("To change it and apply again, in another terminal:")
	say("  . %s", work.environmentFile)
	say("  cd %s && %s apply", work.module, work.cli)
	say("")
	say("Ctrl-C stops it all. Nothing is destroyed first; the fake keeps nothing on disk.")
	select {
	case <-ctx.Done():
		say("")
		say("Stopping the fake.")
		return nil
	case <-fake.ended:
		return errors.New("the fake service ended by itself; its log is above")
	}
}

// step begins a part of the demo's output.
func step(format string, arguments ...any) {
	fmt.Printf("\n==> "+format+"\n", arguments...)
}

// say prints one line.
func say(format string, arguments ...any) {
	fmt.Printf(format+"\n", arguments...)
}
