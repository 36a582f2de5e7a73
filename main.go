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

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider"
	"github.com/instance-hosting/terraform-provider-hosting/internal/serving"
)

// version is set when a release is built.
var version = "dev"

func main() {
	cli := os.Getppid() // while it waits to be told where to connect
	debugged := flag.Bool("debug", false, "keep running, and print the TF_REATTACH_PROVIDERS line for a debugger")
	flag.Parse()

	// go-plugin ignores SIGINT in a provider but leaves SIGTERM to it. A SIGTERM
	// to the whole process group, as CI systems send it, would kill the provider
	// between a creation's POST and the saving of its id. Terraform stops its
	// providers itself once it has saved the state. One that is killed cannot: its
	// providers end by themselves.
	signal.Ignore(syscall.SIGTERM)

	if err := serving.QuietLogs(os.Environ(), os.Setenv); err != nil {
		log.Fatal(err)
	}
	// A third of the time of a plan would be garbage collection, of little memory.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(300)
	}
	server := provider.NewServer(version)
	// The schema is what a CLI asks for first. It is made while the CLI connects, and
	// kept; whatever is wrong with it is told to who asks.
	go func() { _, _ = server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{}) }()
	var options []tf6server.ServeOpt
	if *debugged {
		options = append(options, tf6server.WithManagedDebug()) // it ends when its user ends it
	} else {
		go func() {
			serving.AwaitOrphaned(server, cli, os.Getppid)
			os.Exit(1)
		}()
	}
	err := tf6server.Serve("registry.terraform.io/instance-hosting/hosting",
		func() tfprotov6.ProviderServer { return server }, options...)
	if err != nil {
		log.Fatal(err)
	}
}
