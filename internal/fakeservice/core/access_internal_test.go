package core

import (
	"fmt"
	"testing"
)

func TestOpensToAll(t *testing.T) {
	t.Parallel()
	var everything, small []string
	for n := range 256 {
		everything = append(everything, fmt.Sprintf("%d.0.0.0/8", n))
		small = append(small, fmt.Sprintf("10.0.%d.0/24", n), "10.0.0.0/8", fmt.Sprintf("2001:db8:%x::/48", n))
	}
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
		{everything, true},
		{[]string{"10.0.0.0/8", "12.0.0.0/9", "14.0.0.0/9"}, true},
		{[]string{"2001::/16", "2002::/16"}, true},
		{[]string{"10.0.0.0/8", "2001::/16"}, false},
		{[]string{"10.0.0.0/8", "10.0.0.0/9", "10.0.0.0/8", "10.9.8.7/8"}, false},
		{small, false},
		{[]string{"203.0.113.0/24", "2001:db8::1"}, false},
		{[]string{"0.0.0.0", "::"}, false},
		{[]string{"everybody/0"}, false},
	} {
		if got := OpensToAll(row.list); got != row.want {
			t.Errorf("OpensToAll(%v): got %v, want %v", row.list, got, row.want)
		}
	}
}
