package webhooks

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// AnswerTime is the time limit for a receiver's answer (SERVICE.md#webhooks). It is real
// time, however fast the fake's clock runs: the receiver is a real program.
const AnswerTime = 10 * time.Second

// The headers of a delivery (SERVICE.md#webhooks).
const (
	eventHeader     = "X-Service-Event"
	deliveryHeader  = "X-Service-Delivery"
	signatureHeader = "X-Service-Signature"
)

// The number of bytes that are read of a receiver's answer, and the number kept of its end.
const (
	answerRead = 16 << 10
	answerKept = 1 << 10
)

// Options restricts the targets of deliveries.
type Options struct {
	// Loopback allows receivers on this machine, with https and with http.
	Loopback bool
	// Authorities are the trusted authorities for receivers' certificates; nil means the
	// system's.
	Authorities *x509.CertPool
	// Transport sends the requests in place of a network; nil means the network.
	Transport http.RoundTripper
}

// Courier delivers by HTTP. It is a core.Courier.
type Courier struct{ secure, plain http.RoundTripper }

// New returns a Courier.
func New(o Options) *Courier {
	if o.Transport != nil {
		return &Courier{o.Transport, o.Transport}
	}
	return &Courier{secure: o.network(false), plain: o.network(true)}
}

// Network returns the network that deliveries use for https, with its checks of addresses,
// for other requests to servers that a stranger may name.
func (c *Courier) Network() http.RoundTripper { return c.secure }

// Deliver sends a delivery once, and returns the receiver's answer. A redirect is an answer
// like any other and is not followed. An http.Client would at least parse its target, so
// Deliver uses the transport.
func (c *Courier) Deliver(ctx context.Context, d core.Delivery) core.Outcome {
	ctx, cancel := context.WithTimeout(ctx, AnswerTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(d.Body))
	if err != nil {
		return core.Outcome{Problem: reason(err)}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "hosting-webhooks/1")
	request.Header.Set(eventHeader, d.Type)
	request.Header.Set(deliveryHeader, d.ID)
	request.Header.Set(signatureHeader, signature(d.Body, d.Secret))
	if user := request.URL.User; user != nil {
		password, _ := user.Password()
		request.SetBasicAuth(user.Username(), password)
	}
	network := c.secure
	if request.URL.Scheme == "http" {
		network = c.plain
	}
	response, err := network.RoundTrip(request)
	if err != nil {
		return core.Outcome{Problem: reason(err)}
	}
	defer response.Body.Close()
	// The status is the answer. If the rest cannot be read, it is only missing in the log.
	answer, _ := io.ReadAll(io.LimitReader(response.Body, answerRead))
	return core.Outcome{Status: response.StatusCode, Answer: end(answer)}
}

// signature signs a body in the form that is sent.
func signature(body []byte, secret string) string {
	sum := hmac.New(sha256.New, []byte(secret))
	sum.Write(body)
	return "sha256=" + hex.EncodeToString(sum.Sum(nil))
}

// reason returns the reason why there was no answer, without the URL, which may contain a
// password.
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer within " + AnswerTime.String()
	}
	if at := (*url.Error)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return err.Error()
}

// end returns the end of an answer as text.
func end(answer []byte) string {
	return strings.ToValidUTF8(string(answer[max(0, len(answer)-answerKept):]), "�")
}
