package webhooks_test

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/webhooks"
	"github.com/instance-hosting/terraform-provider-hosting/internal/signed"
)

const event = `{"id":"evt-1","type":"ready","instance_id":"i-1","at":"2026-03-01T12:00:00Z","data":{"job_id":"job-1"}}`

// delivery returns a delivery to a URL.
func delivery(url string) core.Delivery {
	return core.Delivery{ID: "dlv-1", Type: "ready", URL: url, Secret: "s", Body: []byte(event)}
}

// authorityOf returns the authority of a TLS server's certificate.
func authorityOf(server *httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	return pool
}

// Deliveries are as in SERVICE.md#webhooks, and package signed verifies their signatures.
func TestDelivery(t *testing.T) {
	t.Parallel()
	type got struct {
		request *http.Request
		body    string
		err     error
	}
	came := make(chan got, 1)
	receiver := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, err := signed.Verify(body, r.Header, "s")
		came <- got{r, string(body), err}
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, strings.Repeat("long ", 1000), "and its end")
	}))
	defer receiver.Close()
	courier := webhooks.New(webhooks.Options{Loopback: true, Authorities: authorityOf(receiver)})
	outcome := courier.Deliver(t.Context(), delivery(strings.Replace(receiver.URL, "https://", "https://me:word@", 1)+"/hooks?for=shop"))
	if outcome.Status != http.StatusAccepted || outcome.Problem != "" || !strings.HasSuffix(outcome.Answer, "and its end") || len(outcome.Answer) > 1024 {
		t.Errorf("the outcome: got %+v, want status %d and at most 1024 bytes with the end of the answer", outcome, http.StatusAccepted)
	}
	g := <-came
	if g.err != nil || g.body != event || g.request.Method != http.MethodPost || g.request.URL.String() != "/hooks?for=shop" || g.request.Header.Get("Content-Type") != "application/json" {
		t.Errorf("the delivery: got %s %s with the header %v, %s and error %v, want POST /hooks?for=shop with JSON: %s", g.request.Method, g.request.URL, g.request.Header, g.body, g.err, event)
	}
	if user, password, _ := g.request.BasicAuth(); user != "me" || password != "word" {
		t.Errorf("the credentials: got %q with the password %q, want me and word", user, password)
	}
}

// A receiver with an untrusted certificate gets nothing.
func TestReceiverWithAnUnknownCertificate(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("requests at the receiver: got one, want none") }))
	receiver.Config.ErrorLog = log.New(io.Discard, "", 0)
	receiver.StartTLS()
	defer receiver.Close()
	outcome := webhooks.New(webhooks.Options{Loopback: true}).Deliver(t.Context(), delivery(receiver.URL))
	if outcome.Status != 0 || !strings.Contains(outcome.Problem, "certificate") || strings.Contains(outcome.Problem, receiver.URL) {
		t.Errorf("the outcome: got %+v, want a problem of the certificate, without the URL", outcome)
	}
}

// A redirect is an answer and is not followed.
func TestRedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	for _, status := range []int{301, 302, 307, 308} {
		mux.Handle(fmt.Sprintf("/%d", status), http.RedirectHandler("/elsewhere", status))
	}
	mux.HandleFunc("/elsewhere", func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
	mux.HandleFunc("/nowhere", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://[nowhere")
		w.WriteHeader(http.StatusFound)
	})
	receiver := httptest.NewServer(mux)
	defer receiver.Close()
	courier := webhooks.New(webhooks.Options{Loopback: true})
	if outcome := courier.Deliver(t.Context(), delivery(receiver.URL+"/nowhere")); outcome.Status != http.StatusFound {
		t.Errorf("the outcome of a redirect without an address: got %+v, want status %d", outcome, http.StatusFound)
	}
	for _, status := range []int{301, 302, 307, 308} {
		if outcome := courier.Deliver(t.Context(), delivery(fmt.Sprintf("%s/%d", receiver.URL, status))); outcome.Status != status {
			t.Errorf("the outcome: got %+v, want status %d", outcome, status)
		}
	}
}

