package diagnostics

import (
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

func TestSentence(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"it failed":                "It failed.",
		"It failed.":               "It failed.",
		"memory_mb: 64 is too low": "memory_mb: 64 is too low.",
		"octo/web is not visible":  "octo/web is not visible.",
		"änderung abgelehnt":       "Änderung abgelehnt.",
		"éteint":                   "Éteint.",
		"ǆ is a letter":            "ǅ is a letter.",
		"実行できません":                  "実行できません.",
		"\xff is no letter":        "\ufffd is no letter.", // a diagnostic must be valid UTF-8
		"a \x1b[31mred\x1b[0m job": "A red job.",
		"see:\n\n  a log":          "see:\n\n  a log",
	} {
		if got := Sentence(text); got != want {
			t.Errorf("Sentence(%q) = %q, want %q", text, got, want)
		}
	}
}

// The advice for an answer of a gateway depends on what it says and what was asked for.
func TestAdviceForAnAnswerOfAGateway(t *testing.T) {
	const below = "/instances/i-1/apps/web"
	for name, row := range map[string]struct {
		err  error
		want string
	}{
		"a redirect": {&transport.APIError{Status: 301, RedirectsTo: "https://www.hosting.example"}, "It redirects to https://www.hosting.example: use that in base_url."},
		"a gateway without its origin, for something on an instance": {&transport.APIError{Status: 522, Path: below}, "terraform state rm ADDRESS"},
		"the same of an instance":                                    {&transport.APIError{Status: 522, Path: "/instances/i-1"}, "Check the base URL"},
		"a foreign 404":                                              {&transport.APIError{Status: 404, Path: below}, "Check the base URL"},
		"a field of another type":                                    {&transport.FieldError{Reason: "the field port is not a whole number"}, "Look for a newer version"},
		"an unreadable element":                                      {&client.PartialListError{}, "Look for a newer version"},
		"a list that shifts":                                         {&client.ShiftedListError{}, "Try again when nobody changes what it lists"},
		"a collection that is hidden":                                {&client.HiddenError{Err: &transport.APIError{Status: 404, Code: "not_found"}}, "The API key may not be allowed to read it"},
	} {
		if got := Explain(row.err); !strings.Contains(got, row.want) {
			t.Errorf("%s: got %q, want %q in it", name, got, row.want)
		}
	}
}
