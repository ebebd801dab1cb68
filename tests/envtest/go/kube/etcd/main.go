// Command etcd runs one etcd member for tests. Its flags are some of etcd's own, so that an etcd of
// another origin can stand in its place.
package main

import (
	"flag"
	"log"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
)

func main() {
	config := embed.NewConfig()
	flag.StringVar(&config.Dir, "data-dir", "", "folder of the data")
	flag.StringVar(&config.LogLevel, "log-level", "error", "what is logged")
	flag.BoolVar(&config.UnsafeNoFsync, "unsafe-no-fsync", false, "do not wait for the disk")
	listen := flag.String("listen-client-urls", "", "URL to listen on for clients")
	advertise := flag.String("advertise-client-urls", "", "URL that clients are told")
	peer := flag.String("listen-peer-urls", "", "URL to listen on for peers")
	flag.Parse()
	config.ListenClientUrls = parse(*listen)
	config.AdvertiseClientUrls = parse(*advertise)
	config.ListenPeerUrls = parse(*peer)
	server, err := embed.StartEtcd(config)
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	select {
	case <-stop:
	case err := <-server.Err():
		log.Fatal(err)
	}
}

func parse(text string) []url.URL {
	found, err := url.Parse(text)
	if err != nil {
		log.Fatal(err)
	}
	return []url.URL{*found}
}
