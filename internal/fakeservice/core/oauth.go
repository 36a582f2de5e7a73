package core

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"regexp"
	"slices"
	"time"
)

// The lifetimes of what an application gets, by the fake's clock. A grant whose refresh
// token is not used for refreshTime ends.
const (
	codeTime    = 10 * time.Minute
	accessTime  = time.Hour
	refreshTime = 30 * 24 * time.Hour
)

// The minimum lifetimes in real time, however fast the fake's clock is: of a code, which a
// browser carries, and of a token.
const (
	codeRealTime  = 30 * time.Second
	tokenRealTime = 5 * time.Second
)

// lifetime returns a lifetime by the fake's clock that is at least a real time.
func lifetime(usual, least time.Duration, speed float64) time.Duration {
	return max(usual, time.Duration(float64(least)*speed))
}

// The number of grants that are kept, of access tokens of each, and of registered
// applications. Anybody can register an application, so the oldest ones without a grant
// are dropped.
const (
	grantsKept  = 100
	accessKept  = 20
	clientsKept = 100
)

// Refusals of the authorization server. Nothing else is said about the reason, as an
// attacker would learn from it.
var (
	ErrInvalidGrant  = errors.New("the code or the token is not valid for this client")
	ErrInvalidTarget = errors.New("the code or the token is for another resource")
)

// OAuthClient is an application that has registered itself (RFC 7591).
type OAuthClient struct {
	ID, Name     string
	RedirectURIs []string
	CreatedAt    time.Time
}

// grant is the account's consent to an application, with the tokens that came of it: the
// family of a code. Only hashes of the code and the tokens are stored.
type grant struct {
	ID, ClientID, ClientName string
	// Resource is the audience of the tokens.
	Resource string
	// CodeSum, Challenge and RedirectURI are those of the code. The sum stays after the
	// exchange, so that a second use is noticed.
	CodeSum                []byte
	Challenge, RedirectURI string
	Exchanged              bool
	// FamilySum is of the first half of every refresh token, and RefreshSum of the newest
	// one. A refresh token with only the first half right was used before.
	FamilySum, RefreshSum []byte
	// Access has the access tokens, the oldest first. A refresh does not end the earlier
	// ones, because requests with them may be on their way.
	Access                []accessToken
	CreatedAt, LastUsedAt time.Time
	// Ends is the end of the grant unless it is used: the end of its code, and then of
	// its refresh token.
	Ends time.Time
}

// accessToken is a stored access token.
type accessToken struct {
	Sum  []byte
	Ends time.Time
}

// OAuthConsent is what an account consents to: tokens for a resource, which a code brings
// to an application.
type OAuthConsent struct {
	ClientID, ClientName, Resource string
	// RedirectURI is where the code goes, and Challenge that of PKCE with S256.
	RedirectURI, Challenge string
}

// CodeExchange is an application's request for the tokens of a code.
type CodeExchange struct {
	Code, ClientID, RedirectURI, Verifier, Resource string
}

// OAuthTokens are the texts of new tokens, which are shown only here.
type OAuthTokens struct {
	Access, Refresh string
	// ExpiresIn is the lifetime of the access token in real time, by which the
	// application waits.
	ExpiresIn time.Duration
}

// ApplicationRecord is a connected application as the portal shows it. LastUsedAt is zero
// if it has not used its access.
type ApplicationRecord struct {
	ID, Name, ClientID    string
	CreatedAt, LastUsedAt time.Time
}

// RegisterClient registers an application.
func (s *Service) RegisterClient(name string, redirectURIs []string) (OAuthClient, error) {
	return change(s, func(st *state) (OAuthClient, error) {
		if len(st.Clients) >= clientsKept {
			st.Grants = slices.DeleteFunc(st.Grants, func(g *grant) bool { return !st.lives(g) })
			idle := slices.IndexFunc(st.Clients, func(c *OAuthClient) bool {
				return !slices.ContainsFunc(st.Grants, func(g *grant) bool { return g.ClientID == c.ID })
			})
			if idle < 0 {
				return OAuthClient{}, Refuse(Unavailable, "there are too many connected applications")
			}
			st.Clients = slices.Delete(st.Clients, idle, idle+1)
		}
		c := &OAuthClient{ID: newID("client"), Name: name, RedirectURIs: slices.Clone(redirectURIs), CreatedAt: st.Now}
		st.Clients = append(st.Clients, c)
		return c.clone(), nil
	})
}

