package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
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
	file     string // its path in the tree
	line     int
	function string // or type.method, or the variable that contains the change
	kind     string
	before   string // in one line
	after    string // in one line; empty for a dropped statement

	start, end  int    // the replaced bytes of the file
	replacement string // the new text
}

// mutantsOf returns the mutants of a file, in the order of its text.
func mutantsOf(file, content string) ([]mutant, error) {
	m := mutator{file: file, content: content, set: token.NewFileSet(), seen: map[string]bool{}}
	tree, err := parser.ParseFile(m.set, file, content, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, declaration := range tree.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				m.function = functionName(d)
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

// functionName returns a function's name; a method's name follows its type's.
func functionName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	receiver := d.Recv.List[0].Type
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
		case *ast.IndexExpr:
			receiver = t.X
		case *ast.IndexListExpr:
			receiver = t.X
		default:
			return fmt.Sprintf("%s.%s", receiver, d.Name.Name)
		}
	}
}

// A mutator collects the mutants of a file.
type mutator struct {
	file, content string
	set           *token.FileSet
	function      string // that it is in
	seen          map[string]bool
	all           []mutant
}

func (m *mutator) visit(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.IfStmt:
		m.negate(n.Cond)
	case *ast.ForStmt:
		m.negate(n.Cond)
	case *ast.SwitchStmt:
		for _, clause := range n.Body.List {
			if n.Tag == nil {
				for _, condition := range clause.(*ast.CaseClause).List {
					m.negate(condition)
				}
			}
		}
	case *ast.BinaryExpr:
		m.binary(n)
	case *ast.BasicLit:
		if number, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil && number <= 10 {
			m.replace(raised, n, strconv.Itoa(number+1))
		}
	case *ast.BlockStmt:
		m.dropAll(n.List)
	case *ast.CaseClause:
		m.dropAll(n.Body)
	case *ast.CommClause:
		m.dropAll(n.Body)
	case *ast.ReturnStmt:
		if len(n.Results) > 0 && isError(n.Results[len(n.Results)-1]) {
			m.replaceIn(ignored, n, n.Results[len(n.Results)-1], "nil")
		}
	}
	return true
}

var (
	otherBound = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR}
	otherJoint = map[token.Token]token.Token{token.LAND: token.LOR, token.LOR: token.LAND}
	opposite   = map[token.Token]token.Token{token.EQL: token.NEQ, token.NEQ: token.EQL}
)

func (m *mutator) binary(n *ast.BinaryExpr) {
	if other, ok := otherBound[n.Op]; ok {
		m.operator(shifted, n, other)
	}
	if other, ok := otherJoint[n.Op]; ok {
		m.operator(swapped, n, other)
		m.negate(n.X)
		m.negate(n.Y)
	}
	if _, ok := opposite[n.Op]; ok {
		m.negate(n)
	}
	if isErrorCheck(n) {
		m.replace(ignored, n, m.text(n)+" && false")
	}
}

// negate creates the mutant with the opposite of a condition, once.
func (m *mutator) negate(condition ast.Expr) {
	switch c := condition.(type) {
	case nil:
	case *ast.ParenExpr:
		m.negate(c.X)
	case *ast.UnaryExpr:
		if c.Op == token.NOT {
			m.replace(negated, c, m.text(c.X))
		}
	case *ast.BinaryExpr:
		if other, ok := opposite[c.Op]; ok {
			m.operator(negated, c, other)
			return
		}
		m.replace(negated, c, "!("+m.text(c)+")")
	default:
		m.replace(negated, c, "!"+m.text(c))
	}
}

// dropAll creates a mutant for each statement, without that statement. The mutant still
// uses the statement's variables and imports, so that the rest compiles.
func (m *mutator) dropAll(statements []ast.Stmt) {
	for _, statement := range statements {
		switch s := statement.(type) {
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.DeferStmt, *ast.GoStmt, *ast.BranchStmt, *ast.ForStmt, *ast.RangeStmt:
		case *ast.AssignStmt:
			if blank, ok := s.Lhs[0].(*ast.Ident); s.Tok == token.DEFINE || ok && blank.Name == "_" && len(s.Lhs) == 1 {
				continue
			}
		case *ast.ReturnStmt:
			if len(s.Results) > 0 {
				continue
			}
		case *ast.IfStmt:
			if s.Init == nil && isErrorCheck(s.Cond) && s.Else == nil {
				continue // the mutant "error ignored" covers it
			}
		default:
			continue
		}
		m.add(mutant{kind: dropped, before: oneLine(m.text(statement)), replacement: "if false { " + m.text(statement) + " }"}, statement)
	}
}

// isErrorCheck reports whether an expression checks that an error is not nil. Types are
// unknown here, so errors are recognised by their names.
func isErrorCheck(e ast.Expr) bool {
	b, ok := e.(*ast.BinaryExpr)
	if !ok || b.Op != token.NEQ || !isError(b.X) {
		return false
	}
	y, ok := b.Y.(*ast.Ident)
	return ok && y.Name == "nil"
}

func isError(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && (name.Name == "err" || strings.HasSuffix(name.Name, "Err"))
}

func (m *mutator) operator(kind string, n *ast.BinaryExpr, other token.Token) {
	at, x, y := m.offset(n.OpPos), m.offset(n.Pos()), m.offset(n.End())
	m.replace(kind, n, m.content[x:at]+other.String()+m.content[at+len(n.Op.String()):y])
}

// replace creates the mutant in which a node has a different text.
func (m *mutator) replace(kind string, n ast.Node, text string) { m.replaceIn(kind, n, n, text) }

// replaceIn creates the mutant in which a part of the shown text is different.
func (m *mutator) replaceIn(kind string, shown, n ast.Node, text string) {
	x, y := m.offset(shown.Pos()), m.offset(shown.End())
	after := m.content[x:m.offset(n.Pos())] + text + m.content[m.offset(n.End()):y]
	m.add(mutant{kind: kind, before: oneLine(m.text(shown)), after: oneLine(after), replacement: text}, n)
}

func (m *mutator) add(one mutant, n ast.Node) {
	one.file, one.function = m.file, m.function
	one.line = m.set.Position(n.Pos()).Line
	one.start, one.end = m.offset(n.Pos()), m.offset(n.End())
	key := fmt.Sprint(one.kind, one.start, one.end)
	if !m.seen[key] {
		m.seen[key] = true
		m.all = append(m.all, one)
	}
}

func (m *mutator) offset(at token.Pos) int { return m.set.Position(at).Offset }

func (m *mutator) text(n ast.Node) string { return m.content[m.offset(n.Pos()):m.offset(n.End())] }

// oneLine replaces breaks and indents in a text with single blanks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// apply returns the file with the change in it.
func (m mutant) apply(content string) string {
	return content[:m.start] + m.replacement + content[m.end:]
}
