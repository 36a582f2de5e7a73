package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// starts is the number of starts in one result, which is the shortest of them: the machine
// may disturb a single one.
const starts = 50

// start measures the time from the launch of the provider to the answer with its schema,
// and the size of its program.
func (b *bench) start(ctx context.Context, report func(result)) error {
	program, err := os.Stat(b.provider())
	if err != nil {
		return err
	}
	for range b.count {
		r := result{name: "Start", metrics: map[string]float64{"program-MB": float64(program.Size()) / 1e6}}
		for range starts {
			took, schema, err := askSchema(ctx, b.provider())
			if err != nil {
				return err
			}
			if r.wall == 0 || took < r.wall {
				r.wall = took
			}
			r.metrics["schema-KiB"] = float64(schema) / 1024
		}
		report(r)
	}
	return nil
}

// askSchema launches a provider as a CLI does, asks for its schema and ends it. schema is
// the size of the answer in bytes.
func askSchema(ctx context.Context, program string) (took time.Duration, schema int, err error) {
	command := exec.Command(program) //nolint:noctx // the plugin's client ends it
	command.Env = environment()
	began := time.Now()
	plugins := plugin.NewClient(&plugin.ClientConfig{
		// The handshake between Terraform and its providers.
		HandshakeConfig:  plugin.HandshakeConfig{MagicCookieKey: "TF_PLUGIN_MAGIC_COOKIE", MagicCookieValue: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"},
		VersionedPlugins: map[int]plugin.PluginSet{6: {"provider": connection{}}},
		Cmd:              command,
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         true,
		Logger:           hclog.NewNullLogger(),
	})
	defer plugins.Kill()
	protocol, err := plugins.Client()
	if err != nil {
		return 0, 0, err
	}
	dispensed, err := protocol.Dispense("provider")
	if err != nil {
		return 0, 0, err
	}
	to, ok := dispensed.(*grpc.ClientConn)
	if !ok {
		return 0, 0, fmt.Errorf("the plugin is a %T", dispensed)
	}
	// The request has no fields, so its message is empty.
	var sent, got message
	err = to.Invoke(ctx, "/tfplugin6.Provider/GetProviderSchema", &sent, &got, grpc.ForceCodec(bytesAsTheyAre{}), grpc.MaxCallRecvMsgSize(64<<20))
	return time.Since(began), len(got), err
}

// connection is a plugin that only provides its connection.
type connection struct{ plugin.NetRPCUnsupportedPlugin }

// GRPCServer serves nothing.
func (connection) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error { return nil }

// GRPCClient returns the connection.
func (connection) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, c *grpc.ClientConn) (any, error) {
	return c, nil
}

// A message is an unparsed protobuf message.
type message []byte

// bytesAsTheyAre sends and receives messages unchanged, under the name of the other side's
// codec.
type bytesAsTheyAre struct{}

// Marshal returns the message.
func (bytesAsTheyAre) Marshal(v any) ([]byte, error) { return *v.(*message), nil }

// Unmarshal stores the message.
func (bytesAsTheyAre) Unmarshal(data []byte, v any) error {
	*v.(*message) = append(message(nil), data...)
	return nil
}

// Name is the codec's name in the protocol.
func (bytesAsTheyAre) Name() string { return "proto" }
