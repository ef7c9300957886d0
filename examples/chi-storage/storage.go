package main

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	"latchkey/verify"
)

type file struct {
	verify.Row
	name, content string
}

// storage keeps every version of every file, the newest last. A real storage has a table with the columns of Row.
func storage(gate *verify.Gate) http.Handler {
	files, mutex := []file{}, sync.Mutex{}
	readable := func(r *http.Request) map[string]string {
		mutex.Lock()
		defer mutex.Unlock()
		found := map[string]string{}
		for _, each := range files {
			if verify.Visible(verify.AdmittedBy(r).Grant, each.Row) {
				found[each.name] = each.content
			}
		}
		return found
	}
	router := chi.NewRouter()
	router.Put("/r/{repo}/{ref}/files/{name}", func(w http.ResponseWriter, r *http.Request) {
		content, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, "the body is too large or incomplete", http.StatusBadRequest)
			return
		}
		mutex.Lock()
		defer mutex.Unlock()
		files = append(files, file{verify.RowFor(verify.AdmittedBy(r).Grant, time.Now()), r.PathValue("name"), string(content)})
		w.WriteHeader(http.StatusCreated)
	})
	router.Get("/r/{repo}/{ref}/files/{name}", func(w http.ResponseWriter, r *http.Request) {
		if content, found := readable(r)[r.PathValue("name")]; found {
			w.Header().Set("Content-Type", "application/octet-stream")
			_, _ = io.WriteString(w, content)
			return
		}
		http.NotFound(w, r)
	})
	router.Get("/r/{repo}/{ref}/files", func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(append([]string{}, slices.Sorted(maps.Keys(readable(r)))...))
	})
	return gate.Guard(router)
}
