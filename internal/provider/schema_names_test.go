package provider

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The name of every attribute is written as a key in the file that declares its schema,
// so that a search for the name finds it.
func TestSchemaNamesStandWhereTheyAreDeclared(t *testing.T) {
	for _, s := range allSchemas(t) {
		keys := attributeKeys(t, s.file)
		s.visit(t, func(path []string, _ anyAttribute) {
			if !keys[path[len(path)-1]] {
				t.Errorf("%s: %s does not stand as a key of a schema in %s", s, strings.Join(path, "."), filepath.Base(s.file))
			}
		})
	}
}

// attributeKeys returns the keys of every literal map of attributes in a file.
func attributeKeys(t *testing.T, file string) map[string]bool {
	t.Helper()
	source, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	ast.Inspect(source, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		of, ok := literal.Type.(*ast.MapType)
		if !ok {
			return true
		}
		if value, ok := of.Value.(*ast.SelectorExpr); !ok || value.Sel.Name != "Attribute" {
			return true
		}
		for _, element := range literal.Elts {
			entry, ok := element.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			key, ok := entry.Key.(*ast.BasicLit)
			if !ok {
				continue
			}
			if name, err := strconv.Unquote(key.Value); err == nil {
				keys[name] = true
			}
		}
		return true
	})
	return keys
}
