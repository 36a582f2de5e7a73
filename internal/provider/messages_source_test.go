package provider

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// This file collects the messages from the source: their texts, and the phase in which a
// user can meet them, which follows from the calls. Calls are matched only by name. So a
// message may be listed in an earlier phase than the right one, but none is missing.

// A sourceFolder is the source of the packages in a folder, without their tests.
type sourceFolder struct {
	functions []*sourceFunction
	byName    map[string][]*sourceFunction
	constants map[string]ast.Expr // and variables of the package
	packages  map[string]bool     // names of imported packages of other folders
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
	var paths []string
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(filepath.Dir(path), "test") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(paths, func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) })
	for _, path := range paths {
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
		if strings.Contains(path, "/internal/provider/") {
			continue // its source is read, too
		}
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

// A phase is a stage in which a user meets messages, with the functions that Terraform
// calls in it.
type phase struct {
	title  string
	begins func(*sourceFunction) bool
}

func named(names ...string) func(*sourceFunction) bool {
	return func(f *sourceFunction) bool {
		return slices.Contains(names, f.Name.Name) && !isAction(f) && !isDataSource(f)
	}
}

func isAction(f *sourceFunction) bool { return strings.Contains(f.file, "actions") }

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
	{"Functions", func(f *sourceFunction) bool { return f.file == "connection_functions.go" }},
}

// setPhases sets the phase of each function to the first one that reaches it.
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

// called returns the functions of the package that f calls or passes as an argument. It
// omits those that Terraform calls: timeouts.Create is not a resource's Create.
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

// messages returns all messages of the package, in the order of their phases.
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
			t.Errorf("%s has a message, but no phase calls it", f.Name.Name)
		}
	}
	return all
}

// addMessages adds the messages of a function. If a message is in all already, only its
// attributes are added to that one.
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

// messageOf returns the message of a call, if the call reports one to a user.
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
	case "AddClientError", "AddActionError", "addScriptError", "AddReadError":
		m = message{severity: "Error", summary: text(1), detail: told}
	case "report":
		m = message{severity: "Error", summary: text(0), detail: told}
	case "AddInstanceError":
		m = message{severity: "Error", summary: text(1), detail: told}
	case "AddDeletionError":
		m = message{severity: "Error", summary: text(2), detail: told}
	case "NewArgumentFuncError":
		m = message{severity: "Error of a function", summary: "Invalid function argument", detail: text(1)}
	}
	return m, strings.ContainsFunc(strings.ReplaceAll(m.summary, "…", ""), unicode.IsLetter)
}

// errorTexts returns the texts of the errors that a package creates, sorted.
func (s *sourceFolder) errorTexts() []string {
	var texts []string
	for _, file := range s.files {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && slices.Contains([]string{"New", "Errorf", "Class", "Foreign"}, calledName(call)) && len(call.Args) > 0 {
				text := (scope{source: s}).text(call)
				if calledName(call) == "Foreign" {
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
