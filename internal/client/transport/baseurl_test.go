package transport

import (
	"strings"
	"testing"
)

func TestBaseURL(t *testing.T) {
	for raw, ok := range map[string]bool{
		"https://hosting.example/api/v1":          true,
		"https://hosting.example/api/v1/":         true,
		"https://hosting.example/behind/api/v1":   true,
		"http://127.0.0.1:8080/api/v1":            true,
		"http://localhost/api/v1":                 true,
		"http://[::1]:80/api/v1":                  true,
		"https://hosting.example":                 false,
		"https://hosting.example/api":             false,
		"https://hosting.example/api/v2":          false,
		"https://hosting.example/api/v1/x":        false,
		"https://hosting.example/myapi/v1":        false,
		"https://hosting.example/api/v1?":         false,
		"https://hosting.example/api/v1#":         false,
		"http://hosting.example/api/v1":           false,
		"http://127.0.0.1.example/api/v1":         false,
		"http://10.0.0.1/api/v1":                  false,
		"ftp://hosting.example/api/v1":            false,
		"hosting.example/api/v1":                  false,
		"https://u:p@hosting.example/api/v1":      false,
		"https://hosting.example/api/v1?x=1":      false,
		"https://hosting.example/api/v1#fragment": false,
		"":                false,
		"https://":        false,
		"https:///api/v1": false,
		"://":             false,
	} {
		_, err := ParseBaseURL(raw)
		if (err == nil) != ok {
			t.Errorf("ParseBaseURL(%q): got error %v, want success: %t", raw, err, ok)
		}
		if err != nil && strings.Contains(err.Error(), "u:p") {
			t.Errorf("the error: got %v, want one without the password", err)
		}
	}
}

func TestAPIKey(t *testing.T) {
	for key, ok := range map[string]bool{
		"canary-1~!": true,
		"":           false,
		"canary\n":   false,
		"canary\r\n": false,
		" canary":    false,
		"can ary":    false,
		"can\tary":   false,
		"canäry":     false,
	} {
		err := CheckAPIKey(key)
		if (err == nil) != ok {
			t.Errorf("CheckAPIKey(%q): got error %v, want success: %t", key, err, ok)
		}
		if err != nil && strings.Contains(err.Error(), "can") && strings.Contains(err.Error(), "ary") {
			t.Errorf("the error: got %v, want one without the key", err)
		}
	}
}

// The key must not go to a proxy unencrypted.
func TestLocalhostInAnySpelling(t *testing.T) {
	u, err := ParseBaseURL("http://LocalHost:8080/api/v1")
	if err != nil || u.Host != "localhost:8080" {
		t.Errorf("got %v, %v, want the host localhost:8080", u, err)
	}
}
