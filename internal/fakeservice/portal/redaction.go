package portal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// hiddenText replaces a secret.
const hiddenText = "(hidden)"

// shortestSecret is the length of the shortest known secret that is hidden anywhere. Shorter
// ones, such as an app's variable with the value 1, are only hidden by their field's name.
const shortestSecret = 6

// secretPatterns match secrets by their form. In the replacement, ${1} is the
// part that stays.
var secretPatterns = []struct {
	form     *regexp.Regexp
	replaced string
}{
	{regexp.MustCompile(`(://)[^\s"'<>]*@`), "${1}" + hiddenText + "@"},                                                   // credentials in a URL
	{regexp.MustCompile(`(?i)((?:^|[?&;\s])[\w-]*(?:password|secret|token|key|verifier)=)[^&\s"]+`), "${1}" + hiddenText}, // a parameter
	{regexp.MustCompile(`(?is)(password\s+)(?:e?'(?:[^']|'')*(?:'|$)|\$\w*\$.*?\$\w*\$)`), "${1}" + hiddenText},           // in SQL
	{regexp.MustCompile(`\beyJ[\w-]+\.[\w-]+\.[\w-]*`), hiddenText},                                                       // a JSON Web Token
	{regexp.MustCompile(`(?i)(bearer\s+)[^\s"]+`), "${1}" + hiddenText},                                                   // a token
	{regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`), hiddenText},   // a key
}

// secretName matches the names of fields with a secret. secretMaps has the names of objects
// with a secret as each value.
var (
	secretName = regexp.MustCompile(`(?i)secret|passw|token|verifier|credential|authorization|(^|_)key$`)
	secretMaps = []string{"env", "secret_env"}
)

// word matches what may be a secret that is only stored as a hash.
var word = regexp.MustCompile(`\b[A-Za-z0-9_-]{16,}`)

// redaction hides the secrets in the log of requests.
type redaction struct {
	known    *strings.Replacer
	isHashed func(string) bool
}

func (p *Portal) redaction() redaction {
	secrets := slices.DeleteFunc(p.Service.Secrets(), func(s string) bool { return len(s) < shortestSecret })
	secrets = append(secrets, p.Scenario.Token)
	// The longest first, in case one is the beginning of another.
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, s := range secrets {
		for _, form := range []string{s, url.QueryEscape(s), url.PathEscape(s)} {
			pairs = append(pairs, form, hiddenText)
		}
	}
	return redaction{strings.NewReplacer(pairs...), p.Service.IsHashedSecret}
}

// text hides secrets in a text, by their values and their forms.
func (r redaction) text(text string) string {
	text = r.known.Replace(text)
	for _, p := range secretPatterns {
		text = p.form.ReplaceAllString(text, p.replaced)
	}
	return word.ReplaceAllStringFunc(text, func(w string) string {
		if r.isHashed(w) {
			return hiddenText
		}
		return w
	})
}

// body returns a body with its secrets hidden, in JSON also by the names of their fields. A
// body that is not JSON is only shown if it is an answer, such as a gateway's page, and not
// half a JSON text, because secrets in it cannot be found.
func (r redaction) body(body []byte, isAnswer bool) (string, error) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 || isAnswer && !strings.ContainsRune(`{["`, rune(body[0])) {
		return r.text(string(body)), nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil || !errors.Is(decoder.Decode(new(any)), io.EOF) {
		return "", errors.New("it is not valid JSON, so secrets in it cannot be hidden")
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(r.value(value))
	return text.String(), err
}

// value returns a value of JSON with its secrets hidden.
func (r redaction) value(value any) any {
	switch value := value.(type) {
	case string:
		return r.text(value)
	case []any:
		for i, one := range value {
			value[i] = r.value(one)
		}
	case object:
		r.columns(value)
		for name, one := range value {
			switch {
			case slices.Contains(secretMaps, name) || secretName.MatchString(name):
				value[name] = conceal(one)
			default:
				value[name] = r.value(one)
			}
		}
	}
	return value
}

// columns hides the values of a statement's result in columns with the name of a secret.
func (r redaction) columns(result object) {
	rows, _ := result["rows"].([]any)
	columns, _ := result["columns"].([]any)
	for at, column := range columns {
		if name, ok := column.(string); !ok || !secretName.MatchString(name) {
			continue
		}
		for _, row := range rows {
			if cells, ok := row.([]any); ok && at < len(cells) {
				cells[at] = conceal(cells[at])
			}
		}
	}
}

// conceal replaces each value below a secret field. The names of variables and null, which
// removes a value, stay.
func conceal(value any) any {
	switch value := value.(type) {
	case nil:
		return nil
	case []any:
		for i, one := range value {
			value[i] = conceal(one)
		}
		return value
	case object:
		for name, one := range value {
			value[name] = conceal(one)
		}
		return value
	}
	return hiddenText
}
