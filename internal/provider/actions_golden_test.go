package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/pluginserver"
)

// TestGoldenActions validates, plans and invokes each action with different arguments, and
// compares what is reported with testdata/actions.golden. It also plans and invokes it if
// the service refuses the key, cannot be reached, or is not known yet, and with each failure.
func TestGoldenActions(t *testing.T) {
	var text failureText
	for _, one := range actionCases() {
		usual, failing := storiesOf(func(service *failingService) string { return one.invokeFailing(t, service, service, "key") })
		for _, by := range []struct {
			what    string
			service http.Handler
			key     any
		}{
			{"the key is refused", http.HandlerFunc(refusesAll), "key"},
			{"there is no service", http.NotFoundHandler(), "key"},
			{"the provider is not configured", http.NotFoundHandler(), notKnown{}},
		} {
			failing = append(failing, failedStory{by.what, one.invokeFailing(t, &failingService{}, by.service, by.key)})
		}
		text.add(fmt.Sprintf("# %s %s", one.kind, shownConfig(one.given)), usual, failing)
	}
	mustBeGolden(t, "actions.golden", text.out.String())
}

// invokeFailing invokes an action of a provider whose requests go to reached, and returns
// what is reported.
func (c goldenCase) invokeFailing(t *testing.T, service *failingService, reached http.Handler, key any) string {
	var text strings.Builder
	synctest.Test(t, func(t *testing.T) {
		fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
		defer func() { _ = fake.Close() }()
		furnishMore(t, fake)
		service.next = fake
		service.begin()
		c.invoke(t, serverOf(t, reached, key), &text)
	})
	service.tellWrites(&text)
	return normalIDs(text.String())
}

// invoke invokes an action as Terraform does, and writes what is reported.
func (c goldenCase) invoke(t *testing.T, server pluginserver.ProviderServer, to *strings.Builder) {
	t.Helper()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	config := dynamicOf(schemas.ActionSchemas[c.kind].Schema.ValueType(), c.given)
	valid, err := server.ValidateActionConfig(t.Context(), &tfprotov6.ValidateActionConfigRequest{ActionType: c.kind, Config: config})
	if err != nil {
		t.Fatal(err)
	}
	to.WriteString("validate\n")
	writeSorted(to, valid.Diagnostics)
	if hasError(valid.Diagnostics) {
		return
	}
	planned, err := server.PlanAction(t.Context(), &tfprotov6.PlanActionRequest{ActionType: c.kind, Config: config})
	if err != nil {
		t.Fatal(err)
	}
	to.WriteString("plan\n")
	writeSorted(to, planned.Diagnostics)
	if hasError(planned.Diagnostics) || strings.Contains(shownConfig(c.given), unknownText) {
		return
	}
	stream, err := server.InvokeAction(t.Context(), &tfprotov6.InvokeActionRequest{ActionType: c.kind, Config: config})
	if err != nil {
		t.Fatal(err)
	}
	to.WriteString("invoke\n")
	for event := range stream.Events {
		switch e := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			if !strings.Contains(e.Message, " %.") { // the pauses between the reads of a job are random
				fmt.Fprintf(to, "  %s\n", e.Message)
			}
		case tfprotov6.CompletedInvokeActionEventType:
			writeSorted(to, e.Diagnostics)
		}
	}
}
