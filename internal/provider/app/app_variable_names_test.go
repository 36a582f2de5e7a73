package app

import "testing"

func TestNamesOfVariables(t *testing.T) {
	for name, row := range map[string]struct{ service, shell bool }{
		"PORT":           {true, true},
		"DATABASE_URL":   {true, true},
		"REPORT_PORT":    {false, true},
		"port":           {false, true},
		"_A1":            {false, true},
		"NEXT_PUBLIC_A":  {false, true},
		"MY-VAR":         {false, false},
		"1A":             {false, false},
		"A.B":            {false, false},
		"":               {false, false},
		"A\nB":           {false, false},
		"DATABASE_URL_2": {false, true},
	} {
		if service, shell := isOfService(name), shellName.MatchString(name); service != row.service || shell != row.shell {
			t.Errorf("%q: got of the service %t and of a shell %t, want %t and %t", name, service, shell, row.service, row.shell)
		}
	}
}
