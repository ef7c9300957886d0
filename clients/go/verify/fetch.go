package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// hub is where keys and revocations come from: the configured one alone, without redirects and within bounds.
type hub struct {
	url    string
	client *http.Client
}

// document is a public one of the hub.
type document struct {
	// path is below the hub's URL.
	path   string
	accept string
	// name is how a sentence calls it.
	name string
	most int64
}

func newHub(url string, transport http.RoundTripper) hub {
	if transport == nil {
		transport = &http.Transport{
			// What is unpacked on the way could be larger than what was sent.
			DisableCompression:     true,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    5 * time.Second,
			IdleConnTimeout:        90 * time.Second,
			MaxIdleConns:           4,
			MaxResponseHeaderBytes: 64 << 10,
		}
	}
	refuseRedirects := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return hub{url, &http.Client{Transport: transport, CheckRedirect: refuseRedirects}}
}

// fetch fails unless the hub answers with 200 and all of the document.
func (hub hub) fetch(ctx context.Context, wanted document) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, hub.url+wanted.path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", wanted.accept)
	// An old answer of a cache on the way would be worth nothing.
	request.Header.Set("Cache-Control", "no-cache")
	response, err := hub.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the hub answered with status %d instead of %s", response.StatusCode, wanted.name)
	}
	bytes, err := io.ReadAll(io.LimitReader(response.Body, wanted.most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(bytes)) > wanted.most {
		return nil, fmt.Errorf("the hub sent more than %d bytes as %s", wanted.most, wanted.name)
	}
	return bytes, nil
}

// fetchKeys fails when the hub does not answer with at least one key of ours.
func (hub hub) fetchKeys(ctx context.Context, wanted document) (*KeySet, error) {
	bytes, err := hub.fetch(ctx, wanted)
	if err != nil {
		return nil, err
	}
	keys, err := ReadKeySet(bytes)
	if err == nil && len(keys.keys) == 0 {
		err = errors.New("the hub published no key that the gate can use")
	}
	return keys, err
}
