package core

import (
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A key is shown once and stored as a hash. A revoked key is refused immediately and
// stays revoked.
func TestKeys(t *testing.T) {
	t.Parallel()
	m := newMemory()
	s := open(t, Options{Storage: m})
	first := s.FirstKey("")
	made := must.Get(s.CreateKey(" deploys "))(t)
	if !s.Authenticate(first) || !s.Authenticate(made.Key) || s.Authenticate("") || s.Authenticate(made.Key+"x") {
		t.Error("other keys than those that were made are valid")
	}
	for key, text := range m.entries {
		if strings.Contains(string(text), made.Key) {
			t.Errorf("the stored entry %s contains the key", key)
		}
	}
	if keys := s.Keys(); len(keys) != 2 || keys[1].Name != "deploys" || !strings.HasPrefix(made.Key, keys[1].Beginning) {
		t.Errorf("the keys: got %+v, want 2, the second called deploys with the beginning of its key", keys)
	}
	if err := s.RevokeKey(made.ID); err != nil || s.Authenticate(made.Key) {
		t.Errorf("RevokeKey: got error %v, want none and a key that is not valid", err)
	}
	if err := s.RevokeKey(made.ID); ProblemOf(err).Code != NotFound {
		t.Errorf("a second revocation: got error %v, want %s", err, NotFound)
	}
	for _, name := range []string{"", " ", strings.Repeat("n", 101)} {
		if _, err := s.CreateKey(name); ProblemOf(err).Code != ValidationError {
			t.Errorf("a key called %q: got error %v, want %s", name, err, ValidationError)
		}
	}
	events := s.Events()
	if len(events) != 2 || events[0].Type != "api_key_created" || events[1].Type != "api_key_revoked" || events[0].Data["key_id"] != made.ID {
		t.Errorf("the events: got %+v, want api_key_created and api_key_revoked of the key %s", events, made.ID)
	}

	must.Do(t, s.RevokeKey(s.Keys()[0].ID))
	s.Reset()
	if s.Authenticate(first) {
		t.Error("after a reset the revoked key is valid")
	}
	again := reopen(t, m, Options{})
	if next := again.FirstKey(""); next == first || again.Authenticate(first) || !again.Authenticate(next) {
		t.Error("a revoked first key is there again")
	}
	if given := again.FirstKey(first); given != first || !again.Authenticate(first) {
		t.Error("a key that is given is not valid")
	}
}
