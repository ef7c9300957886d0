package verify

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestATokenThatTheHubTookBackIsRefusedAndNoOther(t *testing.T) {
	hub := newFakeHub(t)
	gate := hub.gate(t, nil)
	request, claims := hub.rightRequest(t)
	if code := codeOf(t, gate, request); code != "" || !gate.Ready() {
		t.Fatal(code)
	}
	admitted, _ := gate.Check(t.Context(), request)
	hub.cut("account", "somebody else")
	gate.Refresh(t.Context())
	if code := codeOf(t, gate, request); code != "" {
		t.Errorf("%s when somebody else is cut off", code)
	}
	hub.cut("account", claims.Subject)
	gate.Refresh(t.Context())
	if _, refusal := gate.Check(t.Context(), request); refusal == nil || refusal.Reason != Revoked {
		t.Errorf("%+v when the account is cut off", refusal)
	}
	if refusal := gate.CheckGrant(admitted.Grant.Revocable); refusal == nil || refusal.Reason != Revoked {
		t.Errorf("%+v for what was signed on its behalf", refusal)
	}
}

func TestNewsThatAreLateAreAskedForByTheRequestItself(t *testing.T) {
	hub := newFakeHub(t)
	gate := hub.gate(t, nil)
	request, claims := hub.rightRequest(t)
	if code := codeOf(t, gate, request); code != "" {
		t.Fatal(code)
	}
	hub.cut("account", claims.Subject)
	if code := codeOf(t, gate, request); code != "" {
		t.Errorf("%s within the normal bound", code)
	}
	hub.seconds.Add(defaultPollSeconds + pollPatienceSeconds + 1)
	if code := codeOf(t, gate, request); code != StorageTokenInvalid {
		t.Errorf("%q after the normal bound", code)
	}
}

func TestWhenStaleForAMinuteRequestsAreRefusedUnlessTheOperatorChoseOtherwise(t *testing.T) {
	for _, when := range []WhenStale{Reject, Allow} {
		hub := newFakeHub(t)
		gate := hub.gate(t, func(options *Options) { options.WhenStale = when })
		request, _ := hub.rightRequest(t)
		if code := codeOf(t, gate, request); code != "" {
			t.Fatal(code)
		}
		hub.Change(func() { hub.IsAway = true })
		hub.seconds.Add(59)
		if code := codeOf(t, gate, request); code != "" {
			t.Errorf("%s after 59 seconds", code)
		}
		hub.seconds.Add(1)
		admits := when == Allow
		if code := codeOf(t, gate, request); (code == "") != admits || gate.Ready() != admits {
			t.Errorf("%q after a minute, with %s", code, when)
		}
	}
}

func TestWithoutAFirstWordOfTheHubNothingIsAdmitted(t *testing.T) {
	hub := newFakeHub(t)
	hub.Change(func() { hub.HeadKey.Kid = strings.Repeat("x", 43) })
	gate := hub.gate(t, func(options *Options) { options.WhenStale = Allow })
	request, _ := hub.rightRequest(t)
	if code := codeOf(t, gate, request); code != GateNotReady {
		t.Errorf("%q", code)
	}
}

func TestAHubThatIsAwayIsToldOnce(t *testing.T) {
	hub := newFakeHub(t)
	hub.Change(func() { hub.IsAway = true })
	var told atomic.Int64
	gate := hub.gate(t, func(options *Options) { options.OnFailure = func(error) { told.Add(1) } })
	for range 5 {
		gate.revocations.source.refresh(t.Context())
	}
	if told.Load() != 1 {
		t.Errorf("told %d times", told.Load())
	}
}

// endless gives bytes for as long as somebody reads.
type endless struct{}

func (endless) Read(into []byte) (int, error) { return len(into), nil }

func TestARequestUnderWayEndsWhenItsTokenIsTakenBack(t *testing.T) {
	for name, transfer := range map[string]func(http.ResponseWriter, *http.Request) error{
		"an upload": func(_ http.ResponseWriter, request *http.Request) error {
			_, err := io.Copy(io.Discard, request.Body)
			return err
		},
		"a download": func(writer http.ResponseWriter, _ *http.Request) error {
			_, err := io.Copy(writer, endless{})
			return err
		},
	} {
		hub := newFakeHub(t)
		gate := hub.gate(t, nil)
		request, claims := hub.rightRequest(t)
		began, ended := make(chan struct{}), make(chan error, 2)
		server := httptest.NewServer(gate.Guard(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
			close(began)
			ended <- transfer(writer, request)
			ended <- context.Cause(request.Context())
		})))
		answered := make(chan error, 1)
		go func() {
			sent, _ := http.NewRequest(http.MethodPost, server.URL+request.Target, endless{})
			sent.Header.Set("Authorization", request.Headers[0].Value)
			response, err := http.DefaultClient.Do(sent)
			if err == nil {
				_, err = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
			}
			answered <- err
		}()
		<-began
		hub.cut("repository", claims.Repository.UID)
		gate.Refresh(t.Context())
		if err := <-ended; err == nil {
			t.Errorf("%s goes on", name)
		}
		if cause := <-ended; cause != ErrRevoked {
			t.Errorf("%s: the context ended by %v", name, cause)
		}
		if err := <-answered; err == nil {
			t.Errorf("%s: the part of an answer passes for the whole", name)
		}
		server.Close()
		gate.revocations.watched.mutex.Lock()
		if len(gate.revocations.watched.all) != 0 {
			t.Errorf("%s that is over is watched", name)
		}
		gate.revocations.watched.mutex.Unlock()
	}
}

