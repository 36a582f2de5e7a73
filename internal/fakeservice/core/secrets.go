package core

import "github.com/golang-jwt/jwt/v5"

// secrets are the credentials of one instance. The anon key and the service key are
// tokens, as with other open auth servers.
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

// renew makes an engine's credentials anew, as for one that never ran.
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

// rotate changes every password and the auth service key. The anon key stays,
// as it is built into pages that browsers already have.
func (s *secrets) rotate() {
	for _, engine := range []string{EnginePostgres, EngineRedis, EngineCouchDB, EngineNATS} {
		s.renew(engine)
	}
	s.AuthServiceKey = signToken(s.AuthSigningKey, "service_role")
}

// signToken makes a JSON Web Token for a role. Its id makes each one differ.
func signToken(key, role string) string {
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"iss": "hosting", "role": role, "jti": randomText(16)})
	signed, err := token.SignedString([]byte(key))
	if err != nil {
		panic("core: " + err.Error()) // claims that are text always encode
	}
	return signed
}
