package fakeservice_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/publicaddr"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// download returns the archive of a snapshot.
func (a *api) download(name string) []byte {
	a.t.Helper()
	status, archive := a.raw(http.MethodGet, "/_fake/snapshots/"+name, nil)
	if status != http.StatusOK {
		a.t.Fatalf("the download: got %d %s, want 200", status, archive)
	}
	return archive
}

// raw sends a control request whose body or answer is not JSON.
func (a *api) raw(method, path string, body []byte) (int, []byte) {
	a.t.Helper()
	request := must.Get(http.NewRequestWithContext(a.t.Context(), method, a.RootURL+path, bytes.NewReader(body)))(a.t)
	request.Header.Set("Authorization", "Bearer "+a.ControlToken())
	response, err := http.DefaultClient.Do(request)
	must.Do(a.t, err)
	defer response.Body.Close()
	text := must.Get(io.ReadAll(response.Body))(a.t)
	return response.StatusCode, text
}

// A snapshot can be taken, listed, restored, copied to another fake and deleted.
func TestSnapshotsByControlRoutes(t *testing.T) {
	t.Parallel()
	a, other := start(t), start(t)
	id := a.AddInstance(fakeservice.Instance{Name: "shop"}).ID
	a.told("POST", "/snapshots", `{"name": "before"}`)
	a.RemoveInstance(id)
	archive := a.download("before")
	if status, answer := other.raw("PUT", "/_fake/snapshots/theirs", archive); status != http.StatusOK {
		t.Fatalf("the upload: got %d %s, want 200", status, answer)
	}
	other.told("POST", "/snapshots/theirs/restore", "")
	a.play("", `
		fake GET /snapshots => 200 | snapshots=["before"]
		fake POST /snapshots/before/restore => 200
		fake DELETE /snapshots/before => 200
		fake POST /snapshots/before/restore => 400
		fake DELETE /snapshots/before => 400
		fake POST /snapshots {"name":"../up"} => 400
		fake POST /snapshots {} => 400
	`)
	for _, restored := range []*api{a, other} {
		if in, ok := restored.Instance(id); !ok || in.Name != "shop" {
			t.Errorf("the instances after the restore: got %+v, want shop", restored.Instances())
		}
	}
	for _, broken := range [][]byte{[]byte("no archive"), archive[:len(archive)/2]} {
		if status, answer := a.raw("PUT", "/_fake/snapshots/half", broken); status != http.StatusBadRequest {
			t.Errorf("a broken archive: got %d %s, want 400", status, answer)
		}
	}
	a.play("", `fake GET /snapshots => 200 | snapshots=[]`)
}

// A fork has the same host as the machines, and its links have its own address.
func TestForkAtAnAdvertisedHost(t *testing.T) {
	t.Parallel()
	ports := fakeservicetest.FreePorts(t, 2)
	a := start(t, func(o *fakeservice.Options) {
		o.Public = publicaddr.Addresses{Host: "fake.test", Bind: "127.0.0.1", Ports: ports}
		o.PortalURL = "http://fake.test:8080"
	})
	id := a.accepted("POST", "/instances", object{"name": "paid", "plan": "small", "region": "eu-central"}).string("id")
	told := a.told("POST", "/fork", "")
	base := must.Get(url.Parse(told["base_url"].(string)))(t)
	if port, _ := strconv.Atoi(base.Port()); base.Hostname() != "fake.test" || port < ports.First || port > ports.Last {
		t.Errorf("the address of the fork: got %s, want fake.test with a port of %s", base, ports)
	}
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, "127.0.0.1:"+base.Port())
	}}}
	request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, base.String()+"/instances/"+id, nil))(t)
	request.Header.Set("Authorization", "Bearer "+told["api_key"].(string))
	response, err := client.Do(request)
	must.Do(t, err)
	defer response.Body.Close()
	var record struct {
		CheckoutURL string `json:"checkout_url"`
	}
	if err := json.NewDecoder(response.Body).Decode(&record); err != nil || !strings.HasPrefix(record.CheckoutURL, "http://"+base.Host+"/checkout/") {
		t.Errorf("the checkout of the fork: got %q and error %v, want one at %s", record.CheckoutURL, err, base.Host)
	}
}
