package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// The kinds of mutants.
const (
	negated = "condition negated"  // also a part of a condition, and each == and !=
	shifted = "comparison shifted" // between < and <=, and between > and >=
	swapped = "&& and || swapped"
	dropped = "statement dropped"
	ignored = "error ignored"  // not checked, or not returned
	raised  = "number changed" // a number from 0 to 10 changes by one
)

// A mutant is one small change of a file's syntax.
type mutant struct {
	name       string // the function, the kind and the change, so that the code may move
	line       int
	start, end int    // the replaced bytes of the file
	text       string // the new text
}

// apply returns the file with the change in it.
func (m mutant) apply(content string) string { return content[:m.start] + m.text + content[m.end:] }

// A mutator collects the mutants of a file, in the order of its text.
type mutator struct {
	content  string
	set      *token.FileSet
	function string // or type.method, or the variable that contains the change
	seen     map[string]bool
	all      []mutant
}

// mutantsOf returns the mutants of a file.
func mutantsOf(file, content string) ([]mutant, error) {
	m := mutator{content: content, set: token.NewFileSet(), seen: map[string]bool{}}
	tree, err := parser.ParseFile(m.set, file, content, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, declaration := range tree.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			m.function = d.Name.Name
			if d.Recv != nil {
				receiver, _, _ := strings.Cut(strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*"), "[")
				m.function = receiver + "." + m.function
			}
			if d.Body != nil {
				ast.Inspect(d.Body, m.visit)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if values, ok := spec.(*ast.ValueSpec); ok {
					m.function = values.Names[0].Name
					ast.Inspect(values, m.visit)
				}
			}
		}
	}
	return m.all, nil
}

func (m *mutator) visit(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.IfStmt:
		m.negate(n.Cond)
	case *ast.ForStmt:
		m.negate(n.Cond)
	case *ast.SwitchStmt:
		for _, clause := range n.Body.List {
			for _, condition := range clause.(*ast.CaseClause).List {
				if n.Tag == nil {
					m.negate(condition)
				}
			}
		}
	case *ast.BinaryExpr:
		m.binary(n)
	case *ast.BasicLit:
		if number, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil && number <= 10 {
			m.add(raised, n, n, strconv.Itoa(number+1))
		}
	case *ast.BlockStmt:
		m.drop(n.List)
	case *ast.CaseClause:
		m.drop(n.Body)
	case *ast.CommClause:
		m.drop(n.Body)
	case *ast.ReturnStmt:
		if len(n.Results) > 0 && isError(n.Results[len(n.Results)-1]) {
			m.add(ignored, n, n.Results[len(n.Results)-1], "nil")
		}
	}
	return true
}

// otherOperator has the kind of mutant that each operator makes, and its operator.
var otherOperator = map[token.Token]struct {
	kind  string
	token token.Token
}{
	token.LSS: {shifted, token.LEQ}, token.LEQ: {shifted, token.LSS}, token.GTR: {shifted, token.GEQ}, token.GEQ: {shifted, token.GTR},
	token.LAND: {swapped, token.LOR}, token.LOR: {swapped, token.LAND}, token.EQL: {negated, token.NEQ}, token.NEQ: {negated, token.EQL},
}

func (m *mutator) binary(n *ast.BinaryExpr) {
	m.operator(n)
	if otherOperator[n.Op].kind == swapped {
		m.negate(n.X)
		m.negate(n.Y)
	}
	if isErrorCheck(n) {
		m.add(ignored, n, n, m.text(n)+" && false")
	}
}

// operator adds the mutant with the other operator, if there is one.
func (m *mutator) operator(n *ast.BinaryExpr) {
	if other, ok := otherOperator[n.Op]; ok {
		at, x, y := m.offset(n.OpPos), m.offset(n.Pos()), m.offset(n.End())
		m.add(other.kind, n, n, m.content[x:at]+other.token.String()+m.content[at+len(n.Op.String()):y])
	}
}

// negate adds the mutant with the opposite of a condition.
func (m *mutator) negate(condition ast.Expr) {
	switch c := condition.(type) {
	case nil:
	case *ast.ParenExpr:
		m.negate(c.X)
	case *ast.UnaryExpr:
		if c.Op == token.NOT {
			m.add(negated, c, c, m.text(c.X))
		}
	case *ast.BinaryExpr:
		if otherOperator[c.Op].kind == negated {
			m.operator(c)
		} else {
			m.add(negated, c, c, "!("+m.text(c)+")")
		}
	default:
		m.add(negated, c, c, "!"+m.text(c))
	}
}

// drop adds a mutant for each statement, without that statement. The mutant still uses the
// statement's variables and imports, so that the rest compiles.
func (m *mutator) drop(statements []ast.Stmt) {
	for _, s := range statements {
		if mayDrop(s) {
			m.add(dropped, s, s, "if false { "+m.text(s)+" }")
		}
	}
}

func mayDrop(statement ast.Stmt) bool {
	switch s := statement.(type) {
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.DeferStmt, *ast.GoStmt, *ast.BranchStmt, *ast.ForStmt, *ast.RangeStmt:
		return true
	case *ast.AssignStmt:
		return s.Tok != token.DEFINE && (len(s.Lhs) > 1 || types.ExprString(s.Lhs[0]) != "_")
	case *ast.ReturnStmt:
		return len(s.Results) == 0
	case *ast.IfStmt: // "error ignored" is the mutant of a check
		return s.Init != nil || s.Else != nil || !isErrorCheck(s.Cond)
	}
	return false
}

// isErrorCheck reports whether an expression checks that an error is not nil. Types are
// unknown here, so errors are recognised by their names.
func isErrorCheck(e ast.Expr) bool {
	b, ok := e.(*ast.BinaryExpr)
	return ok && b.Op == token.NEQ && isError(b.X) && types.ExprString(b.Y) == "nil"
}

func isError(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && (name.Name == "err" || strings.HasSuffix(name.Name, "Err"))
}

// add adds the mutant in which a node has a new text, once. The name shows the change of a
// larger node.
func (m *mutator) add(kind string, shown, n ast.Node, text string) {
	start, end := m.offset(n.Pos()), m.offset(n.End())
	key := fmt.Sprint(kind, start, end)
	if m.seen[key] {
		return
	}
	m.seen[key] = true
	name := m.function + ": " + kind + ": " + m.text(shown)
	if kind != dropped {
		name += " -> " + m.content[m.offset(shown.Pos()):start] + text + m.content[end:m.offset(shown.End())]
	}
	name = strings.Join(strings.Fields(name), " ") // in one line
	m.all = append(m.all, mutant{name, m.set.Position(n.Pos()).Line, start, end, text})
}

func (m *mutator) offset(at token.Pos) int { return m.set.Position(at).Offset }

func (m *mutator) text(n ast.Node) string { return m.content[m.offset(n.Pos()):m.offset(n.End())] }
