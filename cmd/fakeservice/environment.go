package main

import (
	"flag"
	"fmt"
	"strings"
)

// variable returns the environment variable of a flag, such as FAKESERVICE_API_KEY.
func variable(name string) string {
	return "FAKESERVICE_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// fromEnvironment sets the flags that the command line has not set from their environment
// variables, except --version, which only prints: FAKESERVICE_VERSION may be somebody's note
// of a version. An empty variable counts as missing. The values of a flag that may be
// repeated are separated by commas.
func fromEnvironment(flags *flag.FlagSet, lookup func(string) string) error {
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var failure error
	flags.VisitAll(func(f *flag.Flag) {
		text := lookup(variable(f.Name))
		if text == "" || f.Name == "version" || given[f.Name] || failure != nil {
			return
		}
		values := []string{text}
		switch f.Value.(type) {
		case *names, repositories:
			values = strings.Split(text, ",")
		}
		for _, value := range values {
			if err := f.Value.Set(value); err != nil {
				failure = fmt.Errorf("%s: %w", variable(f.Name), err)
			}
		}
	})
	return failure
}

// names collects the values of a flag that may be repeated.
type names []string

func (n *names) String() string { return strings.Join(*n, ", ") }

// Set adds a name.
func (n *names) Set(name string) error {
	*n = append(*n, strings.ToLower(name))
	return nil
}
