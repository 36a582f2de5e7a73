package attributes

import (
	"regexp"
	"strings"
)

// repository matches a repository as the service names it.
var repository = regexp.MustCompile(`^[A-Za-z0-9._~+-]+/[A-Za-z0-9._~+-]+$`)

// isRepository reports whether a text is owner/repo, without what only a URL of Git has.
func isRepository(s string) bool {
	return repository.MatchString(s) && !strings.HasSuffix(strings.ToLower(s), ".git")
}

// Repository returns the rule for a repository as the service names it. Its error suggests
// the repository that another form names, and does not show a form that may contain a
// token.
func Repository() TextRule {
	return TextRule{
		must:  "must have the form owner/repo",
		holds: isRepository,
		shown: func(s string) string {
			if strings.ContainsAny(s, ":@?#=") {
				return ""
			}
			return s
		},
		suggest: func(s string) string { meant, _ := repositoryIn(s); return meant },
		note: func(s string) string {
			if _, cut := repositoryIn(s); cut {
				return "The argument branch names the branch; a folder of a repository cannot be chosen."
			}
			return ""
		},
	}
}

// repositoryIn returns the repository that a URL, an address of SSH or a page in a browser
// names, or "" if none is clear, and whether the text also names a branch, a commit or a
// folder.
func repositoryIn(s string) (meant string, cut bool) {
	rest := strings.TrimSpace(s)
	var fragment bool
	if at := strings.IndexAny(rest, "?#"); at >= 0 {
		rest, fragment = rest[:at], rest[at] == '#'
	}
	if _, address, isURL := strings.Cut(rest, "://"); isURL {
		_, rest, _ = strings.Cut(address, "/")
	} else if host, path, _ := strings.Cut(rest, "/"); strings.Contains(host, ":") {
		_, rest, _ = strings.Cut(rest, ":") // git@host:owner/repo
	} else if strings.Contains(host, ".") && strings.Contains(strings.Trim(path, "/"), "/") {
		rest = path // host/owner/repo
	}
	parts := strings.FieldsFunc(rest, func(r rune) bool { return r == '/' })
	if len(parts) < 2 {
		return "", false
	}
	name, _, branch := strings.Cut(strings.ReplaceAll(parts[1], ":", "@"), "@")
	if strings.HasSuffix(strings.ToLower(name), ".git") {
		name = name[:len(name)-len(".git")]
	}
	if meant = parts[0] + "/" + name; !isRepository(meant) {
		return "", false
	}
	return meant, len(parts) > 2 || branch || fragment
}
