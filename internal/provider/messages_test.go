package provider

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/messages.golden")

// reporters are the functions that tell a user something, with the places of
// the texts among their arguments.
var reporters = map[string][]int{
	"AddError":             {0, 1},
	"AddWarning":           {0, 1},
	"AddAttributeError":    {1, 2},
	"AddAttributeWarning":  {1, 2},
	"addError":             {1},
	"addInstanceError":     {1},
	"addScriptError":       {1},
	"listError":            {0},
	"removeGone":           {3},
	"NewArgumentFuncError": {1},
	"New":                  {0}, // of package errors
	"Errorf":               {0},
}

// TestMessages holds every message of the provider in one file, read from its
// source, so that whoever changes one sees how it reads. An ellipsis stands for
// what is known only when it happens.
func TestMessages(t *testing.T) {
	var messages []string
	add := func(message string) {
		if !slices.Contains(messages, message) {
			messages = append(messages, message)
		}
	}
	for _, file := range sources(t, ".", "../client") {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				for _, at := range reporters[calledName(n)] {
					if at < len(n.Args) {
						if text := formatted(n.Args[at]); strings.ContainsFunc(text, unicode.IsLetter) {
							add(text)
						}
					}
				}
			case *ast.FuncDecl:
				// The methods that word an error, and what to do next.
				if !slices.Contains([]string{"Error", "nextStep", "noSuch", "Description"}, n.Name.Name) && !strings.HasSuffix(n.Name.Name, "Text") {
					return true
				}
				ast.Inspect(n, func(n ast.Node) bool {
					if returned, ok := n.(*ast.ReturnStmt); ok {
						for _, result := range returned.Results {
							if text := textOf(result); strings.ContainsFunc(text, unicode.IsLetter) {
								add(text)
							}
						}
					}
					return true
				})
			}
			return true
		})
	}
	slices.Sort(messages)
	got := strings.Join(messages, "\n---\n") + "\n"
	path := filepath.Join("testdata", "messages.golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the messages changed; read them, and run go test ./internal/provider -run TestMessages -update\n%s", diff)
	}
	for _, message := range messages {
		if first := []rune(message)[0]; unicode.IsLower(first) && strings.HasSuffix(message, ".") {
			t.Errorf("a sentence begins with a small letter: %s", message)
		}
		if strings.Contains(message, "..") || strings.Contains(message, "  ") {
			t.Errorf("this does not read well: %s", message)
		}
	}
}

func sources(t *testing.T, folders ...string) []*ast.File {
	t.Helper()
	var files []*ast.File
	for _, folder := range folders {
		paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
	}
	return files
}

func calledName(call *ast.CallExpr) string {
	switch called := call.Fun.(type) {
	case *ast.Ident:
		return called.Name
	case *ast.SelectorExpr:
		return called.Sel.Name
	}
	return ""
}

// formatted is the text of a format.
func formatted(e ast.Expr) string {
	text := textOf(e)
	for _, verb := range []string{"%s", "%q", "%d", "%w", "%T", "%v"} {
		text = strings.ReplaceAll(text, verb, "…")
	}
	return strings.ReplaceAll(text, "%%", "%")
}

// textOf is the text that an expression gives, as far as its source tells.
func textOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return text
		}
	case *ast.BinaryExpr:
		return strings.ReplaceAll(textOf(e.X)+textOf(e.Y), "……", "…")
	case *ast.CallExpr:
		if name := calledName(e); (name == "Sprintf" || name == "Errorf") && len(e.Args) > 0 {
			return formatted(e.Args[0])
		}
		if calledName(e) == "sentence" {
			return "…"
		}
	}
	return "…"
}
