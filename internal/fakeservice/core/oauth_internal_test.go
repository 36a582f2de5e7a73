package core

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// The verifier and challenge are those of RFC 7636, appendix B.
const (
	rfcVerifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	rfcChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

func TestPKCE(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, verifier, challenge string
		want                      bool
	}{
		{"the one of the RFC", rfcVerifier, rfcChallenge, true},
		{"none", "", rfcChallenge, false},
		{"the challenge itself", rfcChallenge, rfcChallenge, false},
		{"a plain one", rfcVerifier, rfcVerifier, false},
		{"another one", "x" + rfcVerifier[1:], rfcChallenge, false},
		{"a longer one", rfcVerifier + "x", rfcChallenge, false},
		{"a padded challenge", rfcVerifier, rfcChallenge + "=", false},
		{"no challenge", rfcVerifier, "", false},
		{"42 characters", rfcVerifier[1:], "GDCn4D6wWmq1PY822i1UgTA_KYjtvohZb0ljEAeFu58", false},
		{"a forbidden character", strings.Replace(rfcVerifier, "-", " ", 1), "M80AEd2fYoJcAW459Io8uvdlW7-paVscKhmHq8LFrbw", false},
	} {
		if got := provesChallenge(row.verifier, row.challenge); got != row.want {
			t.Errorf("%s: got %v, want %v", row.name, got, row.want)
		}
	}
}

// connect makes a grant and returns its tokens.
func connect(t *testing.T, s *Service) OAuthTokens {
	t.Helper()
	consent := OAuthConsent{ClientID: "client-a", ClientName: "Agent", Resource: "http://fake/mcp", RedirectURI: "http://127.0.0.1/cb", Challenge: rfcChallenge}
	code := must.Get(s.GrantOAuth(consent))(t)
	return must.Get(s.ExchangeCode(CodeExchange{Code: code, ClientID: consent.ClientID, RedirectURI: consent.RedirectURI,
		Verifier: rfcVerifier, Resource: consent.Resource}))(t)
}

// Grants and registered applications survive a kill and a reset. Storage has only hashes
// of tokens, and a snapshot nothing at all.
func TestGrantsAreKept(t *testing.T) {
	t.Parallel()
	m := newMemory()
	s := open(t, Options{Storage: m})
	client := must.Get(s.RegisterClient("Agent", []string{"http://127.0.0.1/cb"}))(t)
	made := connect(t, s)
	s.Reset()
	again := reopen(t, m, Options{})
	if _, valid := again.TokenAudience(made.Access); !valid {
		t.Error("after a kill and a reset: got an invalid token, want a valid one")
	}
	if kept, ok := again.RegisteredClient(client.ID); !ok || kept.Name != "Agent" || len(kept.RedirectURIs) != 1 {
		t.Errorf("the registered application: got %+v, want it kept", kept)
	}
	moment := must.Get(again.moment())(t)
	texts := map[string][]byte{"the snapshot": moment.records}
	for key, text := range m.entries {
		texts[key] = text
	}
	for where, text := range texts {
		for _, secret := range []string{made.Access, made.Refresh} {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s has a token", where)
			}
		}
	}
	for _, id := range []string{client.ID, again.Applications()[0].ID} {
		if strings.Contains(string(moment.records), id) {
			t.Errorf("the snapshot has %s", id)
		}
	}
}

// Each lifetime ends by the fake's clock. A grant in use does not end.
func TestLifetimesOfGrants(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	made := connect(t, s)
	if made.ExpiresIn != time.Hour {
		t.Errorf("ExpiresIn: got %s, want 1h", made.ExpiresIn)
	}
	s.Advance(time.Hour)
	if _, valid := s.TokenAudience(made.Access); valid {
		t.Error("the access token is valid after an hour")
	}
	for range 3 {
		s.Advance(refreshTime - 2*time.Hour)
		var err error
		if made, err = s.RefreshOAuth(made.Refresh, "client-a", "http://fake/mcp"); err != nil {
			t.Fatalf("refresh: %v", err)
		}
	}
	s.Advance(refreshTime)
	if _, err := s.RefreshOAuth(made.Refresh, "client-a", "http://fake/mcp"); !errors.Is(err, ErrInvalidGrant) {
		t.Errorf("a refresh after %s: got %v, want %v", refreshTime, err, ErrInvalidGrant)
	}
	if got := s.Applications(); len(got) != 0 {
		t.Errorf("the connected applications: got %v, want none", got)
	}
}

// On a fast clock an application waits a shorter time for its access token to end, and its
// code lives long enough for a browser.
func TestLifetimesOnAFastClock(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Speed: 3600})
	made := connect(t, s)
	if made.ExpiresIn != tokenRealTime {
		t.Errorf("ExpiresIn: got %s, want %s", made.ExpiresIn, tokenRealTime)
	}
	before := s.Now()
	must.Get(s.GrantOAuth(OAuthConsent{ClientID: "client-a"}))(t)
	ends := time.Time{}
	s.store.read(0, func(st *state) { ends = st.Grants[1].Ends })
	if got, want := ends.Sub(before), 3600*codeRealTime; got < want {
		t.Errorf("the lifetime of the code: got %s, want %s or more", got, want)
	}
}

// The number of registered applications and of grants is limited. The newest ones stay,
// and those with a grant.
func TestGrantsAreLimited(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	connected := must.Get(s.RegisterClient("connected", nil))(t)
	for range clientsKept + 1 {
		must.Get(s.GrantOAuth(OAuthConsent{ClientID: connected.ID}))(t)
		must.Get(s.RegisterClient("idle", nil))(t)
	}
	if _, ok := s.RegisteredClient(connected.ID); !ok {
		t.Error("the application with a grant is gone")
	}
	clients := 0
	s.store.read(0, func(st *state) { clients = len(st.Clients) })
	if got := len(s.Applications()); got != grantsKept || clients != clientsKept {
		t.Errorf("got %d grants and %d applications, want %d and %d", got, clients, grantsKept, clientsKept)
	}
}
