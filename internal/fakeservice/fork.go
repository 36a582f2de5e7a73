package fakeservice

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/control"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// forks has the functions that end a fake's forks, and the folder of its snapshots.
type forks struct {
	mu     sync.Mutex
	folder *workdir.Folder
	ends   []func() error
}

// snapshots returns the folder of snapshots: that of the options, or a temporary one that
// is removed when the fake ends.
func (s *Service) snapshots() (string, error) {
	if s.options.SnapshotFolder != "" {
		return s.options.SnapshotFolder, nil
	}
	s.forks.mu.Lock()
	defer s.forks.mu.Unlock()
	if s.forks.folder == nil {
		made, err := workdir.Make("", "hostingsnapshots-")
		if err != nil {
			return "", err
		}
		s.forks.folder = made
		s.forks.ends = append(s.forks.ends, made.Remove)
	}
	return s.forks.folder.Path(), nil
}

// Fork makes another fake with a copy of the current state. If this fake has a data
// plane, the fork has a new one. The fork has a different account and new credentials,
// and none of the holds and faults of tests. The caller must close it.
func (s *Service) Fork(ctx context.Context) (*Service, error) { return s.forkAt(ctx, "") }

// forkAt is Fork with the address of the fork's portal. "" means the address at which the
// caller found the API.
func (s *Service) forkAt(ctx context.Context, portal string) (fork *Service, err error) {
	snapshots, err := s.snapshots()
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(snapshots, ".fork-"+rand.Text())
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	if err := s.SaveSnapshot(ctx, folder); err != nil {
		return nil, err
	}
	o := s.options
	o.APIKey, o.ControlToken, o.PortalPassword, o.Storage, o.DataPlane, o.SnapshotFolder = "", "", "", nil, nil, ""
	o.PortalURL = portal
	o.Setup = o.Setup.WithAccountID("") // a reset of the fork must not restore the id of this account
	if s.options.DataPlane != nil {
		if o.NewDataPlane == nil {
			return nil, errors.New("this fake service has a data plane and cannot make another")
		}
		if o.DataPlane, err = o.NewDataPlane(); err != nil {
			return nil, err
		}
	}
	if fork, err = Open(o); err != nil {
		return nil, err
	}
	id := fork.AccountID()
	if err := fork.LoadSnapshot(ctx, folder); err != nil {
		return nil, errors.Join(err, fork.Close())
	}
	fork.SetAccountID(id)
	return fork, nil
}

// serveFork makes a fork that listens on its own port until this fake ends. It uses the
// same host as the machines of this fake.
func (s *Service) serveFork(ctx context.Context) (control.Fork, error) {
	listener, err := s.options.Public.Listen(ctx, "127.0.0.1")
	if err != nil {
		return control.Fork{}, err
	}
	root := "http://" + s.options.Public.Of(listener)
	portal := ""
	if s.options.Public.Shared() {
		portal = root
	}
	fork, err := s.forkAt(ctx, portal)
	if err != nil {
		return control.Fork{}, errors.Join(err, listener.Close())
	}
	fork.MoveCheckouts(root)
	server := NewHTTPServer(fork, LongestRequest)
	go func() { _ = server.Serve(listener) }() // it ends with the fake
	s.forks.mu.Lock()
	defer s.forks.mu.Unlock()
	s.forks.ends = append(s.forks.ends, func() error { return errors.Join(fork.Close(), server.Close()) })
	return control.Fork{
		BaseURL: root + rest.Prefix,
		APIKey:  fork.APIKey(), ControlToken: fork.ControlToken(), PortalPassword: fork.PortalPassword(),
	}, nil
}

// end ends the forks and removes the folder of snapshots.
func (f *forks) end() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, end := range f.ends {
		errs = append(errs, end())
	}
	f.ends = nil
	return errors.Join(errs...)
}
