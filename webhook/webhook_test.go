package webhook_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/webhook"
)

// The body of a delivery, its secret, and its signature as computed by openssl.
const (
	fixture          = "testdata/delivery.json"
	fixtureSecret    = "whsec-of-the-fixture"
	fixtureSignature = "sha256=bf36ae2f2f54cee3864e4b10fb2f996843ecd3402ff39e32a64a8369730e93be"
)

func fixtureBody(t testing.TB) []byte {
	t.Helper()
	body, err := os.ReadFile(fixture)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// headers returns the headers of the fixture's delivery. changes are pairs of names and
// new values.
func headers(changes ...string) http.Header {
	h := http.Header{}
	h.Set("X-Service-Event", "label")
	h.Set("X-Service-Delivery", "dlv-1")
	h.Set("X-Service-Signature", fixtureSignature)
	for i := 0; i+1 < len(changes); i += 2 {
		h.Set(changes[i], changes[i+1])
	}
	return h
}

func TestVerify(t *testing.T) {
	t.Parallel()
	d, err := webhook.Verify(fixtureBody(t), headers(), fixtureSecret)
	if err != nil {
		t.Fatal(err)
	}
	e := d.Event
	if d.ID != "dlv-1" || e.ID != "evt-4kq2xw7m3p5r" || e.Type != "label" || e.InstanceID != "i-shop" || !e.At.Equal(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("the delivery: got %+v, want dlv-1 with the label of i-shop", d)
	}
	if !strings.Contains(string(e.Data), `"tags":["prod"]`) {
		t.Errorf("the data: got %s, want the tag prod in it", e.Data)
	}
	if signed := webhook.Sign(fixtureBody(t), fixtureSecret); signed != fixtureSignature {
		t.Errorf("Sign: got %s, want %s", signed, fixtureSignature)
	}
	if _, err := webhook.Verify(fixtureBody(t), headers(), "the new one", fixtureSecret); err != nil {
		t.Errorf("Verify with two secrets: got error %s, want none", err)
	}
}

// A delivery with any change is refused.
func TestTamperedDelivery(t *testing.T) {
	t.Parallel()
	body := string(fixtureBody(t))
	digits := strings.TrimPrefix(fixtureSignature, "sha256=")
	twice := func(name string) http.Header {
		h := headers()
		h.Add(name, h.Get(name))
		return h
	}
	without := func(name string) http.Header {
		h := headers()
		h.Del(name)
		return h
	}
	one := []string{fixtureSecret}
	for name, c := range map[string]struct {
		body    string
		header  http.Header
		secrets []string
		want    error
	}{
		"another body":             {strings.Replace(body, "prod", "test", 1), headers(), one, webhook.ErrSignature},
		"a body written anew":      {strings.ReplaceAll(body, ",", ", "), headers(), one, webhook.ErrSignature},
		"a line more":              {body + "\n", headers(), one, webhook.ErrSignature},
		"a body cut off":           {body[:len(body)-1], headers(), one, webhook.ErrSignature},
		"no body":                  {"", headers(), one, webhook.ErrSignature},
		"another secret":           {body, headers(), []string{"another"}, webhook.ErrSignature},
		"no secret":                {body, headers(), nil, webhook.ErrSecret},
		"an empty secret":          {body, headers("X-Service-Signature", webhook.Sign([]byte(body), "")), []string{""}, webhook.ErrSecret},
		"an empty one beside it":   {body, headers(), []string{fixtureSecret, ""}, webhook.ErrSecret},
		"another signature":        {body, headers("X-Service-Signature", "sha256="+strings.Repeat("0", 64)), one, webhook.ErrSignature},
		"a shorter signature":      {body, headers("X-Service-Signature", fixtureSignature[:len(fixtureSignature)-2]), one, webhook.ErrSignature},
		"an empty signature":       {body, headers("X-Service-Signature", "sha256="), one, webhook.ErrSignature},
		"no prefix":                {body, headers("X-Service-Signature", digits), one, webhook.ErrSignature},
		"another prefix":           {body, headers("X-Service-Signature", "sha1="+digits), one, webhook.ErrSignature},
		"no signature":             {body, without("X-Service-Signature"), one, webhook.ErrSignature},
		"two signatures":           {body, twice("X-Service-Signature"), one, webhook.ErrSignature},
		"another type":             {body, headers("X-Service-Event", "ready"), one, webhook.ErrMalformed},
		"no type":                  {body, without("X-Service-Event"), one, webhook.ErrMalformed},
		"two types":                {body, twice("X-Service-Event"), one, webhook.ErrMalformed},
		"no delivery id":           {body, without("X-Service-Delivery"), one, webhook.ErrMalformed},
		"two spellings of a name":  {body, lower(twice("X-Service-Signature"), headers()), one, webhook.ErrSignature},
		"two delivery ids":         {body, twice("X-Service-Delivery"), one, webhook.ErrMalformed},
		"a signed text":            signed("hello"),
		"a signed event, nameless": signed(`{"type":"label","data":{}}`),
	} {
		t.Run(name, func(t *testing.T) {
			if d, err := webhook.Verify([]byte(c.body), c.header, c.secrets...); !errors.Is(err, c.want) || d.ID != "" || d.Event.ID != "" {
				t.Errorf("Verify: got %+v and error %v, want nothing and %v", d, err, c.want)
			}
		})
	}
}

// A secret that was read with the end of its line signs otherwise, and the error says why. A
// secret that has white space at its ends verifies.
func TestSecretWithWhiteSpace(t *testing.T) {
	t.Parallel()
	body := fixtureBody(t)
	for _, secret := range []string{fixtureSecret + "\n", "\t" + fixtureSecret, fixtureSecret + "\r\n"} {
		if _, err := webhook.Verify(body, headers(), "the new one", secret); !errors.Is(err, webhook.ErrSignature) || !strings.Contains(err.Error(), "white space") {
			t.Errorf("Verify with the secret %q: got error %v, want ErrSignature and white space", secret, err)
		}
		if _, err := webhook.Verify(body, headers("X-Service-Signature", webhook.Sign(body, secret)), secret); err != nil {
			t.Errorf("Verify of a delivery signed with the secret %q: got error %v, want none", secret, err)
		}
	}
	if _, err := webhook.Verify(body, headers(), "another one"); err == nil || strings.Contains(err.Error(), "white space") {
		t.Errorf("Verify with another secret: got error %v, want one without white space", err)
	}
}

// signed returns a body that is signed, but is not a delivery.
func signed(body string) (c struct {
	body    string
	header  http.Header
	secrets []string
	want    error
}) {
	c.body, c.header, c.secrets = body, headers("X-Service-Signature", webhook.Sign([]byte(body), fixtureSecret)), []string{fixtureSecret}
	c.want = webhook.ErrMalformed
	return c
}

// An event of the account has no instance. Without data, Data is an empty object.
func TestEventOfTheAccount(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"id":"evt-1","type":"label","instance_id":null,"at":"2026-03-01T12:00:00Z","data":null}`,
		`{"id":"evt-1","type":"label","at":"2026-03-01T13:00:00+01:00","later":1}`,
	} {
		d, err := webhook.Verify([]byte(body), headers("X-Service-Signature", webhook.Sign([]byte(body), fixtureSecret)), fixtureSecret)
		if err != nil || d.Event.InstanceID != "" || string(d.Event.Data) != "{}" || d.Event.At.Format(time.RFC3339) != "2026-03-01T12:00:00Z" {
			t.Errorf("Verify of %s: got %+v and error %v, want no instance, no data and noon", body, d, err)
		}
	}
}

// The fields that only inform may be written otherwise. A refusal would only disable the
// endpoint.
func TestInformationWrittenOtherwise(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]struct {
		instance, data string
		hasTime        bool
	}{
		`"at":1764417535`:            {"", "{}", false},
		`"at":""`:                    {"", "{}", false},
		`"at":null`:                  {"", "{}", false},
		`"at":"2026-11-29 12:00:00"`: {"", "{}", false},
		`"at":"2026-11-29T12:00:00.5Z","data":[1]`: {"", "[1]", true},
		`"data":"x"`: {"", `"x"`, false},
		`"instance_id":12,"data":{"job_id":"j-1"}`: {"12", `{"job_id":"j-1"}`, false},
		`"instance_id":{"id":"i-1"}`:               {"", "{}", false},
		`"instance_id":"i-1","at":{},"data":false`: {"i-1", "false", false},
	} {
		body := `{"id":"evt-1","type":"label",` + fields + `}`
		d, err := webhook.Verify([]byte(body), headers("X-Service-Signature", webhook.Sign([]byte(body), fixtureSecret)), fixtureSecret)
		e := d.Event
		if err != nil || e.ID != "evt-1" || e.InstanceID != want.instance || string(e.Data) != want.data || e.At.IsZero() == want.hasTime {
			t.Errorf("Verify of %s: got %+v and error %v, want %+v", body, d, err, want)
		}
	}
}

// lower returns headers with their names in lower case, as a gateway of functions hands them
// over, and the given ones.
func lower(all, given http.Header) http.Header {
	h := given.Clone()
	for name, values := range all {
		h[strings.ToLower(name)] = values
	}
	return h
}

func TestHeaderNamesInLowerCase(t *testing.T) {
	t.Parallel()
	if d, err := webhook.Verify(fixtureBody(t), lower(headers(), http.Header{}), fixtureSecret); err != nil || d.ID == "" {
		t.Errorf("Verify: got %+v and error %v, want the delivery", d, err)
	}
}

// No body and no header makes Verify panic, and Verify accepts only the signature that is
// computed by Sign.
func FuzzVerify(f *testing.F) {
	body := fixtureBody(f)
	f.Add(body, "label", "dlv-1", fixtureSignature, fixtureSecret)
	f.Add([]byte(`{}`), "", "", "sha256=", "")
	f.Add([]byte(`{"id":"e","type":"t","data":{}}`), "t", "d", "sha256=00", "s")
	f.Fuzz(func(t *testing.T, body []byte, event, delivery, signature, secret string) {
		h := http.Header{"X-Service-Event": {event}, "X-Service-Delivery": {delivery}, "X-Service-Signature": {signature}}
		for _, given := range []string{signature, webhook.Sign(body, secret)} {
			h["X-Service-Signature"] = []string{given}
			d, err := webhook.Verify(body, h, secret)
			if err != nil {
				if d.ID != "" || d.Event.ID != "" {
					t.Errorf("Verify of a refused delivery: got %+v, want nothing", d)
				}
				continue
			}
			if secret == "" || !strings.EqualFold(given, webhook.Sign(body, secret)) || d.ID != delivery || d.Event.Type != event || d.Event.ID == "" || !json.Valid(d.Event.Data) {
				t.Errorf("Verify of a forged delivery: got %+v, want a refusal", d)
			}
		}
	})
}
