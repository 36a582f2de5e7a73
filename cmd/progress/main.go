// Command progress shows the progress of an apply in a second terminal. It reads the file
// that the provider writes if HOSTING_PROGRESS is set. On a terminal it draws a bar for each
// job and build. Otherwise it prints a line for each that ends. It follows the file until it
// is interrupted, and then prints the time of each step.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/progress"
	"github.com/instance-hosting/terraform-provider-hosting/internal/terminal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the program immediately.
	context.AfterFunc(ctx, stop)
	onTerminal := terminal.IsTerminal(os.Stdout) && os.Getenv("TERM") != "dumb"
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, onTerminal)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "progress:", err)
		os.Exit(1)
	}
}

// run shows the file that args name, or in if that is "-".
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer, onTerminal bool) error {
	flags := flag.NewFlagSet("progress", flag.ContinueOnError)
	flags.SetOutput(errs)
	follow := flags.Bool("follow", true, "wait for more at the end of the file, until Ctrl-C")
	flags.Usage = func() {
		fmt.Fprintf(errs, "Usage: progress [--follow=false] FILE\n\nShows the progress that the provider writes to the file of %s. FILE may be - for standard input.\n\n", progress.Variable)
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fmt.Errorf("name one file, the one of %s", progress.Variable)
	}
	if path := flags.Arg(0); path == "-" {
		*follow = false
	} else {
		how := os.O_RDONLY
		if *follow {
			// The file may not exist yet, because the apply makes it. A pipe may have no writer
			// yet, for which an opening that blocks would wait.
			how |= os.O_CREATE | syscall.O_NONBLOCK
		}
		file, err := os.OpenFile(path, how, 0o600)
		if err != nil {
			return err
		}
		defer file.Close()
		// Only a read of a pipe has a deadline, and only that blocks.
		defer context.AfterFunc(ctx, func() { _ = file.SetReadDeadline(time.Now()) })()
		in = file
	}
	var all steps
	show := display(plain{out})
	if onTerminal {
		show = newBars(out)
	}
	err := progress.Read(ctx, in, *follow, func(l progress.Line) { show.update(all.add(l)) })
	show.end()
	all.summarize(out, time.Now())
	return err
}

// A display shows steps as they change.
type display interface {
	update(of step, isNew bool)
	// end removes what is drawn of open steps.
	end()
}

// plain prints a line when a step begins and when it ends.
type plain struct{ out io.Writer }

func (p plain) update(of step, isNew bool) {
	switch {
	case of.last.Ended():
		fmt.Fprintln(p.out, of.result(of.last.Time))
	case isNew:
		text := fmt.Sprintf("%-7s %8s  %s", "begun", "", of.name())
		if end := of.last.EstimatedEnd; !end.IsZero() {
			text += ", usually until " + end.Local().Format(time.TimeOnly)
		}
		fmt.Fprintln(p.out, text)
	}
}

func (p plain) end() {}
