// Package client gets and refreshes storage tokens of a Latchkey hub, sends requests to the storage with them, and transfers
// files. It needs the standard library only.
//
//	storage, err := client.New(client.Options{
//		HubURL:     "https://hub.example",
//		HubToken:   client.NewSecret(os.Getenv("HUB_TOKEN")),
//		Repository: "models/acme/bert",
//	})
//	file, err := storage.UploadFile(ctx, "weights.bin", client.UploadOptions{})
//	_, err = storage.DownloadFile(ctx, file.Hash, "copy.bin", client.DownloadOptions{})
//
// A Client is for one identity, one repository and one revision. All its goroutines share one token for each scope, and one
// request for it. It sends a token only to URLs below the casUrl that came with it, and follows no redirect with it. No error and
// no printed value holds a token.
//
// Calls retry after network errors, and after the statuses 429 and 5xx except 501. A server that never responds is waited for
// until the context of the call ends: give it a deadline.
package client