// A receiver has ten seconds, and a service that ends does not wait for it.
func TestReceiverThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		courier := webhooks.New(webhooks.Options{Transport: gateway.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/late" {
				time.Sleep(9 * time.Second)
				return
			}
			<-r.Context().Done()
		})}})
		began := time.Now()
		if outcome := courier.Deliver(t.Context(), delivery("https://hooks.test/late")); outcome.Status != http.StatusOK {
			t.Errorf("the outcome after 9 s: got %+v, want status %d", outcome, http.StatusOK)
		}
		if outcome := courier.Deliver(t.Context(), delivery("https://hooks.test/never")); outcome.Status != 0 || outcome.Problem != "no answer within 10s" {
			t.Errorf("the outcome without an answer: got %+v, want no answer within 10s", outcome)
		}
		if took := time.Since(began); took != 19*time.Second {
			t.Errorf("the time of both deliveries: got %s, want 19s", took)
		}
		ctx, end := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, end)
		if outcome := courier.Deliver(ctx, delivery("https://hooks.test/never")); outcome.Problem != "context canceled" {
			t.Errorf("the outcome of a canceled delivery: got %+v, want context canceled", outcome)
		}
	})
}

// The log shows the rest of a receiver's answer, after its status. It may be endless, cut
// off, or binary.
func TestStrangeAnswers(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/endless":
			for {
				if _, err := w.Write([]byte(strings.Repeat("x", 4096))); err != nil {
					return
				}
			}
		case "/cut":
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "short")
		case "/binary":
			w.Write([]byte{0xff, 0xfe, 'a'})
		case "/none":
			panic(http.ErrAbortHandler)
		}
	}))
	defer receiver.Close()
	courier := webhooks.New(webhooks.Options{Loopback: true})
	for path, want := range map[string]core.Outcome{
		"/endless": {Status: 200, Answer: strings.Repeat("x", 1024)},
		"/cut":     {Status: 200, Answer: "short"},
		"/binary":  {Status: 200, Answer: "�a"},
		"/none":    {Problem: "EOF"},
	} {
		if outcome := courier.Deliver(t.Context(), delivery(receiver.URL+path)); outcome != want {
			t.Errorf("the outcome of %s: got %+v, want %+v", path, outcome, want)
		}
	}
}

// By default, nothing is delivered to this machine. No name and no form of an address
// evades the rules.
func TestWhereDeliveriesMayGo(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("requests at the receiver: got one, want none") }))
	defer receiver.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(receiver.URL, "http://"), ":")
	courier := webhooks.New(webhooks.Options{})
	for _, url := range []string{
		receiver.URL, "http://localhost:" + port, "https://localhost:" + port, "http://[::ffff:127.0.0.1]:" + port, "https://[::]:" + port, "https://0.0.0.0:" + port,
	} {
		outcome := courier.Deliver(t.Context(), delivery(url))
		if outcome.Status != 0 || !strings.Contains(outcome.Problem, "unless it is told to") && !strings.Contains(outcome.Problem, "not an address of a receiver") {
			t.Errorf("the outcome of %s: got %+v, want a refusal of this machine or of the address", url, outcome)
		}
	}
	told := webhooks.New(webhooks.Options{Loopback: true})
	for _, url := range []string{"https://169.254.169.254/latest/meta-data/", "http://169.254.169.254/", "https://[fe80::1]/", "https://[::ffff:169.254.169.254]/", "http://192.0.2.1/"} {
		if outcome := told.Deliver(t.Context(), delivery(url)); outcome.Status != 0 || !strings.Contains(outcome.Problem, "not an address of a receiver") && !strings.Contains(outcome.Problem, "only https leads there") {
			t.Errorf("the outcome of %s: got %+v, want a refusal of the address or of http", url, outcome)
		}
	}
}
