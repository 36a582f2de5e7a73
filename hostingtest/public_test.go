package hostingtest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// TestPublicTypesAreOwn checks that no exported declaration names an internal package,
// because go doc shows users nothing of internal packages.
func TestPublicTypesAreOwn(t *testing.T) {
	t.Parallel()
	files := must.Get(os.ReadDir("."))(t)
	checked := 0
	for _, entry := range files {
		if path.Ext(entry.Name()) != ".go" || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file := must.Get(parser.ParseFile(token.NewFileSet(), entry.Name(), nil, parser.SkipObjectResolution))(t)
		internal := map[string]bool{}
		for _, i := range file.Imports {
			if imported, _ := strconv.Unquote(i.Path.Value); strings.Contains(imported, "/internal/") {
				internal[path.Base(imported)] = true
			}
		}
		for _, public := range exported(file) {
			checked++
			ast.Inspect(public, func(n ast.Node) bool {
				if selector, ok := n.(*ast.SelectorExpr); ok {
					if of, ok := selector.X.(*ast.Ident); ok && internal[of.Name] {
						t.Errorf("%s: got %s.%s in an exported declaration, want no internal type there", entry.Name(), of.Name, selector.Sel.Name)
					}
				}
				return true
			})
		}
	}
	if checked < 50 {
		t.Errorf("exported declarations: got %d, want at least 50", checked)
	}
}

// exported returns the parts of a file's declarations that users see: signatures of
// functions, exported fields of structs, and complete other types, constants and
// variables.
func exported(file *ast.File) []ast.Node {
	var public []ast.Node
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() {
				public = append(public, d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.ValueSpec:
					public = append(public, s)
				case *ast.TypeSpec:
					fields, isStruct := s.Type.(*ast.StructType)
					if !isStruct {
						public = append(public, s.Type)
						continue
					}
					for _, field := range fields.Fields.List {
						if len(field.Names) == 0 || field.Names[0].IsExported() {
							public = append(public, field)
						}
					}
				}
			}
		}
	}
	return public
}
