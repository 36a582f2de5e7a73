package acceptance

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

const accountHCL = `data "hosting_account" "me" {}`

// elsewhere returns a workspace whose service is at baseURL.
func elsewhere(t *testing.T, baseURL, configuration string) *workspace {
	t.Helper()
	return newWorkspaceBeside(t, &fakeservicetest.Server{BaseURL: baseURL}, configuration)
}

// Faults between the provider and the service.
var transportFaults = []faultRow{
	{25, "1 GiB body, endless slow body, deep JSON", func(t *testing.T) string {
		var written atomic.Int64
		huge := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			piece := make([]byte, 1<<20)
			for range 1024 {
				n, err := w.Write(piece)
				written.Add(int64(n))
				if err != nil {
					return
				}
			}
		}))
		t.Cleanup(huge.Close)
		c, err := client.New(client.Options{BaseURL: huge.URL + "/api/v1", APIKey: "k"})
		must(t, err == nil, "%v", err)
		_, err = c.Account(t.Context())
		must(t, err != nil && strings.Contains(err.Error(), "larger than 4 MiB"), "the read: got error %v, want that the answer is larger than 4 MiB", err)
		huge.CloseClientConnections()
		must(t, written.Load() < 64<<20, "MiB that were taken: got %d, want less than 64", written.Load()>>20)
		elsewhere(t, huge.URL+"/api/v1", accountHCL).fails("the answer is larger than 4 MiB")

		// One piece every 50 ms: about 20 arrive within the timeout of one second, and
		// 1,200 within the default of one minute. A busy machine sends fewer.
		var pieces atomic.Int64
		slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				fmt.Fprint(w, strings.Repeat(" ", 100))
				w.(http.Flusher).Flush()
				pieces.Add(1)
				time.Sleep(50 * time.Millisecond) // the fault itself
			}
		}))
		t.Cleanup(slow.Close)
		elsewhere(t, slow.URL+"/api/v1", "provider \"hosting\" {\n request_timeout = \"1s\"\n max_retries = 0\n}\n"+accountHCL).fails("request timed out")
		must(t, pieces.Load() < 600, "pieces that were waited for: got %d, want less than 600", pieces.Load())

		deep := startFake(t)
		deep.Inject(fakeservice.Fault{Method: "GET", Path: "/me", Times: -1, Status: http.StatusOK, Body: []byte(strings.Repeat(`{"a":`, 500000) + "1" + strings.Repeat("}", 500000))})
		elsewhere(t, deep.BaseURL, accountHCL).fails("the answer is not JSON of the expected form")
		return fmt.Sprintf("1 GiB: %d MiB taken; slow: ended by request_timeout; deep: a typed error", written.Load()>>20)
	}},
	{26, "secrets in bodies, headers, URLs, details, logs", func(t *testing.T) string {
		fake := startFake(t)
		w := newWorkspaceBeside(t, fake, secretFeatures)
		log := filepath.Join(w.folder, "trace.log")
		w.env = append(w.env, "TF_LOG=TRACE", "TF_LOG_PATH="+log, "TF_VAR_webhook_secret=canary-webhook-secret", "TF_VAR_token=canary-secret-variable")
		w.apply()
		secrets := connectionSecrets(t, fake)
		delete(secrets, "service key's signature") // part of the key, which never occurs separately
		secrets["webhook secret"], secrets["secret variable"], secrets["key"] = "canary-webhook-secret", "canary-secret-variable", fakeservicetest.APIKey
		// The service quotes these secrets. The process that sends the request knows the
		// key and the webhook's secret. The password of any URL is hidden, known or not.
		var said strings.Builder
		for name, secret := range secrets {
			switch name {
			case "webhook secret", "key":
				said.WriteString(secret + " ")
			case "owner password", "read-only password", "redis password":
				said.WriteString("scheme://user:" + secret + "@host ")
			}
		}
		// A process can only hide secrets that it knows, so the variable is quoted to the
		// process that sends it.
		fake.Inject(fakeservice.Fault{Method: "PATCH", Path: "/instances/*/apps/*", Status: 422, Code: "validation_failed", Detail: "not canary-secret-variable; control-canary"})
		fake.Inject(fakeservice.Fault{Method: "PATCH", Path: "/webhooks/*", Status: 422, Code: "validation_failed", Detail: "not this: " + said.String() + " postgresql://o:unheard-of-canary@h/d; control-canary"})
		w.configure(strings.NewReplacer("secret_wo_version = 1", "secret_wo_version = 2", "secret_env_wo_version = 1", "secret_env_wo_version = 2").Replace(secretFeatures))
		r := w.fails("control-canary")
		secrets["unheard-of password"] = "unheard-of-canary"
		raw, err := os.ReadFile(log)
		must(t, err == nil && len(raw) > 10000, "the log: got %d bytes (%v), want more than 10000", len(raw), err)
		for name, secret := range secrets {
			must(t, !strings.Contains(r.output, secret), "the output holds the %s", name)
			must(t, !strings.Contains(string(raw), secret), "the log holds the %s", name)
		}
		must(t, strings.Contains(string(raw), "control-canary"), "the control is not in the log: the grep finds nothing")
		return fmt.Sprintf("%d secrets in 0 places, the control in 2", len(secrets))
	}},
}
