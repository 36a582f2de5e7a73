package couchdb

import (
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A body that is too large is refused before the server has all of it.
func TestLargeBody(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.write("v")
	before := c.server.PID()
	for _, chunked := range []bool{false, true} {
		body := io.MultiReader(strings.NewReader(`{"text":"`), io.LimitReader(endless{}, largestRequest))
		request := must.Get(http.NewRequestWithContext(t.Context(), "PUT", c.base.String()+"/db/large", body))(t)
		if !chunked {
			request.ContentLength = largestRequest + 9
		}
		request.Header.Set("Content-Type", "application/json")
		answer, err := c.client.Do(request)
		must.Do(t, err)
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(string(text), `"too_large"`) {
			t.Errorf("a body that is too large: got status %d, %s (%v), want 413 and too_large", answer.StatusCode, text, err)
		}
	}
	c.value("v")
	if now := c.server.PID(); now != before {
		t.Errorf("the process: got %d, want %d", now, before)
	}
}

// endless is a text without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// Creating a database does not wait for the body, which a client may never end.
func TestUnfinishedCreation(t *testing.T) {
	t.Parallel()
	c := open(t)
	dialer := tls.Dialer{Config: c.client.Transport.(*http.Transport).TLSClientConfig}
	authorization := base64.StdEncoding.EncodeToString([]byte(Customer + ":secret"))
	for name, body := range map[string]string{"slow": "Content-Length: 99\r\n\r\n{", "chunked": "Transfer-Encoding: chunked\r\n\r\n9\r\n{"} {
		slow := must.Get(dialer.DialContext(t.Context(), "tcp", c.base.Host))(t)
		defer slow.Close()
		must.Get(fmt.Fprintf(slow,
			"PUT /%s HTTP/1.1\r\nHost: x\r\nAuthorization: Basic %s\r\nContent-Type: application/json\r\n%s", name, authorization, body))(t)
		machine.Until(t, "the database "+name, func() bool {
			status, err := c.status("GET", "/"+name, "")
			return err == nil && status == http.StatusOK
		})
	}
	c.do("PUT", "/db", "", http.StatusCreated)
}
