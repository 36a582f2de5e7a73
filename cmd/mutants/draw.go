package main

import (
	"context"
	_ "embed" // equivalent.txt
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A mistake is a bug to plant into a file, whose path in the tree has slashes.
type mistake struct {
	name, file string
	plant      func(ctx context.Context, tree string) error
}

// equivalents lists the mutants without any noticeable effect, below lines with the reason.
//
//go:embed equivalent.txt
var equivalents string

// draw returns the mutants of the client and the provider that are not known to be
// equivalent, in the order of the seed.
func draw(ctx context.Context, tree string, seed uint64, in, only *regexp.Regexp) (drawn []mistake, err error) {
	known := strings.Split(equivalents, "\n")
	files, err := filesOf(ctx, tree)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(tree, file))
		if err != nil {
			return nil, err
		}
		mutants, err := mutantsOf(file, string(content))
		if err != nil {
			return nil, err
		}
		for _, m := range mutants {
			if in.MatchString(file) && only.MatchString(m.name) && !slices.Contains(known, m.name) {
				drawn = append(drawn, mistake{fmt.Sprintf("%s:%d: %s", file, m.line, m.name), file, func(_ context.Context, tree string) error {
					return os.WriteFile(filepath.Join(tree, file), []byte(m.apply(string(content))), 0o600)
				}})
			}
		}
	}
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	return drawn, nil
}

// filesOf returns the files of the client and the provider that are part of the program in
// the tree's root, in order.
func filesOf(ctx context.Context, tree string) (files []string, err error) {
	const ofModule = `{{with .Module}}{{if .Main}}{{range $.GoFiles}}{{slice $.Dir (len $.Module.Dir)}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`
	said, _, err := output(ctx, tree, "go", "list", "-deps", "-f", ofModule, ".")
	for file := range strings.FieldsSeq(filepath.ToSlash(said)) {
		if strings.HasPrefix(file, "/internal/client/") || strings.HasPrefix(file, "/internal/provider/") {
			files = append(files, file[1:])
		}
	}
	slices.Sort(files)
	return files, err
}

// fileOfPatch matches the line of a patch that names a file.
var fileOfPatch = regexp.MustCompile(`(?m)^\+\+\+ b/(\S+)$`)

// patches returns the planted bugs of a tree whose names match. One line around each change
// must fit, so that the code near by may change.
func patches(tree string, only *regexp.Regexp) (all []mistake, err error) {
	paths, err := filepath.Glob(filepath.Join(tree, "internal/simulation/mutants/*.patch"))
	for _, at := range paths {
		text, err := os.ReadFile(at)
		file := fileOfPatch.FindSubmatch(text)
		if err != nil || file == nil {
			return nil, fmt.Errorf("%s has no diff: %w", at, err)
		}
		if name := strings.TrimSuffix(filepath.Base(at), ".patch"); only.MatchString(name) {
			all = append(all, mistake{name, string(file[1]), func(ctx context.Context, tree string) error {
				said, applies, err := output(ctx, tree, "git", "apply", "-C1", "internal/simulation/mutants/"+name+".patch")
				if !applies {
					return fmt.Errorf("%s does not apply: %w: %s", name, err, said)
				}
				return nil
			}})
		}
	}
	return all, err
}