func (c *OAuthClient) clone() OAuthClient {
	copied := *c
	copied.RedirectURIs = slices.Clone(c.RedirectURIs)
	return copied
}

// RegisteredClient returns a registered application.
func (s *Service) RegisteredClient(id string) (found OAuthClient, ok bool) {
	s.store.read(0, func(st *state) {
		for _, c := range st.Clients {
			if c.ID == id {
				found, ok = c.clone(), true
			}
		}
	})
	return found, ok
}

// GrantOAuth records the account's consent and returns the code for the application.
func (s *Service) GrantOAuth(consent OAuthConsent) (code string, err error) {
	return change(s, func(st *state) (string, error) {
		st.Grants = slices.DeleteFunc(st.Grants, func(g *grant) bool { return !st.lives(g) })
		for len(st.Grants) >= grantsKept {
			st.disconnect(st.Grants[0])
		}
		code := newSecret()
		g := &grant{
			ID: newID("grant"), ClientID: consent.ClientID, ClientName: consent.ClientName, Resource: consent.Resource,
			CodeSum: sumOf(code), Challenge: consent.Challenge, RedirectURI: consent.RedirectURI,
			CreatedAt: st.Now, Ends: st.Now.Add(lifetime(codeTime, codeRealTime, s.clock.speed)),
		}
		st.Grants = append(st.Grants, g)
		st.emit("oauth_granted", "", g.data())
		return code, nil
	})
}

// data is the data of the events of a grant.
func (g *grant) data() map[string]any {
	return map[string]any{"grant_id": g.ID, "client_id": g.ClientID, "client_name": g.ClientName}
}

// lives reports whether a grant has not ended by itself.
func (st *state) lives(g *grant) bool { return st.Now.Before(g.Ends) }

// disconnect ends a grant with all its tokens.
func (st *state) disconnect(g *grant) {
	at := slices.Index(st.Grants, g)
	st.Grants = slices.Delete(st.Grants, at, at+1)
	st.emit("oauth_disconnected", "", g.data())
}

// grantWith returns the grant of a code or a token, by the sum that of returns, or nil.
func (st *state) grantWith(text string, of func(*grant) []byte) (found *grant) {
	sum := sumOf(text)
	for _, g := range st.Grants {
		if subtle.ConstantTimeCompare(of(g), sum) == 1 && st.lives(g) {
			found = g
		}
	}
	return found
}

// ExchangeCode returns the first tokens of a code. Every attempt uses up the code: a
// refused one ends the grant, with the tokens that an earlier attempt got.
func (s *Service) ExchangeCode(x CodeExchange) (OAuthTokens, error) {
	return change(s, func(st *state) (OAuthTokens, error) {
		g := st.grantWith(x.Code, func(g *grant) []byte { return g.CodeSum })
		if g == nil {
			return OAuthTokens{}, ErrInvalidGrant
		}
		if g.Exchanged || g.ClientID != x.ClientID || g.RedirectURI != x.RedirectURI || !provesChallenge(x.Verifier, g.Challenge) {
			st.disconnect(g)
			return OAuthTokens{}, ErrInvalidGrant
		}
		if g.Resource != x.Resource {
			st.disconnect(g)
			return OAuthTokens{}, ErrInvalidTarget
		}
		g.Exchanged = true
		family := newSecret()
		g.FamilySum = sumOf(family)
		return st.issue(g, family, s.clock.speed), nil
	})
}

// RefreshOAuth returns new tokens for the newest refresh token of a grant. A refresh token that was used before ends
// the grant: one of its two users is not the application.
func (s *Service) RefreshOAuth(refresh, clientID, resource string) (OAuthTokens, error) {
	return change(s, func(st *state) (OAuthTokens, error) {
		family := familyOf(refresh)
		g := st.grantWith(family, func(g *grant) []byte { return g.FamilySum })
		switch {
		case g == nil || g.ClientID != clientID:
			return OAuthTokens{}, ErrInvalidGrant
		case g.Resource != resource:
			return OAuthTokens{}, ErrInvalidTarget
		case subtle.ConstantTimeCompare(g.RefreshSum, sumOf(refresh)) != 1:
			st.disconnect(g)
			return OAuthTokens{}, ErrInvalidGrant
		}
		return st.issue(g, family, s.clock.speed), nil
	})
}

