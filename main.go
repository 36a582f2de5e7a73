// Terraform-provider-hosting is the Terraform provider of the instance hosting
// service.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/pluginserver"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider"
)

// version is set when a release is built.
var version = "dev"

func main() {
	cli := os.Getppid() // read before the CLI connects, so it is the id of the CLI
	debugged := flag.Bool("debug", false, "keep running, and print the TF_REATTACH_PROVIDERS line for a debugger")
	flag.Parse()

	// go-plugin ignores SIGINT in a provider, but not SIGTERM. CI systems send SIGTERM to
	// the whole process group. It would kill the provider between a creation's POST and the
	// saving of its id. Terraform itself stops its providers once it has saved the state. A
	// CLI that was killed cannot do that, so its providers end by themselves.
	signal.Ignore(syscall.SIGTERM)

	if err := pluginserver.QuietLogs(os.Environ(), os.Setenv); err != nil {
		log.Fatal(err)
	}
	// By default, garbage collection takes a third of the time of a plan, to save little
	// memory.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(300)
	}
	server := provider.NewServer(version)
	// A CLI requests the schema first. Build it now, while the CLI connects; the server
	// keeps it. If the schema has an error, the CLI gets the error with its own request.
	go func() { _, _ = server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{}) }()
	var options []tf6server.ServeOpt
	if *debugged {
		options = append(options, tf6server.WithManagedDebug()) // the user ends it
	} else {
		go func() {
			pluginserver.AwaitOrphaned(server, cli, os.Getppid, lifetime.GracePeriod)
			os.Exit(1)
		}()
	}
	err := tf6server.Serve("registry.terraform.io/instance-hosting/hosting",
		func() tfprotov6.ProviderServer { return server }, options...)
	if err != nil {
		log.Fatal(err)
	}
}
