package examples

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/webhooks"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// receiveWebhooks runs the receiver, creates its endpoint, and checks that a signed event
// arrives. If only the service's secret changes, the receiver refuses the next event.
func receiveWebhooks(t *testing.T, files []string) {
	secrets := t.TempDir()
	authorities := writeCertificate(t, secrets)
	const secret = "the secret of an example"
	url, next := startReceiver(t, secrets, secret)
	fake := startFake(t, func(o *fakeservice.Options) {
		o.Courier = webhooks.New(webhooks.Options{Loopback: true, Authorities: authorities})
	})
	variables := map[string]any{"receiver_url": url, "webhook_secret": secret}
	w := newConfiguration(t, fake, path.Dir(files[0]), variables)
	w.apply()
	w.mustBeSettled()
	fake.Emit("health_alert", "i-shop", map[string]any{"healthy": false})
	if line := next(); !strings.HasSuffix(line, ` health_alert of i-shop: {"healthy":false}`) {
		t.Errorf("the receiver: got %s, want the health_alert of i-shop", line)
	}
	w.apply("-var", "webhook_secret=another secret than its own", "-var", "webhook_secret_version=2")
	fake.Emit("health_reset", "i-shop", nil)
	if line := next(); !strings.HasPrefix(line, "refused: ") {
		t.Errorf("the receiver: got %s, want a refusal", line)
	}
	w.destroy()
	if n := len(fake.Webhooks()); n != 0 {
		t.Errorf("endpoints that are left: got %d, want none", n)
	}
}

// startReceiver runs the program, and returns its URL and its output, line by line.
func startReceiver(t *testing.T, secrets, secret string) (url string, next func() string) {
	t.Helper()
	receiver := filepath.Join(installed.folder, "webhook-receiver")
	buildReceiver(t, receiver)
	command := exec.CommandContext(t.Context(), receiver, "--listen", "127.0.0.1:0",
		"--cert", filepath.Join(secrets, "certificate.pem"), "--key", filepath.Join(secrets, "key.pem"))
	next = printed(t, command, secret)
	_, url, _ = strings.Cut(next(), " at ")
	return url, next
}

// buildReceiver builds the receiver in Go, which is in the module webhook.
func buildReceiver(t *testing.T, to string) {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", to, ".")
	build.Dir = "../../webhook/cmd/webhook-receiver"
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the receiver: %v\n%s", err, said)
	}
}

// writeCertificate creates a certificate with its key for this machine, and returns a pool
// that trusts it.
func writeCertificate(t *testing.T, folder string) *x509.CertPool {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	certificate := must.Get(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	private := must.Get(x509.MarshalPKCS8PrivateKey(key))(t)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	for name, content := range map[string][]byte{
		"certificate.pem": text,
		"key.pem":         pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), content, 0o600))
	}
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(text)
	return authorities
}
