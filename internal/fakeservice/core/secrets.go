package core

import (
	"maps"
	"slices"

	"github.com/golang-jwt/jwt/v5"
)

// secrets has the credentials of one instance. The anon key and the service key are
// tokens, as in other open auth servers.
type secrets struct {
	Credentials
	CA Authority
}

func newSecrets(instanceID string) secrets {
	s := secrets{CA: newAuthority("Box CA of " + instanceID)}
	for _, engine := range []string{EnginePostgres, EngineRedis, EngineCouchDB, EngineNATS, EngineAuth} {
		s.renew(engine)
	}
	return s
}

// renew replaces all credentials of an engine, as for an engine that never ran.
func (s *secrets) renew(engine string) {
	switch engine {
	case EnginePostgres:
		s.PostgresOwner, s.PostgresReadOnly = newSecret(), newSecret()
	case EngineRedis:
		s.Redis = newSecret()
	case EngineCouchDB:
		s.CouchDB = newSecret()
	case EngineNATS:
		s.NATS = newSecret()
	case EngineAuth:
		s.AuthSigningKey = newSecret()
		s.AuthAnonKey = signToken(s.AuthSigningKey, "anon")
		s.AuthServiceKey = signToken(s.AuthSigningKey, "service_role")
	}
}

// rotate changes every password and the auth service key. It keeps the anon key, because
// that is built into pages that browsers already have.
func (s *secrets) rotate() {
	for _, engine := range []string{EnginePostgres, EngineRedis, EngineCouchDB, EngineNATS} {
		s.renew(engine)
	}
	s.AuthServiceKey = signToken(s.AuthSigningKey, "service_role")
}

// signToken makes a JSON Web Token for a role. Each token has a different id.
func signToken(key, role string) string {
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"iss": "hosting", "role": role, "jti": randomText(16)})
	signed, err := token.SignedString([]byte(key))
	if err != nil {
		panic("core: " + err.Error()) // text claims always encode
	}
	return signed
}

// IsHashedSecret reports whether a text is a secret of the account that is only stored as a
// hash: an API key, or the code, an access token or the refresh token of an application.
func (s *Service) IsHashedSecret(text string) bool {
	found := s.Authenticate(text)
	s.store.read(0, func(st *state) {
		of := func(sum func(*grant) []byte) bool { return st.grantWith(text, sum) != nil }
		found = found || st.grantOfAccess(text) != nil || of(func(g *grant) []byte { return g.RefreshSum }) || of(func(g *grant) []byte { return g.CodeSum })
	})
	return found
}

// Secrets returns the secrets in the records: the credentials of the fake itself, those of
// instances, the variables of apps, and the signing secrets of webhook endpoints.
func (s *Service) Secrets() []string {
	return inspect(s, func(st *state) (list []string) {
		list = slices.Collect(maps.Values(st.Credentials))
		for _, in := range st.Instances {
			for _, c := range []Credentials{in.Secrets.Credentials, st.desiredMachine(in).Credentials} {
				list = append(list, c.PostgresOwner, c.PostgresReadOnly, c.Redis, c.CouchDB, c.NATS, c.AuthSigningKey, c.AuthServiceKey)
			}
			for _, a := range in.Apps {
				list = slices.AppendSeq(list, maps.Values(a.Env))
			}
		}
		for _, w := range st.Webhooks {
			list = append(list, w.Secret)
		}
		return list
	})
}
