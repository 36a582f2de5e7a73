package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// code is the Go files that mistakes are planted into, by their paths in the tree, with
// slashes.
type code map[string]string

// readCode reads the files of the client and the provider that are part of the program in
// the tree's root.
func readCode(ctx context.Context, tree string) (code, error) {
	list := exec.CommandContext(ctx, "go", "list", "-deps", "-f", `{{range .GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}`, ".")
	list.Dir = tree
	paths, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the provider's files: %w%s", err, stderrOf(err))
	}
	root, err := filepath.Abs(tree)
	if err != nil {
		return nil, err
	}
	files := code{}
	for at := range strings.Lines(string(paths)) {
		at = strings.TrimSuffix(at, "\n")
		file, err := filepath.Rel(root, at)
		if err != nil {
			return nil, err
		}
		file = filepath.ToSlash(file)
		if !strings.HasPrefix(file, "internal/client/") && !strings.HasPrefix(file, "internal/provider/") {
			continue
		}
		content, err := os.ReadFile(at)
		if err != nil {
			return nil, err
		}
		files[file] = string(content)
	}
	return files, nil
}
