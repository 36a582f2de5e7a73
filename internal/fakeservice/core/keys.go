package core

import (
	"crypto/sha256"
	"crypto/subtle"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Key is a stored API key. Its text is shown once, when the key is made. Only the hash of
// the text is stored.
type Key struct {
	ID, Name string
	Sum      []byte
	// Beginning is the beginning of the text, by which the owner can identify the key.
	Beginning string
	CreatedAt time.Time
}

// KeyRecord is an API key as the portal shows it.
type KeyRecord struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Beginning string    `json:"beginning"`
	CreatedAt time.Time `json:"created_at"`
}

// NewKey is a new API key. Its text is shown only here.
type NewKey struct {
	KeyRecord
	Key string `json:"key"`
}

func (k *Key) record() KeyRecord { return KeyRecord{k.ID, k.Name, k.Beginning, k.CreatedAt} }

// keyBeginning is the number of characters of a key that are stored and shown.
const keyBeginning = 4

func sumOf(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}

// Authenticate reports whether key is a valid API key.
func (s *Service) Authenticate(key string) bool {
	sum, valid := sumOf(key), false
	s.store.read(0, func(st *state) {
		for _, k := range st.Keys {
			valid = subtle.ConstantTimeCompare(k.Sum, sum) == 1 || valid
		}
	})
	return valid
}

// Keys lists the valid API keys, in order of creation.
func (s *Service) Keys() []KeyRecord {
	list := []KeyRecord{}
	s.store.read(0, func(st *state) {
		for _, k := range st.Keys {
			list = append(list, k.record())
		}
	})
	return list
}

// CreateKey makes an API key. Only the portal calls it: a key cannot make keys.
func (s *Service) CreateKey(name string) (NewKey, error) {
	return change(s, func(st *state) (NewKey, error) {
		name = strings.TrimSpace(name)
		if name == "" || utf8.RuneCountInString(name) > 100 {
			return NewKey{}, invalid("name", "it must have 1 to 100 characters")
		}
		text := newSecret()
		k := st.addKey(name, text)
		st.emit("api_key_created", "", map[string]any{"key_id": k.ID, "name": k.Name})
		return NewKey{k.record(), text}, nil
	})
}

func (st *state) addKey(name, text string) *Key {
	k := &Key{ID: newID("key"), Name: name, Sum: sumOf(text), Beginning: text[:min(keyBeginning, len(text)/2)], CreatedAt: st.Now}
	st.Keys = append(st.Keys, k)
	return k
}

// RevokeKey removes an API key, which is then no longer accepted.
func (s *Service) RevokeKey(id string) error {
	_, err := change(s, func(st *state) (struct{}, error) {
		at := slices.IndexFunc(st.Keys, func(k *Key) bool { return k.ID == id })
		if at < 0 {
			return struct{}{}, notFound("there is no API key %q", id)
		}
		revoked := st.Keys[at]
		st.Keys = slices.Delete(st.Keys, at, at+1)
		st.emit("api_key_revoked", "", map[string]any{"key_id": revoked.ID, "name": revoked.Name})
		return struct{}{}, nil
	})
	return err
}

// FirstKey returns the API key that the service starts with. This is given, if not empty.
// Otherwise it is the previous first key, or a new one if that was revoked.
func (s *Service) FirstKey(given string) string {
	const name = "api_key"
	text := given
	if text == "" {
		if text = s.Credential(name, ""); s.knowsKeys() && !s.Authenticate(text) {
			text = newSecret()
		}
	}
	text = s.Credential(name, text)
	if !s.Authenticate(text) {
		s.store.do(func(st *state) {
			st.addKey("the first one", text)
			st.KeysMade = true
		})
	}
	return text
}

// knowsKeys reports whether a first key was made before.
func (s *Service) knowsKeys() bool {
	known := false
	s.store.read(0, func(st *state) { known = st.KeysMade })
	return known
}
