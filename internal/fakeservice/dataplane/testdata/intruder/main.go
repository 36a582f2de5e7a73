// Command intruder is an app that tries to get at what is not its business, and
// says in one line each how that went.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
)

func main() {
	try("its own user", func() (string, error) {
		if os.Getuid() == 0 {
			return "it is root", nil
		}
		return "", fmt.Errorf("it is the user %d", os.Getuid())
	})
	try("the caller's environment, in its own", func() (string, error) {
		if secret := os.Getenv("SECRET_OF_THE_CALLER"); secret != "" {
			return secret, nil
		}
		return "", fmt.Errorf("the variable is not there")
	})
	try("the caller's environment, in /proc", read("/proc/"+os.Getenv("FAKE_PID")+"/environ"))
	try("the caller's command line", read("/proc/"+os.Getenv("FAKE_PID")+"/cmdline"))
	try("the fake's folder", list(os.Getenv("FAKE_FOLDER")))
	try("the folder of apps", list(os.Getenv("APPS_FOLDER")))
	try("another instance's key", read(os.Getenv("OTHER_KEY")))
	try("another instance's Postgres socket", func() (string, error) {
		connection, err := net.Dial("unix", os.Getenv("OTHER_SOCKET"))
		if err != nil {
			return "", err
		}
		return "connected", connection.Close()
	})
	fmt.Println("tried all")
	http.HandleFunc("/healthz", func(http.ResponseWriter, *http.Request) {})
	if err := http.ListenAndServe(":"+os.Getenv("PORT"), nil); err != nil {
		panic(err)
	}
}

func try(what string, get func() (string, error)) {
	got, err := get()
	if err != nil || got == "" {
		fmt.Printf("refused: %s (%v)\n", what, err)
		return
	}
	fmt.Printf("GOT: %s: %.200q\n", what, got)
}

func read(file string) func() (string, error) {
	return func() (string, error) {
		text, err := os.ReadFile(file)
		return string(text), err
	}
}

func list(folder string) func() (string, error) {
	return func() (string, error) {
		entries, err := os.ReadDir(folder)
		var names []string
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return strings.Join(names, " "), err
	}
}
