package toolchain

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// A languageServer is terraform-ls as an editor runs it: a process that speaks the
// Language Server Protocol, which is JSON-RPC 2.0 on standard input and output. It is not
// safe for concurrent use.
type languageServer struct {
	t           *testing.T
	workspace   *workspace
	input       io.WriteCloser
	output      *bufio.Reader
	log         bytes.Buffer
	lastRequest int
	versions    map[string]int          // of the open files, by name
	diagnostics map[string][]diagnostic // the last published for each file, by name
}

// A message is a request, a notification or an answer of JSON-RPC 2.0.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// A position is a place in a document. Both fields count from 0. All documents here are
// ASCII, so a character has the same offset in every encoding.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// A diagnostic is a problem that an editor underlines.
type diagnostic struct {
	Message string
	Range   struct{ Start, End position }
}

// startLanguageServer opens the workspace in an editor. The server ends with the test, or
// after a timeout if it hangs.
func startLanguageServer(t *testing.T, w *workspace) *languageServer {
	t.Helper()
	if product, _, _ := strings.Cut(w.run("version"), " "); product != "Terraform" {
		t.Skipf("skipped by version: terraform-ls learns nothing of the provider from %s", product)
	}
	program := Find(t, repository, "terraform-ls")
	ctx, cancel := context.WithTimeout(context.Background(), machine.Patience)
	command := exec.CommandContext(ctx, program, "serve")
	command.Dir, command.Env = w.folder, w.env
	s := &languageServer{t: t, workspace: w, versions: map[string]int{}, diagnostics: map[string][]diagnostic{}}
	command.Stderr = &s.log
	input, err := command.StdinPipe()
	output, outErr := command.StdoutPipe()
	if err := errors.Join(err, outErr, command.Start()); err != nil {
		cancel()
		t.Fatal(err)
	}
	s.input, s.output = input, bufio.NewReader(output)
	t.Cleanup(func() {
		_ = s.input.Close() // like an editor that closes
		_ = command.Wait()
		cancel()
		if t.Failed() {
			t.Logf("the language server said:\n%s", s.log.String()[max(0, s.log.Len()-8000):])
		}
	})
	s.request("initialize", map[string]any{
		"rootUri": "file://" + w.folder,
		"capabilities": map[string]any{"textDocument": map[string]any{
			"hover":      map[string]any{"contentFormat": []string{"markdown"}},
			"completion": map[string]any{"completionItem": map[string]any{"documentationFormat": []string{"markdown"}}},
		}},
		"initializationOptions": map[string]any{"terraform": map[string]any{"path": w.cli}},
	}, nil)
	s.notify("initialized", struct{}{})
	return s
}

// request sends a request and decodes the answer into result, which may be nil.
func (s *languageServer) request(method string, parameters, result any) {
	s.t.Helper()
	answer := s.ask(method, parameters)
	if answer.Error != nil {
		s.t.Fatalf("%s: error %d: %s", method, answer.Error.Code, answer.Error.Message)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
		s.t.Fatalf("%s answered %s: %v", method, answer.Result, err)
	}
}

// ask is like request, but returns errors in the answer to the caller.
func (s *languageServer) ask(method string, parameters any) message {
	s.t.Helper()
	s.lastRequest++
	id := strconv.Itoa(s.lastRequest)
	s.send(message{ID: json.RawMessage(id), Method: method, Params: parameters})
	for {
		if answer := s.receive(); answer.Method == "" && string(answer.ID) == id {
			return answer
		}
	}
}

func (s *languageServer) notify(method string, parameters any) {
	s.t.Helper()
	s.send(message{Method: method, Params: parameters})
}

