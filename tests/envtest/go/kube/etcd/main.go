// Command etcd runs one etcd member for tests: no peers, no fsync.
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
	dir := flag.String("data-dir", "", "folder of the data")
	client := flag.String("client-url", "", "URL to listen on for clients")
	peer := flag.String("peer-url", "", "URL to listen on for peers")
	flag.Parse()
	config := embed.NewConfig()
	config.Dir = *dir
	config.UnsafeNoFsync = true
	config.LogLevel = "error"
	config.ListenClientUrls = []url.URL{parse(*client)}
	config.AdvertiseClientUrls = config.ListenClientUrls
	config.ListenPeerUrls = []url.URL{parse(*peer)}
	config.AdvertisePeerUrls = config.ListenPeerUrls
	config.InitialCluster = config.InitialClusterFromName(config.Name)
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

func parse(text string) url.URL {
	found, err := url.Parse(text)
	if err != nil {
		log.Fatal(err)
	}
	return *found
}
