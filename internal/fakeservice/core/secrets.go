package core

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
)

// secrets are the credentials of one instance.
type secrets struct {
	owner, readonly      string
	redis, couchdb, nats string
	// signing is the auth engine's key for tokens. The anon key and the service
	// key are tokens too, as with other open auth servers.
	signing             string
	anonKey, serviceKey string
	// ca is shared by all copies, as it is made when one of them is read.
	ca *lazyAuthority
}

// lazyAuthority is a CA that is made when it is first asked for.
type lazyAuthority struct{ made *Authority }

func newSecrets() secrets {
	s := secrets{ca: &lazyAuthority{}}
	for _, engine := range []string{EnginePostgres, EngineRedis, EngineCouchDB, EngineNATS, EngineAuth} {
		s.renew(engine)
	}
	return s
}

// renew makes an engine's credentials anew, as for one that never ran.
func (s *secrets) renew(engine string) {
	switch engine {
	case EnginePostgres:
		s.owner, s.readonly = newSecret(), newSecret()
	case EngineRedis:
		s.redis = newSecret()
	case EngineCouchDB:
		s.couchdb = newSecret()
	case EngineNATS:
		s.nats = newSecret()
	case EngineAuth:
		s.signing = newSecret()
		s.anonKey = signToken(s.signing, "anon")
		s.serviceKey = signToken(s.signing, "service_role")
	}
}

// rotate changes every password and the auth service key. The anon key stays,
// as it is built into pages that browsers already have.
func (s *secrets) rotate() {
	for _, engine := range []string{EnginePostgres, EngineRedis, EngineCouchDB, EngineNATS} {
		s.renew(engine)
	}
	s.serviceKey = signToken(s.signing, "service_role")
}

// signToken makes a JSON Web Token for a role. Its id makes each one differ.
func signToken(key, role string) string {
	encode := func(part any) string {
		text, _ := json.Marshal(part) // maps of strings always encode
		return base64.RawURLEncoding.EncodeToString(text)
	}
	text := encode(map[string]string{"alg": "HS256", "typ": "JWT"}) + "." +
		encode(map[string]string{"iss": "hosting", "role": role, "jti": randomText(16)})
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// credentials are the secrets that real engines need.
func (s *secrets) credentials() Credentials {
	return Credentials{
		PostgresOwner: s.owner, PostgresReadOnly: s.readonly, Redis: s.redis, CouchDB: s.couchdb, NATS: s.nats,
		AuthSigningKey: s.signing, AuthAnonKey: s.anonKey, AuthServiceKey: s.serviceKey,
	}
}

// authority makes the CA when it is first asked for, since most instances of a
// test never are.
func (s *secrets) authority(instanceID string) (*Authority, error) {
	if s.ca.made != nil {
		return s.ca.made, nil
	}
	ca, err := newAuthority("Box CA of " + instanceID)
	s.ca.made = ca
	return ca, err
}
