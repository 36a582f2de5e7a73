// Package inprocess serves the provider to a CLI from the calling process. A CLI starts a
// provider's program three to five times per command, which takes most of the CPU time of a
// test; it connects to a served one instead.
package inprocess

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliconfig"
)

// Variable is the environment variable that makes a CLI connect to a served provider.
const Variable = "TF_REATTACH_PROVIDERS"

// startup is the time within which a server begins to listen, even on a busy machine.
const startup = time.Minute

// A reattachment is how a CLI reads that it finds a provider in a process.
type reattachment struct {
	Protocol        string
	ProtocolVersion int
	Pid             int
	Test            bool
	Addr            struct{ Network, String string }
}

// Serve serves a provider until stop is called. A CLI with value as its Variable uses it,
// Terraform and OpenTofu alike.
func Serve(server tfprotov6.ProviderServer) (value string, stop func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	listens, closed, failed := make(chan *plugin.ReattachConfig), make(chan struct{}), make(chan error, 1)
	go func() {
		failed <- tf6server.Serve(cliconfig.Addresses()[0], func() tfprotov6.ProviderServer { return server },
			tf6server.WithDebug(ctx, listens, closed), tf6server.WithGoPluginLogger(hclog.NewNullLogger()))
	}()
	stop = func() {
		cancel()
		<-closed
	}
	select {
	case at := <-listens:
		one := reattachment{Protocol: string(at.Protocol), ProtocolVersion: at.ProtocolVersion, Pid: at.Pid, Test: at.Test}
		one.Addr.Network, one.Addr.String = at.Addr.Network(), at.Addr.String()
		all := map[string]reattachment{}
		for _, address := range cliconfig.Addresses() {
			all[address] = one
		}
		text, err := json.Marshal(all)
		return string(text), stop, err
	case err := <-failed:
		cancel()
		return "", nil, errors.Join(errors.New("the provider does not listen"), err)
	case <-time.After(startup):
		cancel()
		return "", nil, errors.New("the provider does not listen")
	}
}
