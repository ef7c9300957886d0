// Command chi-storage is a storage on chi that shows each storage token the files of its own repository and ref.
package main

import (
	"cmp"
	"log"
	"net/http"
	"os"

	"latchkey/verify"
)

func main() {
	gate, err := verify.New(verify.Options{HubURL: os.Getenv("HUB_URL"), CasURL: os.Getenv("CAS_URL")})
	if err != nil {
		log.Fatal(err)
	}
	defer gate.Close()
	log.Print(http.ListenAndServe("127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "8081"), storage(gate)))
}
