package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// counter counts visits in a file, so that the number outlives redeploys.
type counter struct {
	file string
	mu   sync.Mutex
}

// next counts one more visit and returns their number.
func (c *counter) next() (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, err := c.read()
	if err != nil {
		return 0, err
	}
	return before + 1, c.write(before + 1)
}

func (c *counter) read() (int, error) {
	text, err := os.ReadFile(c.file)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	number, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s holds no number", c.file)
	}
	return number, nil
}

// write replaces the file atomically: an app that is killed in the middle leaves either the
// old number or the new one.
func (c *counter) write(number int) error {
	file, err := os.CreateTemp(filepath.Dir(c.file), ".visits-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // It is gone already if all went well.
	_, err = fmt.Fprintln(file, number)
	if err == nil {
		err = file.Sync()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), c.file)
}
