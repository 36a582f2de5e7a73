// Command shop is the app of the guides: it only answers its health path.
package main

import (
	"net/http"
	"os"
)

func main() {
	if err := http.ListenAndServe(":"+os.Getenv("PORT"), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})); err != nil {
		panic(err)
	}
}
