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
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/scratch"
)

// forks are the fakes that were started out of one, and the folder of its snapshots.
type forks struct {
	mu     sync.Mutex
	folder *scratch.Folder
	ends   []func() error
}

// snapshots is the folder of snapshots: the one of the options, or else one that goes
// with the fake.
func (s *Service) snapshots() (string, error) {
	if s.options.SnapshotFolder != "" {
		return s.options.SnapshotFolder, nil
	}
	s.forks.mu.Lock()
	defer s.forks.mu.Unlock()
	if s.forks.folder == nil {
		made, err := scratch.Make("", "hostingsnapshots-")
		if err != nil {
			return "", err
		}
		s.forks.folder = made
		s.forks.ends = append(s.forks.ends, made.Remove)
	}
	return s.forks.folder.Path(), nil
}

// Fork makes another fake that knows what this one knows now, with a data plane of its
// own where this one has one. It is another account with other credentials, and has
// nothing of what tests have asked of this one. Whoever calls it closes it.
func (s *Service) Fork(ctx context.Context) (*Service, error) { return s.forkAt(ctx, "") }

// forkAt is Fork with the address of the fork's portal, "" being where a caller finds it.
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
	o.Setup = o.Setup.WithAccountID("") // a reset of the fork must not make it this account again
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

// serveFork makes a fork that listens on a port of its own until this fake ends, where
// others reach the machines of this one.
func (s *Service) serveFork(ctx context.Context) (control.Fork, error) {
	listener, err := s.options.Outside.Listen(ctx, "127.0.0.1")
	if err != nil {
		return control.Fork{}, err
	}
	root := "http://" + s.options.Outside.Of(listener)
	portal := ""
	if s.options.Outside.Shared() {
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

// end ends the forks and takes the folder of snapshots away.
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
