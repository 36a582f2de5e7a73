package serving

import "testing"

func TestAllBut(t *testing.T) {
	for list, want := range map[string]Optimizations{
		"":                        All,
		"coalescing":              {Logs: true, Contexts: true, Shortcuts: true},
		"logs":                    {Contexts: true, Shortcuts: true, Coalescing: true},
		"contexts,coalescing":     {Logs: true, Shortcuts: true},
		"logs,contexts,shortcuts": {Coalescing: true},
	} {
		if got := AllBut(list); got != want {
			t.Errorf("all but %q are %+v", list, got)
		}
	}
}
