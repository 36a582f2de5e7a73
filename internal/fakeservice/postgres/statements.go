package postgres

import "strings"

// split cuts SQL into its statements at the semicolons that end them, and leaves empty ones
// out. It may be wrong about text that PostgreSQL would refuse anyway: each piece is sent
// as one statement, and PostgreSQL refuses two.
func split(sql string) []string {
	var statements []string
	keep := func(text string) {
		if text = strings.TrimSpace(text); text != "" {
			statements = append(statements, text)
		}
	}
	begin := 0
	for at := 0; at < len(sql); {
		if sql[at] == ';' {
			keep(sql[begin:at])
			at++
			begin = at
			continue
		}
		at += lengthOfToken(sql[at:])
	}
	keep(sql[begin:])
	return statements
}

// lengthOfToken returns the length in bytes of the token at the start of a text: a quoted
// piece, a comment, or one byte. An unterminated token extends to the end.
func lengthOfToken(text string) int {
	switch {
	case text[0] == '\'' || text[0] == '"':
		return after(text, 1, text[:1])
	case strings.HasPrefix(text, "E'") || strings.HasPrefix(text, "e'"):
		return lengthOfEscaped(text)
	case strings.HasPrefix(text, "--"):
		return after(text, 2, "\n")
	case strings.HasPrefix(text, "/*"):
		return lengthOfComment(text)
	case text[0] == '$':
		if tag := dollarTag(text); tag != "" {
			return after(text, len(tag), tag)
		}
	case isNameByte(text[0]):
		return lengthOfName(text)
	}
	return 1
}

// after returns the position in a text after the next end, searched from a position.
func after(text string, from int, end string) int {
	if at := strings.Index(text[from:], end); at >= 0 {
		return from + at + len(end)
	}
	return len(text)
}

// lengthOfEscaped returns the length of an E'…' string, in which a backslash escapes the
// next byte.
func lengthOfEscaped(text string) int {
	for at := len("E'"); at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '\'':
			return at + 1
		}
	}
	return len(text)
}

// lengthOfComment returns the length of a comment, which may contain other comments.
func lengthOfComment(text string) int {
	depth := 0
	for at := 0; at < len(text); {
		switch {
		case strings.HasPrefix(text[at:], "/*"):
			depth++
			at += 2
		case strings.HasPrefix(text[at:], "*/"):
			depth--
			at += 2
			if depth == 0 {
				return at
			}
		default:
			at++
		}
	}
	return len(text)
}

// dollarTag returns the $tag$ at the start of a text, or "".
func dollarTag(text string) string {
	for at := 1; at < len(text); at++ {
		switch {
		case text[at] == '$':
			return text[:at+1]
		case !isNameByte(text[at]) || at == 1 && text[at] <= '9':
			return ""
		}
	}
	return ""
}

// lengthOfName returns the length of a name or a number. It may contain a $, and a final e
// of it does not belong to a quote.
func lengthOfName(text string) int {
	at := 1
	for at < len(text) && (isNameByte(text[at]) || text[at] == '$') {
		at++
	}
	return at
}

func isNameByte(b byte) bool {
	return b == '_' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
