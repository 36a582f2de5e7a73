package appruntime

import (
	"bytes"
	"os"
)

// longestAttributes is the maximum size of a .gitattributes file that is searched, in bytes.
const longestAttributes = 1 << 20

// unfetched returns what a copy of a git repository lacks, for the log of its build: git
// fetches neither submodules nor the files of Git LFS.
func unfetched(folder string) (notes []string, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if _, err := root.Lstat(".gitmodules"); err == nil {
		notes = append(notes, "The repository has submodules. They are not fetched, so their folders are empty.")
	}
	// A file that cannot be read has no effect on git either.
	if text, err := readRegular(root, ".gitattributes", longestAttributes); err == nil && bytes.Contains(text, []byte("filter=lfs")) {
		notes = append(notes, "The repository has files in Git LFS. They are not fetched: the build has their pointers.")
	}
	return notes, nil
}
