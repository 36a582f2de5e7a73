package guidetest

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// TestWebhookEvents compares the table of events in the guide with the events that every
// operation of the API emits. Each type has a row, and the row names each field of its data.
func TestWebhookEvents(t *testing.T) {
	t.Parallel()
	page := must.Get(os.ReadFile(repository + "/docs/guides/webhooks.md"))(t)
	fields := map[string][]string{} // by type
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		for _, kind := range codeSpan.FindAllStringSubmatch(cells[1], -1) {
			fields[kind[1]] = []string{"job_id"}
			for _, field := range codeSpan.FindAllStringSubmatch(cells[3], -1) {
				fields[kind[1]] = append(fields[kind[1]], field[1])
			}
		}
	}

	fake := fakeservicetest.Start(t, func(o *fakeservice.Options) {
		o.Querier = fakeservice.QuerierFunc(func(context.Context, fakeservice.Query) (fakeservice.QueryResult, error) {
			return fakeservice.QueryResult{Command: "SELECT"}, nil
		})
	})
	fakeservicetest.Tour(t, fake, "acme/shop", func(string, string) {})
	key, err := fake.CreateKey("ci")
	if err == nil {
		err = fake.RevokeKey(key.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	emitted := map[string]bool{}
	for _, event := range fake.Events() {
		emitted[event.Type] = true
		if _, ok := fields[event.Type]; !ok {
			t.Errorf("the guide: got no row for the event %s, want one", event.Type)
			continue
		}
		for field := range event.Data {
			if !slices.Contains(fields[event.Type], field) {
				t.Errorf("the row of %s: got the fields %v, want %s in it", event.Type, fields[event.Type], field)
			}
		}
	}
	if len(emitted) < 14 {
		t.Errorf("types of events that were emitted: got %d, want at least 14", len(emitted))
	}
}

// TestWebhookReceiverInGo compiles the receiver of the guide, as a package of the module webhook.
func TestWebhookReceiverInGo(t *testing.T) {
	t.Parallel()
	page := must.Get(os.ReadFile(repository + "/docs/guides/webhooks.md"))(t)
	blocks := blocksOf(string(page))
	at := slices.IndexFunc(blocks, func(b block) bool { return b.language == "go" })
	if at < 0 {
		t.Fatal("the guide has no block of Go")
	}
	root := must.Get(filepath.Abs(filepath.Join(repository, "webhook")))(t)
	source, overlay := filepath.Join(t.TempDir(), "receiver.go"), filepath.Join(t.TempDir(), "overlay.json")
	replaced := must.Get(json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(root, "internal", "receiver", "receiver.go"): source},
	}))(t)
	for path, text := range map[string]string{source: blocks[at].text, overlay: string(replaced)} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "-o", os.DevNull, "./internal/receiver")
	build.Dir = root
	if output, err := build.CombinedOutput(); err != nil {
		t.Errorf("go build: %v\n%s", err, output)
	}
}
