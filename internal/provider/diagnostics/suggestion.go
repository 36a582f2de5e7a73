package diagnostics

import (
	"fmt"
	"strings"
)

// NoSuch formats an "unknown value" message. It lists the known words, and suggests the
// one that was probably meant.
func NoSuch(what, word string, known []string) string {
	if len(known) == 0 {
		return fmt.Sprintf("There is no %s %q; there are none at all.", what, word)
	}
	there := strings.Join(known, ", ")
	if meant, ok := nearest(word, known); ok {
		return fmt.Sprintf("There is no %s %q; did you mean %q? There are: %s.", what, word, meant, there)
	}
	return fmt.Sprintf("There is no %s %q; there are: %s.", what, word, there)
}

// NotDocumented says that a word is not documented, and suggests the one that was probably
// meant.
func NotDocumented(what, word string, documented []string) string {
	text := fmt.Sprintf("The %s %q is not a documented one", what, word)
	if meant, ok := nearest(word, documented); ok {
		return text + fmt.Sprintf("; did you mean %q? Documented: %s.", meant, strings.Join(documented, ", "))
	}
	return text + "; documented: " + strings.Join(documented, ", ") + "."
}

// nearest returns the known word that a misspelt word probably means: the one with the
// smallest edit distance, ignoring case. It allows one edit for each three letters. If
// several words are equally near, it returns the first.
func nearest(word string, known []string) (string, bool) {
	best, fewest := "", len(word)/3+1
	for _, candidate := range known {
		if n := editDistance(strings.ToLower(word), strings.ToLower(candidate)); word != "" && n < fewest {
			best, fewest = candidate, n
		}
	}
	return best, best != ""
}

// editDistance returns the number of edits that turn one word into another. An edit
// inserts, deletes or replaces a letter, or swaps two neighbouring letters.
func editDistance(from, to string) int {
	a, b := []rune(from), []rune(to)
	var beforeLast []int // the row before the last one, for swaps
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row := []int{i + 1}
		for j := range b {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			n := min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				n = min(n, beforeLast[j-1]+1)
			}
			row = append(row, n)
		}
		beforeLast, last = last, row
	}
	return last[len(b)]
}
