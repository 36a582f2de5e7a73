// Command probe checks which facts are true of a hosting service, among those that this
// project settled by analogy. Run it first against a real service.
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

	"github.com/instance-hosting/terraform-provider-hosting/internal/probe"
)

// version is set when a release is built.
var version = "dev"

// Exit codes.
const (
	exitHolds   = 0 // all checked facts are true
	exitDiffers = 1 // a fact differs
	exitUsage   = 2 // the flags are invalid
	exitFailed  = 3 // the probe failed
	exitLeft    = 4 // an instance was left, or may have been
)

func main() {
	// The first signal ends the probe and deletes the instance; the second leaves it.
	ctx, interrupt := context.WithCancel(context.Background())
	abandon := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		interrupt()
		<-signals
		close(abandon)
		signal.Stop(signals) // a third ends the program
	}()
	environment := settings{baseURL: os.Getenv("HOSTING_BASE_URL"), key: os.Getenv("HOSTING_API_KEY")}
	code := run(ctx, abandon, environment, os.Args[1:], os.Stdout, os.Stderr)
	interrupt()
	os.Exit(code)
}

// settings contains the values of the flags and the environment.
type settings struct {
	baseURL, key string
	json         bool
	version      bool
	options      probe.Options
}

func parse(s settings, args []string, errs io.Writer) (settings, error) {
	flags := flag.NewFlagSet("probe", flag.ContinueOnError)
	flags.SetOutput(errs)
	// The environment's values are not defaults of flags, because the help would print
	// those.
	baseURL := flags.String("base-url", "", "base URL of the service, which ends in /api/v1; default: HOSTING_BASE_URL")
	key := flags.String("api-key", "", "API key of the account to probe; default: HOSTING_API_KEY, which other users of the machine cannot see")
	o := &s.options
	flags.BoolVar(&o.Create, "create", false, "create one instance, try every change on it and delete it; default: only read")
	flags.BoolVar(&o.Paid, "paid", false, "allow a plan that costs money")
	flags.StringVar(&o.Plan, "plan", "", "plan of the instance; default: the cheapest")
	flags.StringVar(&o.Region, "region", "", "region of the instance; default: the first location that the service lists")
	flags.StringVar(&o.Repo, "repo", "", "repository, as owner/repo, to import as an app; default: apps are only read")
	flags.StringVar(&o.Branch, "branch", "main", "branch of the repository")
	flags.IntVar(&o.Port, "port", 3000, "port that the app listens on")
	flags.DurationVar(&o.Wait, "wait", 30*time.Minute, "maximum wait for one job, the checkout or the deletion")
	flags.DurationVar(&o.Poll, "poll", 3*time.Second, "time between two polls")
	flags.BoolVar(&s.json, "json", false, "write the report as JSON, and the progress to standard error")
	flags.BoolVar(&s.version, "version", false, "print the version and exit")
	if err := flags.Parse(args); err != nil || s.version {
		return s, err
	}
	if *baseURL != "" {
		s.baseURL = *baseURL
	}
	if *key != "" {
		s.key = *key
	}
	switch {
	case flags.NArg() > 0:
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case s.baseURL == "":
		return s, errors.New("there is no service to ask: give --base-url or set HOSTING_BASE_URL")
	case s.key == "":
		return s, errors.New("there is no key: set HOSTING_API_KEY or give --api-key")
	case !o.Create && (o.Paid || o.Plan != "" || o.Region != "" || o.Repo != ""):
		return s, errors.New("--paid, --plan, --region and --repo are about the instance that --create makes")
	case o.Wait <= 0 || o.Poll <= 0:
		return s, errors.New("--wait and --poll must be over 0")
	}
	o.BaseURL, o.APIKey = s.baseURL, s.key
	return s, nil
}

// run probes and returns the exit code.
func run(ctx context.Context, abandon <-chan struct{}, environment settings, args []string, out, errs io.Writer) int {
	s, err := parse(environment, args, errs)
	if errors.Is(err, flag.ErrHelp) {
		return exitHolds
	}
	if err != nil {
		_, _ = fmt.Fprintln(errs, "probe:", err)
		return exitUsage
	}
	if s.version {
		_, _ = fmt.Fprintln(out, "probe", version)
		return exitHolds
	}
	s.options.Abandon, s.options.Progress = abandon, out
	if s.json {
		s.options.Progress = errs
	}
	report, err := probe.Run(ctx, s.options)
	written := writeReport(s, report, out)
	if err = errors.Join(err, written); err != nil {
		_, _ = fmt.Fprintln(errs, "probe:", err)
	}
	if s.json && report.Left != "" {
		_, _ = fmt.Fprintln(errs, report.Left)
	}
	switch {
	case report.Left != "":
		return exitLeft
	case err != nil:
		return exitFailed
	case report.Count(probe.Differs) > 0:
		return exitDiffers
	}
	return exitHolds
}

// writeReport writes the findings, if the probe has begun at all.
func writeReport(s settings, report probe.Report, out io.Writer) error {
	switch {
	case report.Findings == nil:
		return nil
	case s.json:
		return report.WriteJSON(out)
	}
	if s.options.Create {
		_, _ = fmt.Fprintln(out)
	}
	return report.WriteTable(out)
}
