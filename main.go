// Terraform-provider-hosting is the Terraform provider of the instance hosting
// service.
package main

import (
	"context"
	"flag"
	"log"
	"os/signal"
	"syscall"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider"
)

// version is set when a release is built.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "run so that a debugger can attach")
	flag.Parse()

	// go-plugin ignores SIGINT in a provider but leaves SIGTERM to it. A SIGTERM
	// to the whole process group, as CI systems send it, would kill the provider
	// between a creation's POST and the saving of its id. Terraform stops its
	// providers itself once it has saved the state.
	signal.Ignore(syscall.SIGTERM)

	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: "registry.terraform.io/instance-hosting/hosting",
		Debug:   *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}
