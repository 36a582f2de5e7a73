// Package progress writes and reads the progress of an apply: a file with one JSON object
// per line, which the provider appends to while it waits for jobs and builds.
package progress

import (
	"encoding/json"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"
)

// Variable is the environment variable with the path of the file.
const Variable = "HOSTING_PROGRESS"

// Statuses of an ended job or build.
const (
	StatusDone   = "done"
	StatusFailed = "failed"
)

// A Line is a change in the progress of a job or build. Empty fields are unknown.
type Line struct {
	Time time.Time `json:"time"`
	// Type and Name are those of the resource that waits, such as hosting_app and web. ID is
	// its import id; of an extension, it is the id of its instance.
	Type string `json:"type,omitempty"`
	Name string `json:"name,omitempty"`
	ID   string `json:"id,omitempty"`
	// Operation is that of the job, such as create, or build.
	Operation string `json:"operation"`
	JobID     string `json:"job_id,omitempty"`
	BuildID   string `json:"build_id,omitempty"`
	// Status is done or failed at the end, and before that a word of the service, such as
	// queued or running.
	Status string `json:"status"`
	// Percent is 0 to 100.
	Percent int `json:"percent"`
	// EstimatedEnd is when the job will end, by its progress so far. It is zero if none is known.
	EstimatedEnd time.Time `json:"estimated_end,omitzero"`
	// Log is the last line of a failed build's log, without the values of variables.
	Log string `json:"log,omitempty"`
}

// Ended reports whether the job or build has ended.
func (l Line) Ended() bool { return l.Status == StatusDone || l.Status == StatusFailed }

// Key identifies the job or build.
func (l Line) Key() string {
	if l.BuildID != "" {
		return l.BuildID
	}
	if l.JobID != "" {
		return l.JobID
	}
	return l.Operation + " " + l.ID
}

// longestWrite is the time after which a write to a pipe is given up, because its reader
// does not read.
const longestWrite = 100 * time.Millisecond

// A File is a file that lines are appended to. Its methods may be called concurrently, and
// several processes may write to one file: each line is one write.
type File struct {
	mu   sync.Mutex
	file *os.File
	// gone reports whether the reader of a pipe has gone or does not read.
	gone bool
	// half reports whether the last line was written in part, as on a full disk.
	half bool
}

// Open opens a file for appending, and creates it if it does not exist. It returns nil for
// a named pipe without a reader.
func Open(path string) (*File, error) {
	// Without O_NONBLOCK, a pipe without a reader would make Open wait for one.
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK, 0o600)
	if errors.Is(err, syscall.ENXIO) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &File{file: file}, nil
}

// Append writes a line. An error is not reported, because progress only informs.
func (f *File) Append(l Line) {
	if f == nil {
		return
	}
	text, err := json.Marshal(l)
	if err != nil {
		return
	}
	text = append(text, '\n')
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gone {
		return
	}
	if f.half {
		text = append([]byte{'\n'}, text...)
	}
	_ = f.file.SetWriteDeadline(time.Now().Add(longestWrite)) // only pipes have one
	written, err := f.file.Write(text)
	if written > 0 {
		f.half = written < len(text)
	}
	f.gone = errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrDeadlineExceeded)
}
