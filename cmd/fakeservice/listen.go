package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// listenAddress refuses an address that other machines can reach, unless that is wanted:
// keys and passwords travel unencrypted. A port without a host means this machine's
// loopback address.
func listenAddress(address string, allowRemote bool) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", fmt.Errorf("--listen: %w", err)
	}
	if allowRemote || host == "localhost" {
		return address, nil
	}
	if host == "" {
		return net.JoinHostPort("127.0.0.1", port), nil
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() {
		return address, nil
	}
	return "", fmt.Errorf("--listen %s would let other machines in, without encryption; use 127.0.0.1:%s, or --allow-remote", address, port)
}

// listen listens on an address of --listen, unless another program uses it.
func listen(ctx context.Context, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	// Some systems let two programs share a port, one at all addresses and one at a single
	// address. And localhost is two addresses, so a client may use the other one.
	if who := whoAnswers(ctx, host, port); who != "" {
		return nil, taken(address, port, who)
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, taken(address, port, "another program")
	}
	return listener, err
}

func taken(address, port, who string) error {
	return fmt.Errorf("port %s is taken: %s has it, so nothing is served at %s; end it, or choose another port with --listen", port, who, address)
}

// whoAnswers names the program that already listens on a port at an address that clients of
// the host would reach. It is empty if there is none.
func whoAnswers(ctx context.Context, host, port string) string {
	if port == "0" {
		return ""
	}
	hosts := []string{host}
	if ip, err := netip.ParseAddr(host); host == "" || host == "localhost" || err == nil && ip.IsUnspecified() {
		hosts = []string{"127.0.0.1", "::1"}
	}
	dialer := net.Dialer{Timeout: time.Second}
	for _, host := range hosts {
		address := net.JoinHostPort(host, port)
		connection, err := dialer.DialContext(ctx, "tcp", address)
		if err != nil {
			continue
		}
		_ = connection.Close() // the connection proves that the port is taken
		if isFake(ctx, address) {
			return "another fake service"
		}
		return "another program"
	}
	return ""
}

// isFake reports whether a fake service answers at an address. Only a fake asks for a
// control token.
func isFake(ctx context.Context, address string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/_fake/state", nil)
	if err != nil {
		return false
	}
	client := http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close() // the header is sufficient
	return strings.Contains(response.Header.Get("WWW-Authenticate"), "fake service")
}

// dialable returns an address at which this machine reaches the listener.
func dialable(address net.Addr) string {
	if tcp, ok := address.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: tcp.Port}).String()
	}
	return address.String()
}
