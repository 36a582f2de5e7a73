package nats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/datafolder"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/engineaccount"
)

// A backup has two files for each stream that is stored in files: the server's description
// of it, and the archive that the server makes of it. Streams in memory are not backed up.
const (
	aboutFile   = ".json"
	archiveFile = ".archive"
)

// about is the server's description of a saved stream, which it needs to restore the
// stream.
type about struct {
	Config json.RawMessage `json:"config"`
	State  json.RawMessage `json:"state"`
}

// Backup saves the streams to a folder while the server runs, and returns the number of
// bytes written.
func (s *Server) Backup(ctx context.Context, folder string) (int64, error) {
	ctx, release, err := s.lock.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	if err := s.save(ctx, folder); err != nil {
		return 0, errors.Join(fmt.Errorf("back NATS up: %w", err), os.RemoveAll(folder))
	}
	return engineaccount.SizeOf(folder)
}

func (s *Server) save(ctx context.Context, folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	connection, err := s.connect(s.running)
	if err != nil {
		return err
	}
	defer connection.Close()
	manager, err := jetstream.New(connection, jetstream.WithDefaultTimeout(patience))
	if err != nil {
		return err
	}
	streams := manager.ListStreams(ctx)
	for info := range streams.Info() {
		if info.Config.Storage != jetstream.FileStorage {
			continue
		}
		to := filepath.Join(folder, info.Config.Name)
		if err := saveStream(ctx, connection, info.Config.Name, to); err != nil {
			return fmt.Errorf("the stream %s: %w", info.Config.Name, err)
		}
	}
	return streams.Err()
}

// saveStream requests an archive of a stream and writes its pieces to a file.
func saveStream(ctx context.Context, connection *nats.Conn, stream, to string) (err error) {
	pieces, err := connection.SubscribeSync(connection.NewInbox())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pieces.Unsubscribe()) }()
	saved, err := ask(ctx, connection, fmt.Sprintf(server.JSApiStreamSnapshotT, stream),
		server.JSApiStreamSnapshotRequest{DeliverSubject: pieces.Subject})
	if err != nil {
		return err
	}
	if err := os.WriteFile(to+aboutFile, saved, 0o600); err != nil {
		return err
	}
	file, err := os.OpenFile(to+archiveFile, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for {
		piece, err := pieces.NextMsgWithContext(ctx)
		if err != nil {
			return err
		}
		if len(piece.Data) == 0 {
			return endOf(piece)
		}
		if _, err := file.Write(piece.Data); err != nil {
			return err
		}
		// The last piece needs no reply.
		if piece.Reply != "" {
			if err := piece.Respond(nil); err != nil {
				return err
			}
		}
	}
}

// endOf returns an error if the server has given up on an archive.
func endOf(piece *nats.Msg) error {
	if status, err := strconv.Atoi(piece.Header.Get("Status")); err == nil && status >= 400 {
		return errors.New(piece.Header.Get("Description"))
	}
	return nil
}

// Restore replaces the streams with a backup. The current settings stay.
func (s *Server) Restore(ctx context.Context, folder string) error {
	return s.replaceData(ctx, func(ctx context.Context) error { return s.fill(ctx, folder) })
}

// Reset restores the server's initial state.
func (s *Server) Reset(ctx context.Context) error {
	return s.replaceData(ctx, func(context.Context) error { return nil })
}

func (s *Server) replaceData(ctx context.Context, fill func(context.Context) error) error {
	ctx, release, err := s.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	return datafolder.Replacement{Folder: s.data(), Stop: s.stop, Start: s.start, Fill: fill}.Do(ctx)
}

// fill creates the data folder with the streams of a backup. It uses a server that no
// client can reach and whose advisories are not reported as events.
func (s *Server) fill(ctx context.Context, folder string) (err error) {
	options := s.options()
	options.DontListen = true
	hidden, err := run(options, s.log)
	if err != nil {
		return err
	}
	defer end(hidden)
	connection, err := s.connect(hidden)
	if err != nil {
		return err
	}
	defer connection.Close()
	streams, err := streamsIn(folder)
	for _, stream := range streams {
		err = errors.Join(err, restoreStream(ctx, connection, stream, filepath.Join(folder, stream)))
	}
	return err
}

// streamsIn returns the names of the streams in a backup.
func streamsIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the backup is not there: %w", err)
	}
	var streams []string
	for _, entry := range entries {
		if stream, ok := strings.CutSuffix(entry.Name(), aboutFile); ok {
			streams = append(streams, stream)
		}
	}
	return streams, err
}

// pieceSize is the size of the pieces in which an archive is sent. The server accepts a
// megabyte.
const pieceSize = 256 << 10

// restoreStream sends an archive, piece by piece.
func restoreStream(ctx context.Context, connection *nats.Conn, stream, from string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("the stream %s: %w", stream, err)
		}
	}()
	text, err := os.ReadFile(from + aboutFile)
	if err != nil {
		return err
	}
	var saved about
	if err := json.Unmarshal(text, &saved); err != nil {
		return err
	}
	answer, err := ask(ctx, connection, fmt.Sprintf(server.JSApiStreamRestoreT, stream), saved)
	if err != nil {
		return err
	}
	var where server.JSApiStreamRestoreResponse
	if err := json.Unmarshal(answer, &where); err != nil {
		return err
	}
	file, err := os.Open(from + archiveFile)
	if err != nil {
		return err
	}
	defer file.Close()
	piece := make([]byte, pieceSize)
	for {
		n, err := io.ReadFull(file, piece)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		// An empty piece marks the end.
		if _, err := send(ctx, connection, where.DeliverSubject, piece[:n]); err != nil || n == 0 {
			return err
		}
	}
}

// ask sends a request to JetStream and returns the answer, or the error in it.
func ask(ctx context.Context, connection *nats.Conn, subject string, request any) ([]byte, error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	return send(ctx, connection, subject, text)
}

func send(ctx context.Context, connection *nats.Conn, subject string, text []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer, err := connection.RequestWithContext(ctx, subject, text)
	if err != nil || len(answer.Data) == 0 {
		return nil, err
	}
	var said server.ApiResponse
	if err := json.Unmarshal(answer.Data, &said); err != nil {
		return nil, err
	}
	return answer.Data, said.ToError()
}
