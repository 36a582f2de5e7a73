package acceptance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// Names with which `make sweep` recognises objects of the tests of `make testacc`, if a
// run was killed before it destroyed them. An instance must also have the tag, because
// other instances may have such a name.
const (
	acceptancePrefix = "acceptance-test-"
	acceptanceTag    = "acceptance-test"
	acceptanceURL    = "https://hooks.example.com/" + acceptancePrefix
)

func addSweepers() {
	resource.AddTestSweepers("hosting_instance", &resource.Sweeper{Name: "hosting_instance", F: sweeper(sweepInstances)})
	resource.AddTestSweepers("hosting_webhook_endpoint", &resource.Sweeper{Name: "hosting_webhook_endpoint", F: sweeper(sweepWebhooks)})
}

// sweeper sweeps the account in HOSTING_BASE_URL and HOSTING_API_KEY. It ignores the
// region that the framework passes.
func sweeper(sweep func(context.Context, *client.Client) error) resource.SweeperFunc {
	return func(string) error {
		c, err := client.New(client.Options{BaseURL: os.Getenv("HOSTING_BASE_URL"), APIKey: os.Getenv("HOSTING_API_KEY")})
		if err != nil {
			return err
		}
		return sweep(context.Background(), c)
	}
}

// sweepInstances deletes the instances that tests have left, one after another, with
// everything on them.
func sweepInstances(ctx context.Context, c *client.Client) error {
	instances, err := c.Instances(ctx)
	for _, i := range instances {
		if strings.HasPrefix(i.Name.Value, acceptancePrefix) && slices.Contains(i.Tags.Value, acceptanceTag) {
			fmt.Printf("deleting instance %s, %s\n", i.ID, i.Name.Value)
			err = errors.Join(err, deleteInstance(ctx, c, i.ID))
		}
	}
	return err
}

func deleteInstance(ctx context.Context, c *client.Client, id string) error {
	turn, err := c.Enter(ctx, id)
	if err != nil {
		return err
	}
	defer turn.Leave()
	pending, err := turn.Delete(ctx, nil)
	if err != nil {
		return err
	}
	return turn.Wait(ctx, pending, client.OpDelete)
}

func sweepWebhooks(ctx context.Context, c *client.Client) error {
	webhooks, err := c.Webhooks(ctx)
	for _, w := range webhooks {
		if strings.HasPrefix(w.URL.Value, acceptanceURL) {
			fmt.Printf("deleting webhook endpoint %s, %s\n", w.ID, w.URL.Value)
			err = errors.Join(err, c.DeleteWebhook(ctx, w.ID))
		}
	}
	return err
}

// Only objects that a test created are deleted.
func TestSweepers(t *testing.T) {
	fake := startFake(t)
	for id, of := range map[string]fakeservice.Instance{
		"i-left":     {Name: acceptancePrefix + "1", Tags: []string{acceptanceTag}},
		"i-namesake": {Name: acceptancePrefix + "2"},
		"i-tagged":   {Name: "shop", Tags: []string{acceptanceTag}},
	} {
		of.ID, of.Plan, of.Region, of.Engines = id, "free", "eu-central", map[string]*fakeservice.Engine{}
		fake.AddInstance(of)
	}
	t.Setenv("HOSTING_BASE_URL", fake.BaseURL)
	t.Setenv("HOSTING_API_KEY", fakeservicetest.APIKey)
	c, err := client.New(client.Options{BaseURL: fake.BaseURL, APIKey: fakeservicetest.APIKey})
	must(t, err == nil, "%v", err)
	for _, url := range []string{acceptanceURL + "1", "https://hooks.example.com/shop"} {
		_, err := c.CreateWebhook(t.Context(), client.WebhookSettings{URL: client.Some(url), Secret: client.Some("secret-of-the-test"), Enabled: client.Some(false)})
		must(t, err == nil, "%v", err)
	}
	for range 2 { // the second time there is nothing to delete
		err := errors.Join(sweeper(sweepInstances)("all"), sweeper(sweepWebhooks)("all"))
		must(t, err == nil, "%v", err)
	}
	var left []string
	for _, i := range fake.Instances() {
		left = append(left, i.ID)
	}
	slices.Sort(left)
	must(t, slices.Equal(left, []string{"i-namesake", "i-tagged"}), "instances that are left: got %v, want i-namesake and i-tagged", left)
	webhooks, err := c.Webhooks(t.Context())
	must(t, err == nil && len(webhooks) == 1 && webhooks[0].URL.Value == "https://hooks.example.com/shop", "endpoints that are left: got %v (%v), want https://hooks.example.com/shop", webhooks, err)
}
