package postgres

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// A scriptError is Postgres's refusal of a script, with the lines of the script that
// contain the words that Postgres quotes.
type scriptError struct {
	error
	places []string // "\"TABEL\" is on line 2"
	// destroys is set for destroy_sql. It is in the state, and what it drops may be gone.
	destroys bool
}

func (e *scriptError) Unwrap() error { return e.error }

// LocateError adds the lines to look at to Postgres's refusal of a script. Postgres does
// not report a line, but it quotes the word that it failed at.
func LocateError(err error, sql string) error {
	refused := (*transport.APIError)(nil)
	if !errors.As(err, &refused) || !errors.Is(err, client.ErrSQL) {
		return err
	}
	return &scriptError{error: err, places: placesOf(refused.Detail, sql)}
}

// ofDestroySQL returns an error of LocateError with the advice for destroy_sql.
func ofDestroySQL(err error) error {
	if refused := (*scriptError)(nil); errors.As(err, &refused) {
		refused.destroys = true
	}
	return err
}

var quotedWord = regexp.MustCompile(`"([^"]+)"`)

// mostPlaces is the maximum number of lines to list for a word. More lines than that do
// not help to find the mistake.
const mostPlaces = 3

// placesOf returns the lines of a script that contain the words that a message quotes.
func placesOf(message, sql string) []string {
	var places []string
	for _, match := range quotedWord.FindAllStringSubmatch(message, -1) {
		var lines []string
		for n, line := range strings.Split(sql, "\n") {
			if hasWord(strings.ToLower(line), strings.ToLower(match[1])) {
				lines = append(lines, fmt.Sprint(n+1))
			}
		}
		switch {
		case len(lines) == 1:
			places = append(places, fmt.Sprintf("%q is on line %s", match[1], lines[0]))
		case len(lines) > 1 && len(lines) <= mostPlaces:
			places = append(places, fmt.Sprintf("%q is on the lines %s", match[1], strings.Join(lines, ", ")))
		}
	}
	return places
}

// hasWord reports whether a line contains a word, other than as part of a longer word.
func hasWord(line, word string) bool {
	isPart := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	begins, ends := firstRune(word), lastRune(word)
	for at := 0; ; {
		found := strings.Index(line[at:], word)
		if found < 0 {
			return false
		}
		before, after := lastRune(line[:at+found]), firstRune(line[at+found+len(word):])
		if within := isPart(begins) && isPart(before) || isPart(ends) && isPart(after); !within {
			return true
		}
		at += found + len(word)
	}
}

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

func lastRune(s string) rune { r, _ := utf8.DecodeLastRuneInString(s); return r }

// NextStep says what happened to the script and where to look for the mistake.
func (e *scriptError) NextStep() string {
	text := "Nothing was applied, as the statements run in one transaction, unless the script itself commits. "
	if e.destroys {
		text += "If what it drops is gone already, remove the script from the state. This command runs no statement:\n\nterraform state rm ADDRESS\n\n" +
			"Otherwise, set destroy_sql to statements that succeed, such as with IF EXISTS, and apply that. Put the block back for it if you have deleted it. Then destroy it again."
	} else {
		text += "Fix the script, then apply again."
	}
	if len(e.places) == 0 {
		return text
	}
	return "In the script, " + strings.Join(e.places, ", and ") + ".\n\n" + text
}