func TestARequestEndsAlsoWhereItsWriterKnowsNoDeadlines(t *testing.T) {
	hub := newFakeHub(t)
	gate := hub.gate(t, nil)
	request, claims := hub.rightRequest(t)
	began := make(chan struct{})
	guarded := gate.Guard(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		close(began)
		<-request.Context().Done()
	}))
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		guarded.ServeHTTP(struct{ http.ResponseWriter }{writer}, request)
	}))
	t.Cleanup(server.Close)
	go func() {
		<-began
		hub.cut("repository", claims.Repository.UID)
		gate.Refresh(t.Context())
	}()
	sent, _ := http.NewRequest(http.MethodGet, server.URL+request.Target, nil)
	sent.Header.Set("Authorization", request.Headers[0].Value)
	if response, err := http.DefaultClient.Do(sent); err == nil {
		_ = response.Body.Close()
		t.Errorf("%s for a request that was cut", response.Status)
	}
}

func TestAGatePollsByItselfFromItsFirstUseUntilItIsClosed(t *testing.T) {
	uses := map[string]func(*Gate){
		"Guard":      func(gate *Gate) { gate.Guard(http.NotFoundHandler()) },
		"Check":      func(gate *Gate) { gate.Check(context.Background(), Request{}) },
		"CheckGrant": func(gate *Gate) { gate.CheckGrant(Revocable{}) },
		"Ready":      func(gate *Gate) { gate.Ready() },
		"Refresh":    func(gate *Gate) { gate.Refresh(context.Background()) },
	}
	for name, use := range uses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hub := newFakeHub(t)
			gate := hub.pollingGate(t)
			use(gate)
			for started := hub.HeadsAsked.Load(); hub.HeadsAsked.Load() < started+2; {
				time.Sleep(10 * time.Millisecond)
			}
			gate.Close()
			// A request that was in flight may still come.
			time.Sleep(100 * time.Millisecond)
			closed := hub.HeadsAsked.Load()
			time.Sleep(1500 * time.Millisecond)
			if polled := hub.HeadsAsked.Load() - closed; polled != 0 {
				t.Errorf("%d polls after Close", polled)
			}
		})
	}
}

func TestAGateThatIsNotUsedOrWasClosedBeforeDoesNotPoll(t *testing.T) {
	hub := newFakeHub(t)
	hub.pollingGate(t)
	closed := hub.pollingGate(t)
	closed.Close()
	closed.Ready()
	time.Sleep(1500 * time.Millisecond)
	if polled := hub.HeadsAsked.Load(); polled != 0 {
		t.Errorf("%d polls", polled)
	}
	request, _ := hub.rightRequest(t)
	if code := codeOf(t, closed, request); code != "" {
		t.Errorf("%q from a gate that was closed", code)
	}
}

func TestCallersOfOneTimeShareAQuestionThatIsSentAfterTheirCall(t *testing.T) {
	var flight flight
	var runs atomic.Int64
	release := make(chan struct{})
	run := func() {
		runs.Add(1)
		<-release
	}
	first := flight.begin(run)
	second, third := flight.begin(run), flight.begin(run)
	if second == first || third != second {
		t.Error("a question that was sent before the call serves it")
	}
	close(release)
	<-first
	<-second
	if runs.Load() != 2 {
		t.Errorf("%d questions", runs.Load())
	}
}

func TestARequestIsCutOnceAndWithTheAnswerThatEndsIt(t *testing.T) {
	hub := newFakeHub(t)
	gate := hub.gate(t, nil)
	request, claims := hub.rightRequest(t)
	admitted, refusal := gate.Check(t.Context(), request)
	if refusal != nil {
		t.Fatal(refusal.Code)
	}
	var cuts atomic.Int64
	defer gate.revocations.watch(admitted.known, func() { cuts.Add(1) })()
	gate.Refresh(t.Context())
	if cuts.Load() != 0 {
		t.Error("cut without a reason")
	}
	hub.cut("token", claims.TokenID)
	for range 3 {
		gate.Refresh(t.Context())
		if cuts.Load() != 1 {
			t.Errorf("cut %d times", cuts.Load())
		}
	}
}

func TestARequestIsCutWithinASecondWhenTheLastWordOfASilentHubIsOver(t *testing.T) {
	var vectors revocationVectors
	readVectors(t, "revocations.json", &vectors)
	synctest.Test(t, func(t *testing.T) {
		hub, source := newVectorHub(t, vectors)
		hub.head = &vectors.Heads[0].Head
		<-source.begin()
		hub.head = nil
		hub.wall += 55
		<-source.begin()
		// The hub was asked in vain a moment ago, so it is not asked again.
		hub.wall += 5
		check := &revocationCheck{source: source}
		cut := make(chan struct{})
		began := time.Now()
		end := check.watch(&knownGrant{}, func() { close(cut) })
		<-cut
		end()
		if passed := time.Since(began); passed > sweepInterval {
			t.Errorf("cut after %s", passed)
		}
	})
}
