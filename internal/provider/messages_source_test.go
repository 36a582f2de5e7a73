package provider

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// The messages are read from the source: which there are, what they say, and when a
// user meets them, by who calls whom. Calls are told by name alone, so a message may
// stand under an earlier phase than it should; none is left out.

// A sourceFolder is a package's source without its tests.
type sourceFolder struct {
	functions []*sourceFunction
	byName    map[string][]*sourceFunction
	constants map[string]ast.Expr // and variables of the package
	packages  map[string]bool     // names of imported packages
	files     []*ast.File
}

// A sourceFunction is a function or method.
type sourceFunction struct {
	*ast.FuncDecl
	file     string
	receiver string // its type's name, or ""
	phase    string
}

func readSource(t *testing.T, folder string) *sourceFolder {
	t.Helper()
	s := &sourceFolder{byName: map[string][]*sourceFunction{}, constants: map[string]ast.Expr{}, packages: map[string]bool{}}
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
		s.addFile(filepath.Base(path), file)
	}
	return s
}

func (s *sourceFolder) addFile(name string, file *ast.File) {
	s.files = append(s.files, file)
	for _, imported := range file.Imports {
		path, _ := strconv.Unquote(imported.Path.Value)
		s.packages[path[strings.LastIndex(path, "/")+1:]] = true
	}
	for _, declared := range file.Decls {
		switch declared := declared.(type) {
		case *ast.FuncDecl:
			f := &sourceFunction{FuncDecl: declared, file: name}
			if declared.Recv != nil {
				f.receiver = typeName(declared.Recv.List[0].Type)
			}
			s.functions = append(s.functions, f)
			s.byName[declared.Name.Name] = append(s.byName[declared.Name.Name], f)
		case *ast.GenDecl:
			for _, spec := range declared.Specs {
				if values, ok := spec.(*ast.ValueSpec); ok {
					for i, name := range values.Names {
						if i < len(values.Values) {
							s.constants[name.Name] = values.Values[i]
						}
					}
				}
			}
		}
	}
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	}
	return ""
}

// A phase is when a user meets a message, with the functions that Terraform calls
// then.
type phase struct {
	title  string
	begins func(*sourceFunction) bool
}

func named(names ...string) func(*sourceFunction) bool {
	return func(f *sourceFunction) bool {
		return slices.Contains(names, f.Name.Name) && !isAction(f) && !isDataSource(f)
	}
}

func isAction(f *sourceFunction) bool     { return strings.HasPrefix(f.file, "actions") }
func isDataSource(f *sourceFunction) bool { return strings.HasSuffix(f.receiver, "DataSource") }

var phases = []phase{
	{"Configuring the provider", named("Configure")},
	{"Validating", func(f *sourceFunction) bool { return strings.HasPrefix(f.Name.Name, "Validate") && !isAction(f) }},
	{"Planning", named("ModifyPlan", "PlanModifyString", "PlanModifySet")},
	{"Creating", named("Create")},
	{"Reading", named("Read")},
	{"Updating", named("Update")},
	{"Deleting", named("Delete")},
	{"Importing", named("ImportState")},
	{"Listing", named("List")},
	{"Data sources", isDataSource},
	{"Ephemeral resources", named("Open")},
	{"Actions", isAction},
	{"Functions", func(f *sourceFunction) bool { return f.file == "functions.go" }},
}

// setPhases gives each function the first phase that reaches it.
func (s *sourceFolder) setPhases() {
	for _, phase := range phases {
		var reached []*sourceFunction
		for _, f := range s.functions {
			if f.phase == "" && phase.begins(f) {
				f.phase = phase.title
				reached = append(reached, f)
			}
		}
		for len(reached) > 0 {
			f := reached[0]
			reached = reached[1:]
			for _, called := range s.called(f) {
				if called.phase == "" {
					called.phase = phase.title
					reached = append(reached, called)
				}
			}
		}
	}
}

// called are the functions of the package that one calls or hands over, but those that
// Terraform calls: timeouts.Create is not a resource's Create.
func (s *sourceFolder) called(f *sourceFunction) []*sourceFunction {
	var called []*sourceFunction
	add := func(e ast.Expr) {
		name := ""
		if generic, ok := e.(*ast.IndexExpr); ok {
			e = generic.X
		}
		switch e := e.(type) {
		case *ast.SelectorExpr:
			if x, ok := e.X.(*ast.Ident); !ok || !s.packages[x.Name] {
				name = e.Sel.Name
			}
		case *ast.Ident:
			name = e.Name
		}
		for _, other := range s.byName[name] {
			if !slices.ContainsFunc(phases, func(p phase) bool { return p.begins(other) }) {
				called = append(called, other)
			}
		}
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			add(call.Fun)
			for _, argument := range call.Args {
				if method, ok := argument.(*ast.SelectorExpr); ok {
					add(method)
				}
			}
		}
		return true
	})
	return called
}

