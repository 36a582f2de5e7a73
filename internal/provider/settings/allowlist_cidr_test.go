package settings

import "testing"

func TestOpensTo(t *testing.T) {
	for _, c := range []struct {
		cidrs []string
		want  string
	}{
		{[]string{"203.0.113.0/24"}, ""},
		{[]string{"0.0.0.0/0"}, allIPv4Addresses},
		{[]string{"203.0.113.0/24", "::/0"}, allIPv6Addresses},
		{[]string{"::/0", "0.0.0.0/0"}, allAddresses},
		{[]string{"0.0.0.0", "::"}, ""},
		{[]string{"0.0.0.0/1", "128.0.0.0/1"}, allIPv4Addresses},
		{[]string{"0.0.0.0/0", "::/1", "8000::/1"}, allAddresses},
		{[]string{"0.0.0.0/1"}, ""},
		{[]string{"what is this"}, ""},
	} {
		if got := opensTo(c.cidrs); got != c.want {
			t.Errorf("opensTo(%q) = %q, want %q", c.cidrs, got, c.want)
		}
	}
}

func TestOpensMore(t *testing.T) {
	for _, c := range []struct {
		before, after string
		want          bool
	}{
		{"", "", false},
		{"", allIPv4Addresses, true},
		{allIPv4Addresses, allIPv4Addresses, false},
		{allIPv4Addresses, allIPv6Addresses, true},
		{allIPv4Addresses, allAddresses, true},
		{allAddresses, allIPv4Addresses, false},
		{allAddresses, "", false},
	} {
		if got := opensMore(c.before, c.after); got != c.want {
			t.Errorf("opensMore(%q, %q) = %v, want %v", c.before, c.after, got, c.want)
		}
	}
}
