package client

import "strings"

// maskSigns are the signs that a service shows in place of a secret part of a value.
const maskSigns = "*•…"

// masks reports whether a shown value is a known one with hidden parts: the rest of it
// occurs in the known value, in this order, up to both ends.
func masks(shown, known string) bool {
	parts := strings.Split(strings.Map(func(r rune) rune {
		if strings.ContainsRune(maskSigns, r) {
			return '*'
		}
		return r
	}, shown), "*")
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 || len(known) < len(first)+len(last) || !strings.HasPrefix(known, first) || !strings.HasSuffix(known, last) {
		return false
	}
	rest := known[len(first) : len(known)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return true
}
