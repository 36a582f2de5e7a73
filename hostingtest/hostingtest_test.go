package hostingtest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/hostingtest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// send sends a request like a client of the service.
func send(t *testing.T, s *hostingtest.Service, method, path, body string) (int, map[string]any) {
	t.Helper()
	request := must.Get(http.NewRequestWithContext(t.Context(), method, s.BaseURL+path, strings.NewReader(body)))(t)
	request.Header.Set("Authorization", "Bearer "+s.APIKey)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	must.Do(t, err)
	defer response.Body.Close()
	var answer map[string]any
	_ = json.NewDecoder(response.Body).Decode(&answer) // a page is not JSON
	return response.StatusCode, answer
}

const shop = `{"name":"shop","plan":"free","region":"eu-central","engines":{"postgres":true,"apps":true}}`

func TestCreationByItsSteps(t *testing.T) {
	t.Parallel()
	s := hostingtest.Start(t, hostingtest.WithSpeed(1))
	status, made := send(t, s, http.MethodPost, "/instances", shop)
	if status != http.StatusAccepted {
		t.Fatalf("the creation: got %d %v, want 202", status, made)
	}
	path := "/instances/" + made["id"].(string)
	if status, answer := send(t, s, http.MethodPatch, path, `{"name":"store"}`); status != http.StatusConflict {
		t.Errorf("a change during the creation: got %d %v, want 409", status, answer)
	}
	s.Advance(8 * time.Minute)
	if _, record := send(t, s, http.MethodGet, path, ""); record["status"] != "running" {
		t.Errorf("the instance after eight minutes: got %v, want it running", record)
	}
	if n := s.Count(http.MethodPost, "/instances"); n != 1 {
		t.Errorf("creations in the log: got %d, want 1", n)
	}
}

func TestJobsAreHeldAndFail(t *testing.T) {
	t.Parallel()
	s := hostingtest.Start(t)
	id := s.AddInstance(hostingtest.Instance{Name: "shop"}).ID
	release := s.HoldJobs(hostingtest.JobMatch{Operation: "update"})
	send(t, s, http.MethodPatch, "/instances/"+id, `{"name":"store"}`)
	s.Advance(time.Hour)
	if job := s.Jobs()[0]; job.Status != "running" {
		t.Errorf("a job that is held: got %s, want running", job.Status)
	}
	release()
	if name := s.Instances()[0].Name; name != "store" {
		t.Errorf("the instance's name: got %s, want store", name)
	}
	s.FailJobs(hostingtest.JobMatch{}, 1, "no_room", "The region is full.")
	send(t, s, http.MethodPatch, "/instances/"+id, `{"name":"kiosk"}`)
	s.Advance(time.Hour)
	if job := s.Jobs()[1]; job.Status != "failed" || job.ErrorCode != "no_room" || s.Instances()[0].Name != "store" {
		t.Errorf("the job: got %+v, want it failed with no_room; the instance's name: got %s, want store", job, s.Instances()[0].Name)
	}
}

func TestRequestsGoWrong(t *testing.T) {
	t.Parallel()
	s := hostingtest.Start(t)
	remove := s.Inject(hostingtest.Fault{Method: http.MethodPost, Path: "/instances", Times: -1, Page: http.StatusBadGateway, AfterCommit: true})
	if status, _ := send(t, s, http.MethodPost, "/instances", shop); status != http.StatusBadGateway {
		t.Errorf("the creation: got %d, want 502", status)
	}
	if n := len(s.Instances()); n != 1 {
		t.Errorf("instances: got %d, want the one whose answer was lost", n)
	}
	remove()
	s.SetWeather(hostingtest.Storm, 7)
	bad := 0
	for range 200 {
		if status, _ := send(t, s, http.MethodGet, "/plans", ""); status != http.StatusOK {
			bad++
		}
		if bad > 0 {
			break
		}
	}
	if bad == 0 {
		t.Error("nothing went wrong in a storm")
	}
}

func TestEnvironment(t *testing.T) {
	s, other := hostingtest.Start(t), hostingtest.Start(t, hostingtest.WithAPIKey("a-key"))
	if s.APIKey == other.APIKey || other.APIKey != "a-key" || s.BaseURL == other.BaseURL {
		t.Errorf("the services: got them at %s and %s, with the keys %s and %s, want two of each, the second key a-key", s.BaseURL, other.BaseURL, s.APIKey, other.APIKey)
	}
	if environment := s.Environment(); environment["HOSTING_BASE_URL"] != s.BaseURL || environment["HOSTING_API_KEY"] != s.APIKey {
		t.Errorf("the environment: got %v, want the service's address and key", environment)
	}
}

// Each case continues from a shared preparation and does not change it.
func TestForks(t *testing.T) {
	t.Parallel()
	s := hostingtest.Start(t)
	id := s.AddInstance(hostingtest.Instance{Name: "shop"}).ID
	s.HoldJobs(hostingtest.JobMatch{})
	for _, name := range []string{"store", "kiosk"} {
		fork := s.Fork(t)
		if status, answer := send(t, fork, http.MethodPatch, "/instances/"+id, `{"name":"`+name+`"}`); status != http.StatusAccepted {
			t.Fatalf("the fork: got %d %v, want 202", status, answer)
		}
		fork.Advance(time.Hour)
		if is := fork.Instances()[0].Name; is != name {
			t.Errorf("the instance's name in the fork: got %s, want %s", is, name)
		}
	}
	if is := s.Instances()[0]; is.Name != "shop" || is.JobID != "" {
		t.Errorf("the instance: got %+v, want the name shop and no job", is)
	}
}

func ExampleNew() {
	service := hostingtest.New()
	defer service.Close()
	service.AddInstance(hostingtest.Instance{Name: "shop", Engines: map[string]*hostingtest.Engine{"postgres": {}}})
	for _, instance := range service.Instances() {
		fmt.Println(instance.Name, instance.Plan, instance.Status)
	}
	// Output: shop free running
}

// A job can be held, so that a test sees the state in the meantime.
func ExampleService_HoldJobs() {
	service := hostingtest.New()
	defer service.Close()
	id := service.AddInstance(hostingtest.Instance{Name: "shop"}).ID
	release := service.HoldJobs(hostingtest.JobMatch{InstanceID: id})
	request, _ := http.NewRequest(http.MethodPatch, service.BaseURL+"/instances/"+id, strings.NewReader(`{"name":"store"}`))
	request.Header.Set("Authorization", "Bearer "+service.APIKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		fmt.Println(err)
		return
	}
	response.Body.Close()
	fmt.Println(response.StatusCode, service.Instances()[0].Name)
	release()
	fmt.Println(service.Instances()[0].Name)
	// Output:
	// 202 shop
	// store
}

// A Setup is the initial state of the service, also after a reset.
func ExampleReadSetup() {
	setup, err := hostingtest.ReadSetup(strings.NewReader(`{
		"durations": {"update": "1s"},
		"instances": [{"id": "i-shop", "name": "shop", "engines": {"apps": {}}, "apps": [{"name": "web", "repo": "acme/shop"}]}]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	service := hostingtest.New(hostingtest.WithSetup(setup))
	defer service.Close()
	service.RemoveInstance("i-shop")
	service.Reset()
	for _, app := range service.Apps("i-shop") {
		fmt.Println(app.Name, app.Status)
	}
	_, err = hostingtest.ReadSetup(strings.NewReader(`{"instances": [{"name": "shop", "plan": "gold"}]}`))
	fmt.Println(err)
	// Output:
	// web running
	// setup: instances[0].plan: there is no plan "gold"
}
