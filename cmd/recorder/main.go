// Command recorder is the provider with a recorder in front of it, for a CLI whose calls
// are recorded. HOSTING_TRANSCRIPT names the file that gets a line of JSON for each call.
package main

import (
	"encoding/json"
	"log"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider"
	"github.com/instance-hosting/terraform-provider-hosting/internal/simulation/transcript"
)

func main() {
	signal.Ignore(syscall.SIGTERM) // as the provider does
	file, err := os.OpenFile(os.Getenv("HOSTING_TRANSCRIPT"), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	var mu sync.Mutex
	recorder := transcript.Record(provider.NewServer("recorded").(transcript.Server), func(c transcript.Call) {
		c.Process = os.Getpid()
		line, err := json.Marshal(c)
		if err != nil {
			log.Fatal(err)
		}
		mu.Lock()
		defer mu.Unlock()
		if _, err := file.Write(append(line, '\n')); err != nil {
			log.Fatal(err)
		}
	})
	err = tf6server.Serve("registry.terraform.io/instance-hosting/hosting", func() tfprotov6.ProviderServer { return recorder })
	if err != nil {
		log.Fatal(err)
	}
}
