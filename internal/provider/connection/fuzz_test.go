package connection

import (
	"net/url"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

func FuzzCanonicalCIDR(f *testing.F) {
	for _, seed := range []string{"203.0.113.7", "203.0.113.0/24", "2001:DB8::/32", "::ffff:1.2.3.4", "::ffff:1.2.3.4/128", "1.2.3.4/33", "fe80::1%eth0", "01.2.3.4"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cidr string) {
		prefix, err := client.CanonicalCIDR(cidr)
		if err != nil {
			return
		}
		again, err := client.CanonicalCIDR(prefix.String())
		if err != nil || again != prefix {
			t.Errorf("CanonicalCIDR(%s), which is that of %q: got %s and error %v, want no change", prefix, cidr, again, err)
		}
		if !client.SameCIDRs([]string{cidr}, []string{prefix.String()}) {
			t.Errorf("SameCIDRs(%q, %s): got false, want true", cidr, prefix)
		}
	})
}

func FuzzPooledURL(f *testing.F) {
	for _, seed := range []string{"postgresql://u:p@h:5432/d", "postgres://[::1]", "postgres://h:x", "redis://h", "postgres://u:p%40@h/d?x=1#f", "postgres://[fe80::1%25eth0]:1/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		pooled, funcErr := pooledURL(raw)
		if funcErr != nil {
			return
		}
		u, err := url.Parse(pooled)
		if err != nil || u.Port() != pooledPort {
			t.Errorf("pooledURL(%q): got %q (%v), want the port %s", raw, pooled, err, pooledPort)
			return
		}
		again, funcErr := pooledURL(pooled)
		if funcErr != nil || again != pooled {
			t.Errorf("pooledURL(%q), which is that of %q: got %q, want no change", pooled, raw, again)
		}
	})
}

func FuzzLibpqEnv(f *testing.F) {
	f.Add("postgresql://o%40wner:p%3Aw@h.example:5433/app", "/ca.pem")
	f.Add("postgres://h", "")
	f.Fuzz(func(t *testing.T, raw, ca string) {
		env, err := libpqEnv(raw, ca)
		if err == nil && (env["PGHOST"] == "" || env["PGSSLMODE"] != "verify-full" || env["PGSSLROOTCERT"] != ca || env["PGPORT"] == "") {
			t.Errorf("libpqEnv(%q): got %v, want a host, a port, verify-full and the CA", raw, env)
		}
		if err != nil && len(raw) > 20 && strings.Contains(err.Text, raw) {
			t.Errorf("the error: got %s, want it without the URL", err.Text)
		}
	})
}

func FuzzWebhookSignature(f *testing.F) {
	f.Add("body", "secret")
	f.Fuzz(func(t *testing.T, body, secret string) {
		signature := webhookSignature(body, secret)
		if !strings.HasPrefix(signature, "sha256=") || len(signature) != len("sha256=")+64 {
			t.Errorf("webhookSignature: got %s, want sha256= and 64 characters", signature)
		}
		if webhookSignature(body+"x", secret) == signature {
			t.Error("another body has the same signature")
		}
	})
}
