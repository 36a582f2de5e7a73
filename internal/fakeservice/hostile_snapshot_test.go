package fakeservice_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// repacked returns an archive with changed entries.
func repacked(t *testing.T, archive []byte, change func(out *tar.Writer, entry *tar.Header, content []byte)) []byte {
	t.Helper()
	compressed := must.Get(gzip.NewReader(bytes.NewReader(archive)))(t)
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	writer, reader := tar.NewWriter(zipped), tar.NewReader(compressed)
	for {
		entry, err := reader.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content := must.Get(io.ReadAll(reader))(t)
		change(writer, entry, content)
	}
	for _, end := range []io.Closer{writer, zipped} {
		must.Do(t, end.Close())
	}
	return out.Bytes()
}

func write(t *testing.T, out *tar.Writer, entry *tar.Header, content []byte) {
	t.Helper()
	if entry.Typeflag == tar.TypeReg {
		entry.Size = int64(len(content))
	}
	must.Do(t, out.WriteHeader(entry))
	must.Get(out.Write(content))(t)
}

// A snapshot may come from another person. One that would write outside its folder, or
// that this fake does not know, is refused without an effect.
func TestHostileSnapshots(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.AddInstance(fakeservice.Instance{Name: "theirs"}).ID
	a.told("POST", "/snapshots", `{"name": "good"}`)
	good := a.download("good")
	inRecords := func(old, put string) func(*tar.Writer, *tar.Header, []byte) {
		return func(out *tar.Writer, entry *tar.Header, content []byte) {
			if entry.Name == "records.json" {
				if !bytes.Contains(content, []byte(old)) {
					t.Errorf("the records have no %s", old)
				}
				content = bytes.ReplaceAll(content, []byte(old), []byte(put))
			}
			write(t, out, entry, content)
		}
	}
	beside := func(added tar.Header) func(*tar.Writer, *tar.Header, []byte) {
		return func(out *tar.Writer, entry *tar.Header, content []byte) {
			write(t, out, entry, content)
			if entry.Name == "records.json" {
				write(t, out, &added, nil)
			}
		}
	}
	outside := filepath.Join(t.TempDir(), "records.json")
	for name, c := range map[string]struct {
		change func(*tar.Writer, *tar.Header, []byte)
		want   string
	}{
		"an id that leads elsewhere":    {inRecords(`"`+id+`"`, `"../../victim"`), "id: it takes"},
		"an unknown member":             {inRecords(`"Name":"theirs"`, `"Name":"theirs","Colour":1`), `unknown object member name`},
		"a member that is there twice":  {inRecords(`"Name":"theirs"`, `"Name":"x","Name":"theirs"`), `duplicate object member name`},
		"an entry that is there twice":  {inRecords(`"Begun":`, `"Edition":1,"Begun":`), `duplicate object member name`},
		"an unknown plan":               {inRecords(`"Plan":"free"`, `"Plan":"gold"`), "there is no plan"},
		"an unknown region":             {inRecords(`"Region":"eu-central"`, `"Region":"mars"`), "there is no region"},
		"an unknown status":             {inRecords(`"Status":"running"`, `"Status":"asleep"`), "status: "},
		"an unknown console mode":       {inRecords(`"ConsoleMode":"off"`, `"ConsoleMode":"wide"`), "console_mode: "},
		"a stray file":                  {beside(tar.Header{Name: "stray", Typeflag: tar.TypeReg}), "is not part of a snapshot"},
		"a machine without an instance": {beside(tar.Header{Name: "machines/stray", Typeflag: tar.TypeDir}), "is not part of a snapshot"},
		"of a newer edition":            {inRecords(`"Edition":2`, `"Edition":9`), "use a newer fake service"},
		"records that are a link": {func(out *tar.Writer, entry *tar.Header, content []byte) {
			if entry.Name == "records.json" {
				must.Do(t, os.WriteFile(outside, content, 0o600))
				entry, content = &tar.Header{Name: entry.Name, Typeflag: tar.TypeSymlink, Linkname: outside}, nil
			}
			write(t, out, entry, content)
		}, "neither a file nor a folder"},
		"a folder that is a link": {beside(tar.Header{Name: "machines", Typeflag: tar.TypeSymlink, Linkname: "/"}), "neither a file nor a folder"},
		"a pipe":                  {beside(tar.Header{Name: "pipe", Typeflag: tar.TypeFifo}), "neither a file nor a folder"},
		"a name of many levels":   {beside(tar.Header{Name: strings.Repeat("d/", 301), Typeflag: tar.TypeDir}), "more than 300 folders"},
		"a long name":             {beside(tar.Header{Name: strings.Repeat("d", 5000), Typeflag: tar.TypeDir}), "4096 bytes"},
		"a file beside it":        {beside(tar.Header{Name: "../beside", Typeflag: tar.TypeReg}), "escapes"},
	} {
		t.Run(name, func(t *testing.T) {
			own := start(t)
			kept := own.AddInstance(fakeservice.Instance{Name: "own"}).ID
			status, answer := own.raw(http.MethodPut, "/_fake/snapshots/theirs", repacked(t, good, c.change))
			if status == http.StatusOK {
				status, answer = own.raw(http.MethodPost, "/_fake/snapshots/theirs/restore", nil)
			}
			if status != http.StatusBadRequest || !strings.Contains(string(answer), c.want) {
				t.Errorf("the snapshot: got %d %s, want 400 with %q", status, answer, c.want)
			}
			if in, ok := own.Instance(kept); !ok || in.Name != "own" {
				t.Error("the existing instance was lost or changed")
			}
		})
	}

	// A small archive may be unpacked to many bytes or many files.
	limited := start(t, func(o *fakeservice.Options) { o.SnapshotLimit = 1 << 20 })
	zeros := func(out *tar.Writer, entry *tar.Header, content []byte) {
		write(t, out, entry, content)
		if entry.Name == "records.json" {
			write(t, out, &tar.Header{Name: "zeros", Typeflag: tar.TypeReg, Mode: 0o600}, make([]byte, 1<<20))
		}
	}
	empty := func(out *tar.Writer, entry *tar.Header, content []byte) {
		write(t, out, entry, content)
		for n := range 300 {
			name := strconv.Itoa(n)
			write(t, out, &tar.Header{Name: "folder" + name, Typeflag: tar.TypeDir}, nil)
		}
	}
	// One entry makes all the folders above it.
	deep := func(out *tar.Writer, entry *tar.Header, content []byte) {
		write(t, out, entry, content)
		write(t, out, &tar.Header{Name: strings.Repeat("d/", 270), Typeflag: tar.TypeDir}, nil)
	}
	for name, change := range map[string]func(*tar.Writer, *tar.Header, []byte){"bytes": zeros, "files": empty, "implied folders": deep} {
		status, answer := limited.raw(http.MethodPut, "/_fake/snapshots/large", repacked(t, good, change))
		if status != http.StatusBadRequest || !strings.Contains(string(answer), "--snapshot-limit") {
			t.Errorf("too many %s: got %d %s, want 400 with --snapshot-limit", name, status, answer)
		}
	}
	if status, answer := limited.raw(http.MethodPut, "/_fake/snapshots/small", good); status != http.StatusOK {
		t.Errorf("a small snapshot: got %d %s, want 200", status, answer)
	}
}
