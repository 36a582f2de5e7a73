// Command meter is in the place where a CLI looks for a provider. It runs the provider and
// records its cost.
//
// BENCH_METER_PROVIDER is the provider's program, and BENCH_METER_FOLDER the folder that
// gets a JSON file for each process. The provider has the meter's own standard streams and
// environment, so the CLI does not notice. The file exists before the CLI sees the end of
// its provider, because the CLI sees the end of the meter.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/instance-hosting/terraform-provider-hosting/cmd/bench/usage"
)

func main() {
	// The provider gets signals itself, and the meter must outlive it.
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	provider := exec.Command(os.Getenv("BENCH_METER_PROVIDER"), os.Args[1:]...) //nolint:noctx // the CLI ends it
	provider.Stdin, provider.Stdout, provider.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := provider.Run()
	if provider.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "meter:", err)
		os.Exit(1)
	}
	if failed := write(usage.Report{Provider: usage.Of(provider.ProcessState), Meter: usage.Own()}); failed != nil {
		fmt.Fprintln(os.Stderr, "meter:", failed)
		os.Exit(1)
	}
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		os.Exit(max(ended.ExitCode(), 1))
	}
}

func write(report usage.Report) error {
	text, err := json.Marshal(report)
	if err != nil {
		return err
	}
	name := filepath.Join(os.Getenv("BENCH_METER_FOLDER"), strconv.Itoa(os.Getpid())+".json")
	return os.WriteFile(name, text, 0o600)
}
