// Command account reads a large account with only the provider's client, without Terraform,
// and prints the cost as JSON.
//
// HOSTING_BASE_URL and HOSTING_API_KEY name the account.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// A phase is one reading, by a client that had read nothing before.
type phase struct {
	Name  string        `json:"name"`
	Began time.Time     `json:"began"`
	Wall  time.Duration `json:"wall_ns"`
	// Instances is the number of instances that were returned.
	Instances int `json:"instances"`
	// Live is the memory in bytes that the client and its results occupy afterwards.
	Live int64 `json:"live_bytes"`
}

// atOnce is the number of lookups that Terraform makes concurrently.
const atOnce = 10

func main() {
	ctx := context.Background()
	var ids []string
	var phases []phase
	for _, read := range []struct {
		name string
		all  func(*client.Client) ([]client.Instance, error)
	}{
		{"list", func(c *client.Client) ([]client.Instance, error) {
			list, err := c.Instances(ctx)
			for _, instance := range list {
				ids = append(ids, instance.ID)
			}
			return list, err
		}},
		{"look up one", func(c *client.Client) ([]client.Instance, error) { return lookUp(ctx, c, ids[len(ids)-1:]) }},
		{"look up 100", func(c *client.Client) ([]client.Instance, error) { return lookUp(ctx, c, ids[max(len(ids)-100, 0):]) }},
		{"look up each", func(c *client.Client) ([]client.Instance, error) { return lookUp(ctx, c, ids) }},
	} {
		c, err := client.New(client.Options{BaseURL: os.Getenv("HOSTING_BASE_URL"), APIKey: os.Getenv("HOSTING_API_KEY"), MaxRetries: client.DefaultMaxRetries})
		if err != nil {
			log.Fatal(err)
		}
		before := live()
		p := phase{Name: read.name, Began: time.Now()}
		got, err := read.all(c)
		if err != nil {
			log.Fatalf("%s: %s", read.name, err)
		}
		p.Wall, p.Instances, p.Live = time.Since(p.Began), len(got), live()-before
		runtime.KeepAlive(c)
		runtime.KeepAlive(got)
		phases = append(phases, p)
	}
	text, err := json.Marshal(phases)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
}

// lookUp reads instances by their ids, as a refresh does.
func lookUp(ctx context.Context, c *client.Client, ids []string) ([]client.Instance, error) {
	found := make([]client.Instance, len(ids))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, id := range ids {
		group.Go(func() (err error) {
			found[i], err = c.RefreshInstance(ctx, id)
			return err
		})
	}
	return found, group.Wait()
}

// live returns the reachable memory in bytes.
func live() int64 {
	runtime.GC()
	runtime.GC() // memory released by finalizers
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return int64(memory.HeapAlloc)
}
