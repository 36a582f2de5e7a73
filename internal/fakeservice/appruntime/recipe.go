package appruntime

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// RecipeFile is the name of the file in which a repository says how it is built and
// started.
const RecipeFile = "hosting.json"

// largestRecipe is the maximum size of a RecipeFile in bytes.
const largestRecipe = 64 << 10

// recipe describes how a repository becomes a running app. file names its source.
type recipe struct {
	file         string
	build, start []string
}

// readRecipe finds out how a repository is built and started: from its RecipeFile, or
// because it is a Go program. binary is the path for a built Go program.
func readRecipe(folder, binary string) (recipe, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return recipe{}, err
	}
	defer root.Close()
	text, err := readRegular(root, RecipeFile, largestRecipe)
	if err == nil {
		return parseRecipe(text)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return recipe{}, err
	}
	if _, err := root.Lstat("go.mod"); err == nil {
		// The copy has no git records with which to stamp the program.
		return recipe{file: "go.mod", build: []string{"go", "build", "-buildvcs=false", "-o", binary, "."}, start: []string{binary}}, nil
	}
	return recipe{}, fmt.Errorf(`the repository does not say how it is built: it has neither a %s such as {"build": "npm ci", "start": "npm start"} nor a go.mod in its root`, RecipeFile)
}

func parseRecipe(text []byte) (recipe, error) {
	var written struct {
		Build string `json:"build"`
		Start string `json:"start"`
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&written); err != nil {
		return recipe{}, fmt.Errorf("%s: %w", RecipeFile, err)
	}
	if strings.TrimSpace(written.Start) == "" {
		return recipe{}, fmt.Errorf(`%s: "start" is missing: the command that starts the app`, RecipeFile)
	}
	how := recipe{file: RecipeFile, start: shellStart(written.Start)}
	if strings.TrimSpace(written.Build) != "" {
		how.build = []string{"sh", "-c", written.Build}
	}
	return how, nil
}

// plainCommand matches a command that a shell only has to look up: no variables, quotes or
// operators, and no assignment before it.
var plainCommand = regexp.MustCompile(`^ *[\w./:@%+,-]+( +[\w./:@%+,=-]+)* *$`)

// shellStart returns the command with which a shell starts an app. A plain command replaces
// the shell, so that signals, and the end of this program, reach the app itself. Otherwise,
// a shell that is asked to end waits until the processes that it started have ended.
func shellStart(command string) []string {
	if plainCommand.MatchString(command) {
		command = "exec " + command
	} else {
		command = "trap 'exit 143' TERM\n" + command
	}
	return []string{"sh", "-c", command}
}
