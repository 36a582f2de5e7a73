package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/setup"
)

// latency is the delay of each request.
const latency = 20 * time.Millisecond

// A fake is a fake service with a server.
type fake struct {
	*fakeservice.Service
	server *httptest.Server
}

// startFake starts a fake with a speed of its clock and an initial content in JSON, if any.
func startFake(speed float64, content []byte) (*fake, error) {
	var begin setup.Setup
	if content != nil {
		var err error
		if begin, err = setup.Read(bytes.NewReader(content)); err != nil {
			return nil, err
		}
	}
	service, err := fakeservice.Open(fakeservice.Options{Speed: speed, Setup: begin, RequestsKept: 1 << 20})
	if err != nil {
		return nil, err
	}
	service.SetConditions(fakeservice.Conditions{Latency: latency})
	return &fake{service, httptest.NewServer(service)}, nil
}

func (f *fake) close() {
	f.server.Close()
	_ = f.Close() // it has no data plane to end
}

// environment returns the variables with which a provider finds the fake.
func (f *fake) environment() []string {
	return []string{"HOSTING_BASE_URL=" + f.server.URL + "/api/v1", "HOSTING_API_KEY=" + f.APIKey()}
}

// nameOf and idOf return the name and the id of the instance of a row.
func nameOf(row int) string { return fmt.Sprintf("bench-%05d", row) }
func idOf(row int) string   { return "i-" + nameOf(row) }

// content returns the content of a fake with n instances that match a configuration with
// all resources.
func content(n int) ([]byte, error) {
	type object map[string]any
	instances := make([]object, 0, n)
	for row := range n {
		instances = append(instances, object{
			"id": idOf(row), "name": nameOf(row), "plan": "free", "region": "eu-central", "tags": []string{"bench"},
			"engines": object{"postgres": object{}, "apps": object{}, "auth": object{
				"site_url": "https://bench.example", "redirect_urls": []string{"https://bench.example/**"},
			}},
			"allowlist": []string{"203.0.113.0/24"}, "console_mode": "ro", "databases": []string{"stock"},
			"apps": []object{{
				"name": "web", "repo": "acme/shop", "branch": "main", "port": 3000, "health_path": "/healthz", "public": true,
				"env": object{"KEY": "value"},
			}},
		})
	}
	return json.Marshal(object{"instances": instances})
}
