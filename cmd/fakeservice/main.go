// Command fakeservice runs the fake hosting service, to test a Terraform module before it
// is used with the real one. Its records are in memory, the instances that it provisions
// run on this machine, and nothing costs anything.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/publicaddr"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/setup"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/webhooks"
)

// version is set when a release is built.
var version = "dev"

func main() {
	err := serveUntilSignalled()
	status := exitStatus(0)
	if errors.As(err, &status) {
		os.Exit(int(status))
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "fakeservice:", err)
		os.Exit(1)
	}
}

func serveUntilSignalled() error {
	// A write that nobody reads then fails, instead of ending the program before it has
	// removed its folders.
	signal.Notify(make(chan os.Signal, 1), brokenPipe)
	ctx, stop := signal.NotifyContext(context.Background(), notIgnored(endings)...)
	defer stop()
	// A second signal ends the program immediately.
	context.AfterFunc(ctx, stop)
	return run(ctx, os.Args[1:], os.Stdout, os.Stderr)
}

// settings contains the values of the flags.
type settings struct {
	listen       string
	speed        float64
	key          string
	controlToken string
	password     string
	names        []string
	readyFile    string
	setupFile    string
	allowRemote  bool
	advertise    string
	ports        publicaddr.Ports
	logLevel     string
	logFormat    string
	dataPlane    string
	postgresBin  string
	couchdb      string
	state        string
	tempDir      string
	repos        repositories
	weather      weather.Weather
	seed         uint64
	goCaches     bool
	webhooks     webhookSettings
	requestsKept int
	version      bool
	// command is run while the fake answers, or empty.
	command []string
	// snapshotLimit is in MB.
	snapshotLimit int64
}

