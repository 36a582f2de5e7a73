// Command app is the app that the tests of the app runtime build and run.
package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
)

func main() {
	fmt.Println("app: version", os.Getenv("VERSION"))
	if os.Getenv("ENDS") != "" {
		os.Exit(4)
	}
	var sick atomic.Bool
	sick.Store(os.Getenv("SICK") != "")
	if os.Getenv("SPAWN") != "" {
		child := exec.Command("sleep", "1000")
		if err := child.Start(); err != nil {
			panic(err)
		}
		write("child", fmt.Sprint(child.Process.Pid))
	}
	http.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		if sick.Load() {
			w.WriteHeader(http.StatusTeapot)
		}
	})
	http.HandleFunc("/heal", func(http.ResponseWriter, *http.Request) { sick.Store(false) })
	http.HandleFunc("/sicken", func(http.ResponseWriter, *http.Request) { sick.Store(true) })
	http.HandleFunc("/crash", func(http.ResponseWriter, *http.Request) { os.Exit(3) })
	http.HandleFunc("/env", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, strings.Join(os.Environ(), "\n"))
	})
	http.HandleFunc("/user", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, os.Getuid()) })
	http.HandleFunc("/host", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host) })
	http.HandleFunc("/read", func(w http.ResponseWriter, r *http.Request) {
		text, err := os.ReadFile(r.URL.Query().Get("file"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		w.Write(text)
	})
	http.HandleFunc("/keep", func(_ http.ResponseWriter, r *http.Request) { write("kept", r.URL.Query().Get("text")) })
	if err := http.ListenAndServe(":"+os.Getenv("PORT"), nil); err != nil {
		panic(err)
	}
}

func write(name, text string) {
	if err := os.WriteFile(filepath.Join(os.Getenv("DATA_DIR"), name), []byte(text), 0o600); err != nil {
		panic(err)
	}
}
