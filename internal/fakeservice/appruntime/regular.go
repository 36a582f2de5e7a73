package appruntime

import (
	"fmt"
	"io"
	"os"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/regularfile"
)

// readRegular returns the content of a file as regularfile.Open opens it. It refuses links and
// more than most bytes.
func readRegular(root *os.Root, name string, most int64) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is %w", name, regularfile.ErrOther)
	}
	file, err := regularfile.Open(root, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if int64(len(text)) > most {
		return nil, fmt.Errorf("%s is larger than %d KB", name, most>>10)
	}
	return text, err
}