func (s *languageServer) send(m message) {
	s.t.Helper()
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err == nil {
		_, err = fmt.Fprintf(s.input, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	if err != nil {
		s.t.Fatalf("send %s: %v", m.Method, err)
	}
}

// receive waits for the next message. It stores diagnostics, and answers the server's own
// requests with an empty result.
func (s *languageServer) receive() message {
	s.t.Helper()
	header, err := textproto.NewReader(s.output).ReadMIMEHeader()
	if err != nil {
		s.t.Fatalf("the language server has ended: %v", err)
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	body := make([]byte, max(0, length))
	if err == nil {
		_, err = io.ReadFull(s.output, body)
	}
	var m message
	var parameters json.RawMessage
	m.Params = &parameters
	if err = errors.Join(err, json.Unmarshal(body, &m)); err != nil {
		s.t.Fatalf("a message of the language server: %v\n%s", err, body)
	}
	switch {
	case m.Method != "" && m.ID != nil:
		s.send(message{ID: m.ID, Result: json.RawMessage("null")})
	case m.Method == "textDocument/publishDiagnostics":
		var published struct {
			URI         string
			Diagnostics []diagnostic
		}
		if err := json.Unmarshal(parameters, &published); err != nil {
			s.t.Fatalf("%s: %v", parameters, err)
		}
		s.diagnostics[filepath.Base(published.URI)] = published.Diagnostics
	}
	return m
}

// open opens a file with the editor's text, regardless of the folder's content. The
// server reads the schemas of a folder when a file of it is opened, but only if it has
// found the folder by then. A validation that begins before the schemas are read uses
// none, so open sends the text again after that.
func (s *languageServer) open(name, language, text string) {
	s.t.Helper()
	machine.Until(s.t, "the server has found the folder", func() bool { _, found := s.providers(); return found })
	s.versions[name] = 1
	s.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": s.uri(name), "languageId": language, "version": 1, "text": text,
	}})
	machine.Until(s.t, "the server has read the folder", func() bool { installed, _ := s.providers(); return len(installed) > 0 })
	s.change(name, text)
}

// providers returns the versions of the providers that init has installed in the folder,
// by address, as far as the server has read them. found is false while the server does
// not know the folder.
func (s *languageServer) providers() (installed map[string]string, found bool) {
	s.t.Helper()
	answer := s.ask("workspace/executeCommand", map[string]any{
		"command": "terraform-ls.module.providers", "arguments": []string{"uri=file://" + filepath.ToSlash(s.workspace.folder)},
	})
	if answer.Error != nil {
		return nil, false
	}
	var known struct {
		Installed map[string]string `json:"installed_providers"`
	}
	if err := json.Unmarshal(answer.Result, &known); err != nil {
		s.t.Fatalf("the providers of the folder: %v\n%s", err, answer.Result)
	}
	return known.Installed, true
}

// change replaces the whole text of an open file.
func (s *languageServer) change(name, text string) {
	s.t.Helper()
	s.versions[name]++
	s.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": s.uri(name), "version": s.versions[name]},
		"contentChanges": []any{map[string]any{"text": text}},
	})
}

// until waits for diagnostics of a file that satisfy a condition.
func (s *languageServer) until(name string, holds func([]diagnostic) bool) {
	s.t.Helper()
	for !holds(s.diagnostics[name]) {
		s.receive()
	}
}

// A candidate is an entry offered by completion.
type candidate struct {
	Label, Detail string
}

func (s *languageServer) complete(name string, at position) []candidate {
	s.t.Helper()
	var list struct{ Items []candidate }
	s.request("textDocument/completion", s.place(name, at), &list)
	return list.Items
}

// hover returns the text that an editor shows over a place, in Markdown.
func (s *languageServer) hover(name string, at position) string {
	s.t.Helper()
	var shown struct{ Contents struct{ Value string } }
	s.request("textDocument/hover", s.place(name, at), &shown)
	return shown.Contents.Value
}

func (s *languageServer) place(name string, at position) any {
	return map[string]any{"textDocument": map[string]any{"uri": s.uri(name)}, "position": at}
}

func (s *languageServer) uri(name string) string {
	return "file://" + filepath.ToSlash(filepath.Join(s.workspace.folder, name))
}

// placeOf returns the position of the first occurrence of a text in a document.
func placeOf(t *testing.T, document, text string) position {
	t.Helper()
	before, _, found := strings.Cut(document, text)
	if !found {
		t.Fatalf("%q is missing from the document:\n%s", text, document)
	}
	return position{strings.Count(before, "\n"), len(before) - strings.LastIndex(before, "\n") - 1}
}
