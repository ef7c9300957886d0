// Package latchkeytest is a test kit for storages that are guarded by package verify. A Hub signs tokens of any scope,
// repository and ref, revokes them, and has a clock that a test moves. A gate made with Hub.Options accepts its tokens.
//
//	hub := latchkeytest.NewHub(t, latchkeytest.HubOptions{})
//	gate, err := verify.New(hub.Options())
//
// No test needs a running hub, or waits: a revocation is effective when Hub.Revoke returns.
package latchkeytest
