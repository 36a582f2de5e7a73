package provider

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This file evaluates expressions to texts, as far as the source determines them.

// A scope is the place of an expression in the source.
type scope struct {
	source    *sourceFolder
	function  *sourceFunction   // nil outside of functions
	arguments map[string]string // texts of the parameters, if the call is known
	depth     int
}

const unknown = "…"

var verb = regexp.MustCompile(`%[-+#0-9.]*[a-zA-Z%]`)

// text returns the text of an expression, with an ellipsis for each part that the source
// does not determine.
func (s scope) text(e ast.Expr) string {
	if s.depth > 8 {
		return unknown
	}
	s.depth++
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text
		}
		return strings.Trim(e.Value, `"`)
	case *ast.ParenExpr:
		return s.text(e.X)
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return unknown
		}
		return strings.ReplaceAll(s.text(e.X)+s.text(e.Y), unknown+unknown, unknown)
	case *ast.Ident:
		return s.variable(e.Name)
	case *ast.SelectorExpr:
		if value, ok := s.source.constants[e.Sel.Name]; ok && s.isOwnPackage(e.X) {
			return s.text(value)
		}
	case *ast.CallExpr:
		return s.call(e)
	}
	return unknown
}

// isOwnPackage reports whether an expression names a package of the provider that has
// constants for messages.
func (s scope) isOwnPackage(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && (id.Name == "base" || id.Name == "diagnostics")
}

// variable returns the text of a parameter, of a constant, or of a local variable with
// all of its forms.
func (s scope) variable(name string) string {
	if text, ok := s.arguments[name]; ok {
		return text
	}
	if s.function != nil {
		if forms, optional := s.assigned(name); len(forms) > 0 {
			return oneOfForms(forms) + optional
		}
	}
	if constant, ok := s.source.constants[name]; ok {
		return s.text(constant)
	}
	return unknown
}

// assigned returns the texts that a local variable is set to, and the texts that may be
// appended.
func (s scope) assigned(name string) (forms []string, optional string) {
	ast.Inspect(s.function.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if id, ok := left.(*ast.Ident); !ok || id.Name != name || len(n.Lhs) != len(n.Rhs) {
					continue
				}
				if text := s.text(n.Rhs[i]); n.Tok == token.ADD_ASSIGN {
					optional += "[" + text + "]"
				} else if !slices.Contains(forms, text) {
					forms = append(forms, text)
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if id.Name == name && i < len(n.Values) {
					forms = append(forms, s.text(n.Values[i]))
				}
			}
		}
		return true
	})
	return forms, optional
}

// oneOfForms returns a text that lists several forms. It flattens forms of forms.
func oneOfForms(forms []string) string {
	var all []string
	for _, form := range forms {
		for _, one := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(form, "{"), "}"), " | ") {
			if !slices.Contains(all, one) && one != "" {
				all = append(all, one)
			}
		}
	}
	if len(forms) == 1 {
		return forms[0]
	}
	return "{" + strings.Join(all, " | ") + "}"
}

// call returns the text of a call: a format with its arguments, or all forms of the
// result of a function in the package.
func (s scope) call(call *ast.CallExpr) string {
	name := calledName(call)
	switch name {
	case "Sprintf", "Errorf":
		at := 0
		text := verb.ReplaceAllStringFunc(s.text(call.Args[0]), func(found string) string {
			if found == "%%" {
				return "%"
			}
			if at++; at >= len(call.Args) {
				return found
			}
			text := s.text(call.Args[at])
			if found == "%q" && text != unknown {
				return strconv.Quote(text)
			}
			return text
		})
		return strings.ReplaceAll(text, unknown+unknown, unknown)
	case "New", "Class":
		return s.text(call.Args[0])
	case "Explain", "Error":
		return "‹error›"
	case "Sentence":
		if text := s.text(call.Args[0]); text != unknown {
			return text
		}
		return "‹error›"
	}
	if x, ok := call.Fun.(*ast.SelectorExpr); ok {
		if id, ok := x.X.(*ast.Ident); ok && s.source.packages[id.Name] {
			return unknown
		}
	}
	called := s.source.byName[name]
	if x, ok := call.Fun.(*ast.SelectorExpr); ok && s.isReceiver(x.X) {
		called = slices.DeleteFunc(slices.Clone(called), func(f *sourceFunction) bool { return f.receiver != s.function.receiver })
	}
	if len(called) != 1 || !givesText(called[0]) {
		return unknown
	}
	return s.inlined(called[0], call)
}

// isReceiver reports whether an expression is the receiver of the scope's method.
func (s scope) isReceiver(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && s.function != nil && s.function.Recv != nil && len(s.function.Recv.List[0].Names) == 1 && s.function.Recv.List[0].Names[0].Name == id.Name
}

func givesText(f *sourceFunction) bool {
	results := f.Type.Results
	if results == nil || len(results.List) != 1 {
		return false
	}
	id, ok := results.List[0].Type.(*ast.Ident)
	return ok && id.Name == "string"
}

// inlined returns the text of a function's result for the arguments of a call. For NoSuch
// it returns only the longest form, which has the suggestion.
func (s scope) inlined(f *sourceFunction, call *ast.CallExpr) string {
	inner := scope{source: s.source, function: f, arguments: map[string]string{}, depth: s.depth}
	at := 0
	for _, field := range f.Type.Params.List {
		for _, name := range field.Names {
			if at < len(call.Args) {
				inner.arguments[name.Name] = s.text(call.Args[at])
			}
			at++
		}
	}
	var forms []string
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if _, inside := n.(*ast.FuncLit); inside {
			return false
		}
		if returned, ok := n.(*ast.ReturnStmt); ok && len(returned.Results) == 1 {
			if text := inner.text(returned.Results[0]); text != "" && !slices.Contains(forms, text) {
				forms = append(forms, text)
			}
		}
		return true
	})
	if f.Name.Name == "NoSuch" {
		return slices.MaxFunc(forms, func(a, b string) int { return len(a) - len(b) })
	}
	if len(forms) == 0 {
		return unknown
	}
	return oneOfForms(forms)
}

// path returns the argument that a path leads to. It is "" for the empty path, and an
// ellipsis if the source does not determine it.
func (s scope) path(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.CallExpr:
		below := ""
		if x, ok := e.Fun.(*ast.SelectorExpr); ok && len(e.Args) == 1 && strings.HasPrefix(x.Sel.Name, "At") {
			below = s.path(x.X)
		}
		switch calledName(e) {
		case "Empty":
			return ""
		case "Root":
			return s.text(e.Args[0])
		case "AtName":
			return below + "." + s.text(e.Args[0])
		case "AtMapKey", "AtSetValue":
			return below + "[" + s.text(e.Args[0]) + "]"
		}
	case *ast.Ident:
		if s.function == nil {
			return unknown
		}
		var forms []string
		ast.Inspect(s.function.Body, func(n ast.Node) bool {
			if assigned, ok := n.(*ast.AssignStmt); ok && len(assigned.Lhs) == len(assigned.Rhs) {
				for i, left := range assigned.Lhs {
					if id, ok := left.(*ast.Ident); ok && id.Name == e.Name {
						if at := s.path(assigned.Rhs[i]); !slices.Contains(forms, at) {
							forms = append(forms, at)
						}
					}
				}
			}
			return true
		})
		if len(forms) > 0 {
			return strings.Join(forms, " or ")
		}
	}
	return unknown
}
