package cliconfig

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func TestMirror(t *testing.T) {
	program, mirror := filepath.Join(t.TempDir(), "built"), t.TempDir()
	if err := os.WriteFile(program, []byte("a provider"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Mirror(mirror, program); err != nil {
		t.Fatal(err)
	}
	var laid []string
	err := fs.WalkDir(os.DirFS(mirror), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		laid = append(laid, path)
		text, err := fs.ReadFile(os.DirFS(mirror), path)
		if info, _ := entry.Info(); info.Mode()&0o100 == 0 || string(text) != "a provider" {
			t.Errorf("%s: got the mode %s and the text %q, want an executable \"a provider\"", path, info.Mode(), text)
		}
		return err
	})
	name := "/instance-hosting/hosting/" + Edition + "/" + runtime.GOOS + "_" + runtime.GOARCH + "/terraform-provider-hosting_v" + Edition
	if want := []string{"registry.opentofu.org" + name, "registry.terraform.io" + name}; err != nil || !slices.Equal(laid, want) {
		t.Errorf("the mirror: got %v (%v), want %v", laid, err, want)
	}
	if err := Mirror(t.TempDir(), program+" that is not there"); err == nil {
		t.Error("Mirror of a missing program: got no error, want one")
	}
}
