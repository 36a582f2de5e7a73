package core

import "testing"

func TestOpensToAll(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		list []string
		want bool
	}{
		{nil, true},
		{[]string{"0.0.0.0/0"}, true},
		{[]string{"203.0.113.9", "::/0"}, true},
		{[]string{"203.0.113.9/0"}, true},
		{[]string{"::ffff:0.0.0.0/96"}, true},
		{[]string{"0.0.0.0/1", "128.0.0.0/1"}, true},
		{[]string{"2000::/3"}, true},
		{[]string{"10.0.0.0/8", "2001::/16"}, false},
		{[]string{"203.0.113.0/24", "2001:db8::1"}, false},
		{[]string{"0.0.0.0", "::"}, false},
		{[]string{"everybody/0"}, false},
	} {
		if got := OpensToAll(row.list); got != row.want {
			t.Errorf("OpensToAll(%v): got %v, want %v", row.list, got, row.want)
		}
	}
}