// parse reads the flags. It prints them to out if the arguments ask for help.
func parse(args []string, out io.Writer) (settings, error) {
	s := settings{repos: repositories{}}
	listen, level := "127.0.0.1:8080", "info"
	withCommand := len(args) > 0 && args[0] == runWord
	if withCommand {
		args, listen, level = args[1:], "127.0.0.1:0", "warn"
	}
	flags := flag.NewFlagSet("fakeservice", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&s.listen, "listen", listen, "address to listen on; with port 0, a free port")
	flags.Float64Var(&s.speed, "speed", 1, "speed of the service's clock, as a multiple of real time; at 60, creating an instance takes 8 seconds")
	flags.StringVar(&s.key, "api-key", "", "valid API key; a random one by default")
	flags.StringVar(&s.controlToken, "control-token", "", "bearer token for the routes under /_fake/; a random one by default")
	flags.StringVar(&s.password, "portal-password", "", "password for the portal; a random one by default")
	flags.Var((*names)(&s.names), "name", "additional host name of the fake, besides localhost and addresses; can be repeated")
	flags.StringVar(&s.readyFile, "ready-file", "", "file that contains the base URL while the fake answers requests")
	flags.BoolVar(&s.allowRemote, "allow-remote", false, "accept connections from other machines; they are not encrypted")
	flags.StringVar(&s.advertise, "advertise-host", "", "name or IPv4 address of this machine for others, for example of a container; instances and apps use it, each with its own port")
	ports := flags.String("ports", "", "ports for instances and apps at --advertise-host, such as 20000-20100; default: any free port")
	flags.StringVar(&s.logLevel, "log-level", level, "log level: error, warn, info (jobs, builds and apps) or debug (each request too)")
	flags.StringVar(&s.logFormat, "log-format", "text", "log format: text or json")
	flags.StringVar(&s.dataPlane, "data-plane", planeAuto, "run real engines and apps: on, off, or auto, which means on if PostgreSQL is installed")
	flags.StringVar(&s.postgresBin, "postgres-bin", "", "folder with PostgreSQL's server programs; default: searched on PATH and in Debian's folders")
	flags.StringVar(&s.couchdb, "couchdb-modules", "", "folder with the node_modules that run CouchDB, which make couchdb fills; default: the folder couchdb next to this program")
	flags.StringVar(&s.setupFile, "setup", "", "JSON file with the initial plans, engines, locations, durations, account, instances and webhooks")
	flags.StringVar(&s.state, "state", "", "folder that keeps all data between runs; default: nothing is kept")
	flags.StringVar(&s.tempDir, "temp-dir", "", "folder for the data of instances without --state; default: the system's temporary folder")
	sky := flags.String("weather", "calm", "random network faults: calm (none), breeze (one request in ten) or storm (one in four, with lost responses and late commits)")
	flags.Uint64Var(&s.seed, "seed", 0, "random seed of --weather; the same requests in the same order get the same faults; 0 draws a seed and prints it")
	flags.IntVar(&s.requestsKept, "requests-kept", requestsKept, "number of recent requests that /_fake/requests shows")
	flags.Var(s.repos, "repo", "repository for apps, as owner/repo=folder or owner/repo=URL; a folder without git serves every branch, and a URL is fetched with git for each build; can be repeated")
	flags.BoolVar(&s.goCaches, "go-caches", true, "let builds read your Go module and build caches, without changing them")
	flags.BoolVar(&s.webhooks.loopback, "webhook-loopback", false, "also deliver webhooks to receivers on this machine, over https and http")
	flags.StringVar(&s.webhooks.ca, "webhook-ca", "", "PEM file with additional certificate authorities to trust for webhook receivers")
	flags.Int64Var(&s.snapshotLimit, "snapshot-limit", 2048, "maximum size in MB, unpacked, of a snapshot that is uploaded to /_fake/snapshots")
	flags.BoolVar(&s.version, "version", false, "print the version and exit")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		_, _ = io.WriteString(out, usage(flags)) // nothing can be done for a reader that is gone
		return s, err
	} else if err != nil {
		return s, fmt.Errorf("%w (--help lists the flags)", err)
	}
	// After Parse, so that --help does not print secrets of the environment.
	err := fromEnvironment(flags, os.Getenv)
	if err != nil {
		return s, err
	}
	if *ports != "" {
		if s.ports, err = publicaddr.ParsePorts(*ports); err != nil {
			return s, fmt.Errorf("--ports: %w", err)
		}
	}
	if s.weather, err = weather.Parse(*sky); err != nil {
		return s, fmt.Errorf("--weather: %w", err)
	}
	if s.seed != 0 && s.weather == weather.Calm {
		return s, fmt.Errorf("--seed needs --weather=breeze or --weather=storm")
	}
	if s.advertise = strings.ToLower(s.advertise); s.advertise != "" {
		s.names = append(s.names, s.advertise)
	}
	if s.seed == 0 {
		s.seed = weather.DrawSeed()
	}
	if withCommand {
		if s.command = flags.Args(); len(s.command) == 0 {
			return s, errors.New("run needs a command: fakeservice run -- terraform test")
		}
	}
	switch {
	case *ports != "" && s.advertise == "":
		return s, fmt.Errorf("--ports needs --advertise-host")
	case s.advertise != "" && !isHost(s.advertise):
		return s, fmt.Errorf("--advertise-host must be a name or an IPv4 address, without a port, not %q", s.advertise)
	case !withCommand && flags.NArg() > 0:
		return s, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case !(s.speed > 0) || s.speed > core.FastestSpeed:
		return s, fmt.Errorf("--speed must be greater than 0 and at most %d", core.FastestSpeed)
	case s.snapshotLimit < 1 || s.snapshotLimit > 1<<20:
		return s, fmt.Errorf("--snapshot-limit must be from 1 to %d", 1<<20)
	case s.requestsKept < 1:
		return s, fmt.Errorf("--requests-kept must be at least 1")
	case !slices.Contains([]string{planeAuto, planeOn, planeOff}, s.dataPlane):
		return s, fmt.Errorf("--data-plane must be on, off or auto, not %q", s.dataPlane)
	case s.dataPlane == planeOff && len(s.repos) > 0:
		return s, fmt.Errorf("--repo needs the data plane, which --data-plane=off disables")
	}
	return s, nil
}

// readSetup reads the file of --setup, if set.
func readSetup(path string) (setup.Setup, error) {
	if path == "" {
		return setup.Setup{}, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return setup.Setup{}, fmt.Errorf("--setup: %w", err)
	}
	defer file.Close()
	begin, err := setup.Read(file)
	if err != nil {
		return begin, fmt.Errorf("--setup %s: %w", path, err)
	}
	return begin, nil
}

// requestsKept is the default number of requests in the log. It suffices for the largest
// apply, and is limited because the program runs for days.
const requestsKept = 2000

