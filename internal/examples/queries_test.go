package examples

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// lists checks that an output of terraform query has a line for each list of a text.
func lists(t *testing.T, output, text string) {
	t.Helper()
	for _, b := range block.FindAllStringSubmatch(text, -1) {
		if name := "list." + b[2] + "." + b[3]; !strings.Contains(output, name+" ") {
			t.Errorf("the output of the query: got\n%s\nwant %s in it", output, name)
		}
	}
}

// queryAll queries each type.
func queryAll(t *testing.T, files []string) {
	fake := startFake(t)
	account(fake, instance("i-abc123", "shop"))
	fake.AddWebhook(fakeservice.Webhook{ID: "wh-disabled", URL: "https://hooks.example.com/gone"})
	w := newWorkspace(t, fake)
	w.write("providers.tf", providers)
	var all string
	for _, file := range files {
		w.write(strings.ReplaceAll(file, "/", "-"), text(t, file))
		all += text(t, file)
	}
	said := w.terraform("query")
	lists(t, said, all)
	for _, label := range []string{"web on shop (i-abc123)", "pgvector in orders on shop (i-abc123)", "allowlist of shop (i-abc123)"} {
		says(t, said, label)
	}
}

// adopt imports an account: it lists it, generates its configuration, imports, plans empty,
// and finally destroys it.
func adopt(t *testing.T, files []string) {
	file := files[0]
	fake := startFake(t)
	account(fake, instance("i-abc123", "shop"), instance("i-77c1", "other"))
	w := newWorkspace(t, fake)
	w.write("providers.tf", providers)
	w.write(path.Base(file), text(t, file))
	said := w.terraform("query", "-generate-config-out=account.tf")
	lists(t, said, text(t, file))
	w.terraform("validate")
	says(t, w.apply(), imported(2*7+2))
	w.mustBeSettled()
	w.destroy()
}

// imported is the last line of an apply that only imports.
func imported(n int) string {
	return fmt.Sprintf("Apply complete! Resources: %d imported, 0 added, 0 changed, 0 destroyed.", n)
}
