// Package storage keeps the fake's records in a file, so that they outlive the program
// however it ends.
package storage

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// File is a core.Storage in one file, which one program at a time can open.
type File struct{ db *bbolt.DB }

var _ core.Storage = (*File)(nil)

// records is the bucket of the entries.
var records = []byte("records")

// patience is the time that an ending program may keep the file open.
const patience = 2 * time.Second

// Open opens a file, and creates it if it does not exist.
func Open(path string) (_ *File, err error) {
	defer unlessDamaged(path, &err)()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: patience})
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, fmt.Errorf("%s is in use by another fake service", path)
	}
	if errors.Is(err, bolterrors.ErrInvalid) || errors.Is(err, bolterrors.ErrVersionMismatch) || errors.Is(err, bolterrors.ErrChecksum) {
		return nil, damaged(path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(records)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &File{db}, nil
}

// unlessDamaged turns the crash that a damaged file causes into an error: the library
// trusts a file, and reads beyond the end of a truncated one. Both the call and the
// function that it returns must be deferred.
func unlessDamaged(path string, err *error) func() {
	before := debug.SetPanicOnFault(true) // a missing page is a fault
	return func() {
		debug.SetPanicOnFault(before)
		if p := recover(); p != nil {
			*err = damaged(path, p)
		}
	}
}

func damaged(path string, how any) error {
	return fmt.Errorf("%s is damaged (%v): restore it from a copy of the folder", path, how)
}

// Read returns all entries.
func (f *File) Read() (entries map[string][]byte, err error) {
	defer unlessDamaged(f.db.Path(), &err)()
	entries = map[string][]byte{}
	err = f.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(records).ForEach(func(key, value []byte) error {
			entries[string(key)] = bytes.Clone(value)
			return nil
		})
	})
	return entries, err
}

// Write sets and deletes entries in one transaction, which is on the disk when Write
// returns.
func (f *File) Write(changes map[string][]byte) error {
	return f.db.Update(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(records)
		for key, value := range changes {
			var err error
			if value == nil {
				err = bucket.Delete([]byte(key))
			} else {
				err = bucket.Put([]byte(key), value)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Close closes the file.
func (f *File) Close() error { return f.db.Close() }
