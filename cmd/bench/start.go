package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// start measures the time from the launch of a provider to the answer with its schema, and
// the size of its program.
func (b *bench) start() (*table, error) {
	t := &table{
		Name: "start", Title: "launch to schema answered, by turns",
		Columns: []column{{Name: "provider"}, {Name: "runs"}, {"least ms", 1}, {"median ms", 1}, {"spread %", 0}, {"schema KiB", 0}, {"program MB", 1}, {"ours/this", 2}},
	}
	type started struct {
		name, program string
		took          series
		schema        int
	}
	providers := []*started{{name: ours, program: b.programs.provider}, {name: "scaffold", program: b.programs.scaffold}}
	runs := cmp.Or(b.repeats, 151) // the minimum of many, because the machine may disturb a single one
	for range runs {
		for _, p := range providers {
			took, schema, err := askSchema(b.ctx, p.program)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
			p.took, p.schema = append(p.took, milliseconds(took)), schema
		}
	}
	var megabytes []float64
	for _, p := range providers {
		bytes, err := size(p.program)
		if err != nil {
			return nil, err
		}
		megabytes = append(megabytes, float64(bytes)/1e6)
		var against any
		if p.name != ours {
			against = ratio(providers[0].took.least(), p.took.least())
		}
		t.add(p.name, runs, p.took.least(), p.took.median(), p.took.spread(), float64(p.schema)/1024, float64(bytes)/1e6, against)
	}
	t.Targets = []target{
		atMost("time from launch to schema, against a scaffold provider", providers[0].took.least()/providers[1].took.least(), 1.1, ""),
		atMost("program, built with -trimpath -ldflags='-s -w'", megabytes[0], 22, " MB"),
	}
	return t, nil
}

// askSchema launches a provider as a CLI does, asks for its schema and ends it. schema is
// the size of the answer in bytes.
func askSchema(ctx context.Context, program string) (took time.Duration, schema int, err error) {
	command := exec.Command(program) //nolint:noctx // the plugin's client ends it
	command.Env = inherited(os.Environ())
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
