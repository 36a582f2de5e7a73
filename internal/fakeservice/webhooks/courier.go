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

// AnswerTime is how long a receiver may take to answer (SERVICE.md#webhooks). It
// is real time, however fast the fake's clock runs: the receiver is a real program.
const AnswerTime = 10 * time.Second

// The headers of a delivery (SERVICE.md#webhooks).
const (
	eventHeader     = "X-Service-Event"
	deliveryHeader  = "X-Service-Delivery"
	signatureHeader = "X-Service-Signature"
)

// Of a receiver's answer so much is read, and so much of its end kept, in bytes.
const (
	answerRead = 16 << 10
	answerKept = 1 << 10
)

// Options says where deliveries may go.
type Options struct {
	// Loopback lets them go to receivers on this machine, by https and by http.
	Loopback bool
	// Authorities are those that certificates of receivers may come from; nil are the
	// system's.
	Authorities *x509.CertPool
	// Transport sends the requests in place of a network; nil is the network.
	Transport http.RoundTripper
}

// Courier delivers by HTTP. It is a core.Courier.
type Courier struct{ secure, plain http.RoundTripper }

// New makes a Courier.
func New(o Options) *Courier {
	if o.Transport != nil {
		return &Courier{o.Transport, o.Transport}
	}
	return &Courier{secure: o.network(false), plain: o.network(true)}
}

// Deliver sends a delivery once, and gives the receiver's answer. A redirect is an answer
// like any other, and is not followed: a client would read where it leads all the same.
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
	// The status is the answer. What cannot be read of the rest is missing in the log alone.
	answer, _ := io.ReadAll(io.LimitReader(response.Body, answerRead))
	return core.Outcome{Status: response.StatusCode, Answer: end(answer)}
}

// signature signs a body as it is sent.
func signature(body []byte, secret string) string {
	sum := hmac.New(sha256.New, []byte(secret))
	sum.Write(body)
	return "sha256=" + hex.EncodeToString(sum.Sum(nil))
}

// reason is why there was no answer, without the URL, which may hold a password.
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer within " + AnswerTime.String()
	}
	if at := (*url.Error)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return err.Error()
}

// end is the end of an answer as text.
func end(answer []byte) string {
	return strings.ToValidUTF8(string(answer[max(0, len(answer)-answerKept):]), "�")
}
