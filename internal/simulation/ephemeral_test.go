package simulation

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

const (
	connectionKind    = "hosting_connection"
	connectionAddress = "ephemeral." + connectionKind + ".this"
)

// openConnection opens the ephemeral connection of the first instance if it is configured,
// the command includes it and the instance's id is known. It reports whether the command
// may continue.
func (r *run) openConnection(p *process) (close func(), ok bool) {
	w := r.cli.world
	close = func() {}
	blocks := byAddress(r.cli.blocks())
	web, there := blocks[webAddress]
	if r.cli != w.first || !there || w.config[argEphemeral] == 0 || !r.only(connectionAddress) || r.hasFailed(webAddress) || r.command.interrupted() || r.command.killed() {
		return close, true
	}
	schema := schemas().EphemeralResourceSchemas[connectionKind]
	t := schema.ValueType()
	config := configValue(t, map[string]any{"instance_id": reference{webAddress, "id"}}, r.resolve)
	id, known := attribute(config, "instance_id").(string)
	if !known {
		return close, true
	}
	before, _ := w.fake.Instance(id)
	c := &call{address: connectionAddress, what: "open"}
	answer, answered := do(p, c, func(ctx context.Context) (*tfprotov6.OpenEphemeralResourceResponse, error) {
		return p.server.OpenEphemeralResource(ctx, &tfprotov6.OpenEphemeralResourceRequest{TypeName: connectionKind, Config: dynamic(t, config)})
	})
	if !answered || answer == nil {
		return close, false
	}
	w.countOnce(connectionOpened)
	if before.Status == fakeservice.StatusCreating {
		w.countOnce(connectionOpenedEarly)
	}
	if r.hear(connectionAddress, "open", answer.Diagnostics) {
		w.checkNotOpened(c, before, answer.Diagnostics)
		return close, false
	}
	result, err := answer.Result.Unmarshal(t)
	if err != nil {
		w.violate(noBug, "the connection cannot be decoded: %v", err)
		return close, false
	}
	engines, _ := web.arguments["engines"].(map[string]any)
	_, configured := engines["postgres"]
	now, _ := w.fake.Instance(id)
	has := before.Engines["postgres"] != nil && now.Engines["postgres"] != nil
	if url, _ := attribute(result, "postgres_owner_url").(string); url == "" && configured && has && !r.command.interrupted() && w.readsLag() == 0 {
		w.violate(connects, "%s has no URL of postgres, which is on", connectionAddress)
	}
	return func() {
		closed, ok := do(p, &call{address: connectionAddress, what: "close"}, func(ctx context.Context) (*tfprotov6.CloseEphemeralResourceResponse, error) {
			return p.server.CloseEphemeralResource(ctx, &tfprotov6.CloseEphemeralResourceRequest{TypeName: connectionKind, Private: answer.Private})
		})
		if ok && closed != nil {
			r.hear(connectionAddress, "close", closed.Diagnostics)
		}
	}, true
}

// longestOpening is the time that an opening waits for a machine that is being created.
const longestOpening = 20 * time.Minute

// checkNotOpened checks an error of an opening. A machine that runs or is being created
// must not cause one. An open checkout must, and the error must say what to do.
func (w *world) checkNotOpened(c *call, before fakeservice.Instance, diagnostics []*tfprotov6.Diagnostic) {
	says := func(text string) bool {
		return slices.ContainsFunc(diagnostics, func(d *tfprotov6.Diagnostic) bool { return strings.Contains(d.Summary+"\n"+d.Detail, text) })
	}
	now, there := w.fake.Instance(before.ID)
	w.mu.Lock()
	unhurried := w.unhurried
	w.mu.Unlock()
	switch {
	case w.troubled(), c.process.command.key == strangerKey, c.process.command.interrupted(), !there, now.Status == fakeservice.StatusFailed, now.Status == fakeservice.StatusDeleting:
	case now.Status == fakeservice.StatusCreating && now.CheckoutURL != "":
		w.countOnce(connectionUnpaid)
		if !says(now.CheckoutURL) || !says("-target") {
			w.violate(connects, "%s does not say what to do about the open checkout: %s", connectionAddress, diagnostics[0].Detail)
		}
	case slices.ContainsFunc(w.paidSince(c.began.Add(-w.readsLag())), says): // its record was read before the payment
	case w.repairedSince(before.ID, c.began.Add(-w.readsLag())) && says("its status is failed"): // its record was read before the repair
	case unhurried, time.Since(c.began) >= longestOpening:
	default:
		w.violate(connects, "%s of a machine that is %s ends with: %s\n%s", connectionAddress, before.Status, diagnostics[0].Summary, diagnostics[0].Detail)
	}
}

// paidSince returns the addresses of the checkouts that were opened since a time.
func (w *world) paidSince(t time.Time) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var addresses []string
	for address, at := range w.paid {
		if !at.Before(t) {
			addresses = append(addresses, address)
		}
	}
	return addresses
}