// run serves until ctx ends.
func run(ctx context.Context, args []string, out, errs io.Writer) error {
	s, err := parse(args, out)
	if err != nil {
		return err
	}
	if s.version {
		_, err := fmt.Fprintln(out, "fakeservice", version)
		return err
	}
	if len(s.command) > 0 {
		if s.command[0], err = exec.LookPath(s.command[0]); err != nil {
			return err
		}
	}
	// The file of an earlier run has another address.
	if err := removeReady(s.readyFile); err != nil {
		return err
	}
	begin, err := readSetup(s.setupFile)
	if err != nil {
		return err
	}
	address, err := listenAddress(s.listen, s.allowRemote)
	if err != nil {
		return err
	}
	log, err := newLog(s.logLevel, s.logFormat, errs)
	if err != nil {
		return err
	}
	courier, err := newCourier(s.webhooks)
	if err != nil {
		return err
	}
	listener, err := listen(ctx, address)
	if err != nil {
		return unlessStopped(ctx, s, errs, fmt.Errorf("listen: %w", err))
	}
	front := &front{}
	server := fakeservice.NewHTTPServer(front, fakeservice.LongestRequest)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()

	root := rootURL(s, listener.Addr())
	service, engines, err := start(ctx, s, begin, courier, root, log)
	if err != nil {
		return errors.Join(unlessStopped(ctx, s, errs, err), server.Close())
	}
	service.SetWeather(s.weather, s.seed)
	front.open(service)
	if s.readyFile != "" {
		if err := writeReady(s.readyFile, root+"/api/v1\n"); err != nil {
			return errors.Join(err, server.Close(), service.Close())
		}
	}
	life, end := context.WithCancel(ctx)
	if len(s.command) > 0 {
		life, end = context.WithCancel(context.WithoutCancel(ctx)) // signals are for the command
	} else {
		announce(out, root, s, service, engines.text)
	}
	defer end()
	done := make(chan error, 1)
	go func() {
		if len(s.command) > 0 {
			done <- runCommand(life, s.command, variablesOf(root, service))
			return
		}
		<-life.Done()
		done <- nil // a request to end is not an error
	}()
	select {
	case err = <-served:
		end()
		err = errors.Join(err, <-done)
	case err = <-done:
	}
	// Requests that a fault delays are released first, so that the others can end.
	err = errors.Join(err, service.Close(), removeReady(s.readyFile))
	graceful, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if shutdown := server.Shutdown(graceful); shutdown != nil {
		err = errors.Join(err, server.Close())
	}
	return err
}

// unlessStopped returns the error of a failed start, or nil if a signal has stopped it. A
// command that has not run is an error in any case.
func unlessStopped(ctx context.Context, s settings, errs io.Writer, err error) error {
	if ctx.Err() == nil || len(s.command) > 0 {
		return err
	}
	_, _ = fmt.Fprintln(errs, "The fake service was stopped while it started.")
	return nil
}

// start creates the service, with the content of --state.
func start(ctx context.Context, s settings, begin setup.Setup, courier *webhooks.Courier, root string, log *slog.Logger) (*fakeservice.Service, engines, error) {
	kept, err := openState(s.state)
	if err != nil {
		return nil, engines{}, fmt.Errorf("--state: %w", err)
	}
	real, err := startEngines(ctx, s, kept, postgres.Locate, log)
	if err != nil {
		return nil, engines{}, errors.Join(err, kept.close())
	}
	service, err := fakeservice.Open(fakeservice.Options{
		Speed:          s.speed,
		APIKey:         s.key,
		ControlToken:   s.controlToken,
		Public:         addresses(s),
		Names:          s.names,
		PortalURL:      portalURL(s, root),
		PortalPassword: s.password,
		Logger:         log,
		RequestsKept:   s.requestsKept,
		Querier:        real.querier,
		DataPlane:      real.plane,
		NewDataPlane:   real.another,
		Storage:        kept.storage,
		Courier:        courier,
		Network:        courier.Network(),
		SnapshotFolder: kept.below(snapshotsFolder),
		SnapshotLimit:  s.snapshotLimit << 20,
		Setup:          begin,
	})
	if err != nil {
		return nil, real, err
	}
	if err := service.SetupError(); err != nil {
		return nil, real, errors.Join(fmt.Errorf("--setup %s: %w", s.setupFile, err), service.Close())
	}
	return service, real, nil
}

// removeReady removes the file of --ready-file, if there is one.
func removeReady(path string) error {
	if path == "" {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the ready file: %w", err)
	}
	return nil
}

// writeReady writes the file atomically, so that a reader never sees half an address.
func writeReady(path, text string) error {
	temporary := path + ".tmp"
	if err := os.WriteFile(temporary, []byte(text), 0o600); err != nil {
		return fmt.Errorf("write the ready file: %w", err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("write the ready file: %w", err)
	}
	return nil
}
