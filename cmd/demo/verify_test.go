package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadGuestbook(t *testing.T) {
	t.Parallel()
	got, err := readGuestbook([]byte(`{"app_url": {"value": "http://a"}, "auth_url": {"value": "http://b/auth/v1"},
		"auth_anon_key": {"value": "k"}, "instance_id": {"value": "i-1"}, "allowed_cidrs": {"value": ["127.0.0.1/32"]}}`))
	want := guestbook{AppURL: "http://a", AuthURL: "http://b/auth/v1", AnonKey: "k", InstanceID: "i-1"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("readGuestbook: error %v (-want +got):\n%s", err, diff)
	}
	for _, text := range []string{`{}`, `[]`, `{"app_url": {"value": 3}}`} {
		if got, err := readGuestbook([]byte(text)); err == nil {
			t.Errorf("readGuestbook(%s): got %v, want an error", text, got)
		}
	}
}
