package main

import (
	"flag"
	"fmt"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/appruntime"
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
				failure = fmt.Errorf("%s: invalid value %q: %w", variable(f.Name), appruntime.WithoutCredentials(value), err)
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
	if !isHost(name) {
		return fmt.Errorf("it must be a host name, without a scheme and a port")
	}
	*n = append(*n, strings.ToLower(name))
	return nil
}

// usage returns the text of --help.
func usage(flags *flag.FlagSet) string {
	var list strings.Builder
	flags.SetOutput(&list)
	flags.PrintDefaults()
	return fmt.Sprintf(`Usage:
  fakeservice [flags]                       until a signal
  fakeservice run [flags] -- COMMAND ...    while a command runs, with its status

Example:
  fakeservice run --speed 600 --data-plane off -- terraform test

The command gets HOSTING_BASE_URL and HOSTING_API_KEY. With a command, --listen is
a free port and --log-level is warn unless you set them.

Each flag but --version can also be set by an environment variable, such as
%s for --api-key.

%s`, variable("api-key"), strings.ReplaceAll("\n"+list.String(), "\n  -", "\n  --")[1:])
}
