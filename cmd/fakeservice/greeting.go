package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
	"github.com/instance-hosting/terraform-provider-hosting/internal/terminal"
)

// greeting is what the fake prints when it starts.
type greeting struct {
	// root is the fake's address without a path.
	root            string
	speed           float64
	key, token      string
	email, password string
	// engines, forecast and keeping are paragraphs about what runs, the weather and what
	// remains.
	engines, forecast, keeping string
}

// announce prints the fake's addresses and how to configure a provider.
func announce(out io.Writer, root string, s settings, service *fakeservice.Service, engines string) {
	g := greeting{
		root: root, speed: s.speed, key: service.APIKey(), token: service.ControlToken(),
		email: emailOf(service), password: service.PortalPassword(),
		engines: engines, forecast: forecast(s), keeping: keeping(s),
	}
	_, _ = io.WriteString(out, g.text(terminal.StyleOf(out, os.Getenv)))
}

// text returns the greeting. Its first line contains the base URL, for programs that wait
// for it, and its last part is the next step. Lines fit 80 columns, except words that are
// longer.
func (g greeting) text(style terminal.Style) string {
	perInstance := time.Duration(float64(8*time.Minute) / g.speed).Round(100 * time.Millisecond)
	return fmt.Sprintf(`%s at %s

Its clock runs %g times as fast as yours: a new instance takes %s.

%s
%s
For people, the portal is at %s

  sign in as %s with the password %s

For agents, the same is at %s
as MCP tools, with the same API key or by OAuth.
For tests, the records are at

  curl -H 'Authorization: Bearer %s' \
    %s

%s in another terminal, in the folder of your configuration:

  %s
  %s
  %s

Ctrl-C stops the fake; %s
`,
		style.Strong("The fake service answers"), style.Address(g.root+"/api/v1"), g.speed, perInstance,
		terminal.Wrap(g.engines, terminal.Columns), g.forecast,
		style.Address(g.root+"/portal"), g.email, g.password, style.Address(g.root+"/mcp"), g.token, style.Address(g.root+"/_fake/state"),
		style.Strong("Next:"),
		style.Address("export HOSTING_BASE_URL="+g.root+"/api/v1"), style.Address("export HOSTING_API_KEY="+g.key), style.Address("terraform plan"),
		g.keeping)
}

// emailOf returns the account's e-mail address, which is its sign-in name.
func emailOf(service *fakeservice.Service) string {
	account, _ := service.Account(context.Background()) // a read of the current state does not fail
	return account.Email
}

// keeping says what remains when the fake stops.
func keeping(s settings) string {
	if s.state == "" {
		return "it keeps nothing."
	}
	return fmt.Sprintf("to continue, start it again with\n--state %q", s.state)
}

// forecast returns a paragraph that names the weather and the flags that repeat it. In fair
// weather it is empty.
func forecast(s settings) string {
	if s.weather == weather.Calm {
		return ""
	}
	return fmt.Sprintf("\nThe weather is a %s: requests go wrong by chance. To have the same again:\n--weather %s --seed %d\n", s.weather, s.weather, s.seed)
}
