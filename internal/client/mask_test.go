package client

import "testing"

func TestMasks(t *testing.T) {
	const known = "https://in:secret@h.example/T0/B0"
	for shown, want := range map[string]bool{
		known:                             false, // nothing is hidden
		"":                                false,
		"***":                             true,
		"https://in:***@h.example/T0/B0":  true,
		"https://in:•••@h.example/T0/…":   true,
		"https://in:s*t@h.example/T0/B0":  true,
		"https://in:***@h.example/T0/B1":  false,
		"https://***@other.example/T0/B0": false,
		"http://in:***@h.example/T0/B0":   false,
		"https://in:***h.example***E0/B0": false,
		"https://in:secret@h.example/T0/B0*secret@h.example/T0/B0": false,
	} {
		if got := masks(shown, known); got != want {
			t.Errorf("masks(%q, %q) = %t, want %t", shown, known, got, want)
		}
	}
}
