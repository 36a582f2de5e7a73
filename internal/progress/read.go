package progress

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// again is the time between two looks at the end of a file.
const again = 200 * time.Millisecond

// Read calls each with every line of r until ctx ends, or until r ends if follow is false.
// At the end of a file that it follows, it waits for more. It skips what is not a line, such
// as the rest of a line from a full disk.
func Read(ctx context.Context, r io.Reader, follow bool, each func(Line)) error {
	lines := bufio.NewReader(r)
	var text []byte
	for ctx.Err() == nil {
		part, err := lines.ReadBytes('\n')
		text = append(text, part...)
		switch {
		case err == nil:
			var l Line
			if json.Unmarshal(text, &l) == nil && l.Operation != "" {
				each(l)
			}
			text = text[:0]
		case ctx.Err() != nil: // it may have ended the read
		case !errors.Is(err, io.EOF):
			return err
		case !follow:
			return nil
		default:
			select {
			case <-time.After(again):
			case <-ctx.Done():
			}
		}
	}
	return nil
}
