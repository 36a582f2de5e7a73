package appruntime

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// RecipeFile is where a repository says how it is built and started.
const RecipeFile = "hosting.json"

// recipe is how a repository becomes a running app.
type recipe struct{ build, start []string }

// readRecipe finds out how a repository is built and started. It says so in a
// file, or it is a Go program. binary is where a program is to be built to.
func readRecipe(folder, binary string) (recipe, error) {
	text, err := os.ReadFile(filepath.Join(folder, RecipeFile))
	if err == nil {
		return parseRecipe(text)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return recipe{}, err
	}
	if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
		// There are no git records in the copy to stamp the program with.
		return recipe{build: []string{"go", "build", "-buildvcs=false", "-o", binary, "."}, start: []string{binary}}, nil
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
	how := recipe{start: []string{"sh", "-c", written.Start}}
	if strings.TrimSpace(written.Build) != "" {
		how.build = []string{"sh", "-c", written.Build}
	}
	return how, nil
}
