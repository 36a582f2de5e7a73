package privatestate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestKeysAreComplete compares Keys with the constants of this package whose
// names end in Key. A resource with a missing key would never be answered without the
// framework.
func TestKeysAreComplete(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			constant, ok := n.(*ast.ValueSpec)
			if !ok || len(constant.Values) != 1 || !strings.HasSuffix(constant.Names[0].Name, "Key") {
				return true
			}
			if value, ok := constant.Values[0].(*ast.BasicLit); ok && value.Kind == token.STRING {
				key, err := strconv.Unquote(value.Value)
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, key)
			}
			return true
		})
	}
	got := slices.Clone(Keys)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("Keys: got %q, want the keys of this package's constants, %q", got, want)
	}
}