// messages are all of the package's, in the order of their phases.
func (s *sourceFolder) messages(t *testing.T) []message {
	t.Helper()
	s.setPhases()
	var all []message
	for _, phase := range phases {
		for _, f := range s.functions {
			if f.phase == phase.title {
				all = s.addMessages(all, f)
			}
		}
	}
	for _, f := range s.functions {
		if f.phase == "" && len(s.addMessages(nil, f)) > 0 {
			t.Errorf("nobody calls %s, which has a message", f.Name.Name)
		}
	}
	return all
}

// addMessages adds the messages of a function. One that is there already stands on
// one argument more.
func (s *sourceFolder) addMessages(all []message, f *sourceFunction) []message {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		m, ok := s.messageOf(call, f)
		if !ok {
			return true
		}
		m.phase = f.phase
		same := slices.IndexFunc(all, func(other message) bool {
			return other.severity == m.severity && other.summary == m.summary && other.detail == m.detail
		})
		if same < 0 {
			all = append(all, m)
			return true
		}
		for _, attribute := range m.attributes {
			if !slices.Contains(all[same].attributes, attribute) {
				all[same].attributes = append(all[same].attributes, attribute)
			}
		}
		return true
	})
	return all
}

// messageOf is what a call tells a user, if it does.
func (s *sourceFolder) messageOf(call *ast.CallExpr, f *sourceFunction) (message, bool) {
	scope := scope{source: s, function: f}
	text := func(i int) string { return scope.text(call.Args[i]) }
	const told = "‹error›"
	var m message
	switch calledName(call) {
	case "AddError", "AddWarning":
		m = message{severity: strings.TrimPrefix(calledName(call), "Add"), summary: text(0), detail: text(1)}
	case "AddAttributeError", "AddAttributeWarning":
		m = message{severity: strings.TrimPrefix(calledName(call), "AddAttribute"), summary: text(1), detail: text(2)}
		if at := scope.path(call.Args[0]); at != "" {
			m.attributes = []string{at}
		}
	case "addError", "addScriptError":
		m = message{severity: "Error", summary: text(1), detail: told}
	case "addInstanceError":
		m = message{severity: "Error", summary: text(1), detail: told}
	case "NewArgumentFuncError":
		m = message{severity: "Error of a function", summary: "Invalid function argument", detail: text(1)}
	}
	return m, strings.ContainsFunc(strings.ReplaceAll(m.summary, "…", ""), unicode.IsLetter)
}

// errorTexts are the texts of the errors that a package makes, sorted.
func (s *sourceFolder) errorTexts() []string {
	var texts []string
	for _, file := range s.files {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && slices.Contains([]string{"New", "Errorf", "foreign"}, calledName(call)) && len(call.Args) > 0 {
				text := (scope{source: s}).text(call)
				if calledName(call) == "foreign" {
					text = (scope{source: s}).text(call.Args[len(call.Args)-1])
				}
				if strings.ContainsFunc(text, unicode.IsLetter) && !slices.Contains(texts, text) {
					texts = append(texts, text)
				}
			}
			return true
		})
	}
	slices.Sort(texts)
	return texts
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

// A scope is where an expression stands.
type scope struct {
	source    *sourceFolder
	function  *sourceFunction   // nil outside of functions
	arguments map[string]string // texts of the parameters, where its call is known
	depth     int
}

const unknown = "…"

var verb = regexp.MustCompile(`%[-+#0-9.]*[a-zA-Z%]`)

// text is what an expression gives, as far as the source tells.
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
		if x, ok := e.X.(*ast.Ident); ok && x.Name == "client" {
			return unknown
		}
	case *ast.CallExpr:
		return s.call(e)
	}
	return unknown
}

// variable is the text of a parameter, a constant, or a local variable in all of its
// forms.
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

// assigned are the texts that a local variable is set to, and what may be added.
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

// oneOfForms is a text that has several forms. Forms of forms are forms.
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

// call is the text that a call gives: a format with what goes into it, or a function
// of the package in all of its forms.
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
	case "New":
		return s.text(call.Args[0])
	case "explain", "Error":
		return "‹error›"
	case "sentence":
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

// isReceiver tells whether an expression is the receiver of the scope's method.
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

// inlined is what a function of the package gives for the arguments of a call. Of a
// suggestion only the whole form is of interest.
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
	if f.Name.Name == "noSuch" {
		return slices.MaxFunc(forms, func(a, b string) int { return len(a) - len(b) })
	}
	if len(forms) == 0 {
		return unknown
	}
	return oneOfForms(forms)
}

// path is the argument that a path leads to, "" for none, an ellipsis where the source
// does not tell.
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