// familyOf returns the first half of a refresh token, which all of a grant share.
func familyOf(refresh string) string { return refresh[:len(refresh)/2] }

// issue makes a new access token, and the refresh token that replaces the earlier one.
func (st *state) issue(g *grant, family string, speed float64) OAuthTokens {
	t := OAuthTokens{Access: newSecret(), Refresh: family + newSecret(), ExpiresIn: time.Duration(float64(lifetime(accessTime, tokenRealTime, speed)) / speed)}
	if len(g.Access) == accessKept {
		g.Access = slices.Delete(g.Access, 0, 1)
	}
	g.Access = append(g.Access, accessToken{sumOf(t.Access), st.Now.Add(lifetime(accessTime, tokenRealTime, speed))})
	g.RefreshSum, g.Ends = sumOf(t.Refresh), st.Now.Add(lifetime(refreshTime, tokenRealTime, speed))
	return t
}

// grantOfAccess returns the grant of a valid access token, or nil.
func (st *state) grantOfAccess(text string) *grant {
	return st.grantWith(text, func(g *grant) []byte {
		for _, a := range g.Access {
			if st.Now.Before(a.Ends) && subtle.ConstantTimeCompare(a.Sum, sumOf(text)) == 1 {
				return a.Sum
			}
		}
		return nil
	})
}

// lastUsedStep is the precision of the time at which an application last used its access.
// Each change of it is stored.
const lastUsedStep = time.Minute

// TokenAudience returns the resource that an access token is for, if the token is valid.
func (s *Service) TokenAudience(access string) (resource string, valid bool) {
	stale := false
	s.store.read(0, func(st *state) {
		if g := st.grantOfAccess(access); g != nil {
			resource, valid = g.Resource, true
			stale = st.Now.Sub(g.LastUsedAt) >= lastUsedStep
		}
	})
	if stale {
		s.store.do(func(st *state) {
			if g := st.grantOfAccess(access); g != nil {
				g.LastUsedAt = st.Now
			}
		})
	}
	return resource, valid
}

// RevokeOAuth ends the grant of an access or refresh token of an application. An
// unknown token is accepted, because it is not valid either way (RFC 7009).
func (s *Service) RevokeOAuth(token, clientID string) error {
	_, err := change(s, func(st *state) (struct{}, error) {
		g := st.grantOfAccess(token)
		if g == nil {
			g = st.grantWith(token, func(g *grant) []byte { return g.RefreshSum })
		}
		switch {
		case g == nil:
			return struct{}{}, nil
		case g.ClientID != clientID:
			return struct{}{}, ErrInvalidGrant
		}
		st.disconnect(g)
		return struct{}{}, nil
	})
	return err
}

// Applications lists the connected applications, in order of consent.
func (s *Service) Applications() []ApplicationRecord {
	list := []ApplicationRecord{}
	s.store.read(0, func(st *state) {
		for _, g := range st.Grants {
			if st.lives(g) {
				list = append(list, ApplicationRecord{g.ID, g.ClientName, g.ClientID, g.CreatedAt, g.LastUsedAt})
			}
		}
	})
	return list
}

// Disconnect ends the access of a connected application.
func (s *Service) Disconnect(id string) error {
	_, err := change(s, func(st *state) (struct{}, error) {
		at := slices.IndexFunc(st.Grants, func(g *grant) bool { return g.ID == id && st.lives(g) })
		if at < 0 {
			return struct{}{}, notFound("there is no connected application %q", id)
		}
		st.disconnect(st.Grants[at])
		return struct{}{}, nil
	})
	return err
}

// verifier matches the code verifiers of PKCE (RFC 7636).
var verifier = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

// provesChallenge reports whether a verifier is that of a challenge with S256.
func provesChallenge(text, challenge string) bool {
	if !verifier.MatchString(text) {
		return false
	}
	sum := sha256.Sum256([]byte(text))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}
