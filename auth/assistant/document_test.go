package assistant_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/auth/assistant"
)

const document = "https://client.example/oauth/client.json"

// library gives documents as a network would.
type library struct {
	mu    sync.Mutex
	texts map[string]string
	keep  time.Duration
	wait  chan struct{} // nil: at once
	reads atomic.Int32
}

func (l *library) fetch(ctx context.Context, url string) ([]byte, time.Duration, error) {
	l.reads.Add(1)
	if l.wait != nil {
		select {
		case <-l.wait:
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	text, ok := l.texts[url]
	if !ok {
		return nil, 0, errors.New("lookup client.example on 10.0.0.2: no such host")
	}
	return []byte(text), l.keep, nil
}

func (l *library) put(url, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.texts[url] = text
}

const claudeCode = `{"client_id":"` + document + `","client_name":"Claude Code","client_uri":"https://client.example/","redirect_uris":
	["http://localhost/callback","http://127.0.0.1/callback","https://client.example/cb","javascript:alert(1)"],"grant_types":["authorization_code","refresh_token"],
	"response_types":["code"],"token_endpoint_auth_method":"none","x":null}`

func newLibrary(t testing.TB) (*library, *world) {
	t.Helper()
	l := &library{texts: map[string]string{document: claudeCode}, keep: time.Hour}
	return l, openWorld(t, l.on)
}

func (l *library) on(o *assistant.Options) { o.ClientDocuments, o.Fetch = true, l.fetch }

// A client that is known by its document connects without having registered, on a port of its choice, and
// stays connected when its document is gone, over restarts and where documents are not read at all.
func TestDocumentClient(t *testing.T) {
	t.Parallel()
	l, w := newLibrary(t)
	a := w.account("a")
	uri := "http://localhost:50123/callback"
	query := authorizeQuery(document, "redirect_uri", uri)
	r, err := w.Read(t.Context(), query)
	if err != nil || r.Client.Name != "Claude Code" || r.Client.Host != "client.example" || r.RedirectHost() != "localhost:50123" {
		t.Fatalf("%+v, %v", r, err)
	}
	got := w.exchange(document, w.agree(a, query), "redirect_uri", uri)
	w.want(got, http.StatusOK, "")
	list, err := w.Connections(t.Context(), a)
	if err != nil || len(list) != 1 || list[0].Client != "Claude Code" || list[0].ClientHost != "client.example" || list[0].ClientURI != "https://client.example/" ||
		list[0].RedirectHost != "localhost:50123" || !list[0].ConnectedAt.Equal(noon) || list[0].RefreshedAt != nil {
		t.Errorf("%+v, %v", list, err)
	}
	delete(l.texts, document)
	off := w.start(t)
	w.clock.Advance(time.Hour)
	next := off.refresh(document, got.member("refresh_token"))
	off.want(next, http.StatusOK, "")
	if !w.accepts(next.member("access_token")) {
		t.Error("refused")
	}
	if list, err := off.Connections(t.Context(), a); err != nil || len(list) != 1 || list[0].RefreshedAt == nil || !list[0].RefreshedAt.Equal(w.clock.Now()) {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := w.Read(t.Context(), authorizeQuery(document, "redirect_uri", "javascript:alert(1)")); err == nil {
		t.Error("the answer may be a script")
	}
}

// A client that prefers to sign is taken without a signature when it says that it can do without.
func TestDocumentThatLeavesAChoice(t *testing.T) {
	t.Parallel()
	l, w := newLibrary(t)
	for choices, taken := range map[string]bool{`["none","private_key_jwt"]`: true, `["private_key_jwt"]`: false, `[]`: false, `"none"`: false} {
		id := fmt.Sprintf("https://client.example/%x", choices)
		text := strings.Replace(claudeCode, `"none"`, `"private_key_jwt","token_endpoint_auth_methods_supported":`+choices, 1)
		l.put(id, strings.Replace(text, `"client_id":"`+document+`"`, `"client_id":"`+id+`"`, 1))
		if _, err := w.Read(t.Context(), authorizeQuery(id, "redirect_uri", "https://client.example/cb")); (err == nil) != taken {
			t.Errorf("%s: %v", choices, err)
		}
	}
}

// A document that is not right is refused by a page that says what is
// wrong, and nothing of the network we are in.
func TestDocumentsThatAreRefused(t *testing.T) {
	t.Parallel()
	l, w := newLibrary(t)
	fails := func(id, why string) {
		t.Helper()
		_, err := w.Read(t.Context(), authorizeQuery(id, "redirect_uri", "https://client.example/cb"))
		var page *assistant.PageError
		if !errors.As(err, &page) || page.Code != assistant.CodeDocument || !strings.Contains(page.Detail, why) || strings.Contains(page.Detail, "10.0.0.2") {
			t.Errorf("%s: %v", id, err)
		}
	}
	for n, tc := range [][2]string{
		{`x`, "JSON"}, {`[]`, "JSON"}, {`null`, "JSON"}, {`{}`, "client_id"}, {strings.Replace(claudeCode, document, document+"x", 1), "client_id"},
		{strings.Replace(claudeCode, `"Claude Code"`, `""`, 1), "client_name"}, {strings.Replace(claudeCode, `"Claude Code"`, `7`, 1), "client_name"},
		{strings.Replace(claudeCode, "redirect_uris", "x", 1), "redirect_uris"}, {strings.Replace(claudeCode, `"x":null`, `"redirect_uris":["javascript:x"]`, 1), "redirect_uris"},
		{strings.Replace(claudeCode, `"x":null`, `"redirect_uris":"https://client.example/cb"`, 1), "redirect_uris"},
		{strings.Replace(claudeCode, `"x":null`, `"client_secret":"x"`, 1), "secret"}, {strings.Replace(claudeCode, `"none"`, `"client_secret_post"`, 1), "secret"},
		{strings.Replace(claudeCode, `"none"`, `"private_key_jwt"`, 1), "private_key_jwt is not supported"}, {strings.Replace(claudeCode, `"none"`, `"tls_client_auth"`, 1), "tls_client_auth"},
	} {
		id := fmt.Sprintf("https://client.example/%d", n)
		l.put(id, strings.Replace(tc[0], `"client_id":"`+document+`"`, `"client_id":"`+id+`"`, 1))
		fails(id, tc[1])
	}
	fails("https://client.example/none", "could not be read")
	reads := l.reads.Load()
	for _, id := range []string{"https://client.example", "https://client.example/", "https://client.example?x", "https://client.example/a/../b", "https://client.example/./b",
		"https://client.example/%2e%2e/b", "https://client.example/a/%2E/b", "https://client.example/..", "https://client.example/b#", "https://client.example/b#c",
		"https://a@client.example/b", "https://a:b@client.example/b", "https://client.example:8443/b", "https://client.example:80/b", "https://client.example:/b",
		"https://localhost/b", "https://intern/b", "https://127.0.0.1/b", "https://[::1]/b", "https://2130706433/b", "https://0x7f.1/b", "https://client.example./b",
		"https://Client.example/b", "https://client..example/b", "https://-client.example/b", "https://client.example\\@evil.example/b", "https:///b", "https://client.example/a b",
		"https://client.example/" + strings.Repeat("x", 2000)} {
		fails(id, "client_id")
	}
	if l.reads.Load() != reads {
		t.Error("an address that cannot be one of a document was read")
	}
	for _, id := range []string{"http://client.example/b", "HTTPS://client.example/b", "//client.example/b"} {
		var page *assistant.PageError
		if _, err := w.Read(t.Context(), authorizeQuery(id)); !errors.As(err, &page) || page.Code != assistant.CodeUnknownClient {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// A document is read once for all who ask, kept as long as its server says, within a minute and a day, and
// one that could not be read is tried again soon.
func TestDocumentIsKeptForConcurrentRequests(t *testing.T) {
	t.Parallel()
	l, w := newLibrary(t)
	l.wait = make(chan struct{})
	read := func(id string) error {
		_, err := w.Read(t.Context(), authorizeQuery(id, "redirect_uri", "https://client.example/cb"))
		return err
	}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if err := read(document); err != nil {
				t.Error(err)
			}
		})
	}
	testkit.Eventually(t, testkit.Timeout, "one reading has begun", func() bool { return l.reads.Load() > 0 })
	close(l.wait)
	all.Wait()
	testkit.Want(t, l.reads.Load(), 1, "readings for 50 at once")
	for _, tc := range []struct{ said, kept time.Duration }{{time.Hour, time.Hour}, {0, time.Minute}, {365 * 24 * time.Hour, 24 * time.Hour}} {
		l.keep = tc.said
		w.clock.Advance(48 * time.Hour)
		at := l.reads.Load()
		for _, step := range []struct {
			wait  time.Duration
			reads int32
		}{{0, 1}, {tc.kept - time.Second, 1}, {2 * time.Second, 2}} {
			w.clock.Advance(step.wait)
			if err := read(document); err != nil || l.reads.Load()-at != step.reads {
				t.Errorf("said %v, %v later: %d readings, %v", tc.said, step.wait, l.reads.Load()-at, err)
			}
		}
	}
	const gone = "https://client.example/gone"
	at := l.reads.Load()
	if first, second := read(gone), read(gone); first == nil || second == nil || l.reads.Load()-at != 1 {
		t.Error("a failure is not kept")
	}
	l.put(gone, strings.Replace(claudeCode, document, gone, 1))
	w.clock.Advance(31 * time.Second)
	if err := read(gone); err != nil {
		t.Errorf("not tried again: %v", err)
	}
}

// Documents that cannot be read push out none that can be, however many an anonymous client names.
func TestFailuresPushOutNoDocument(t *testing.T) {
	t.Parallel()
	l, w := newLibrary(t)
	read := func(id string) error {
		_, err := w.Read(t.Context(), authorizeQuery(id, "redirect_uri", "https://client.example/cb"))
		return err
	}
	testkit.NoError(t, read(document))
	for n := range 2100 {
		if read(fmt.Sprintf("https://other.example/%d", n)) == nil {
			t.Fatal("read")
		}
	}
	at := l.reads.Load()
	if err := read(document); err != nil || l.reads.Load() != at {
		t.Errorf("it was read again: %v", err)
	}
}

// A site that answers nothing, and a network that asks for much, have
// others wait for a turn of their own only.
func TestConcurrentReadsOfDocumentsTakeTurns(t *testing.T) {
	t.Parallel()
	var site, network, givenUp atomic.Int32
	slow := func(ctx context.Context, url string) ([]byte, time.Duration, error) {
		switch {
		case strings.Contains(url, "other.example"):
			site.Add(1)
		case strings.Contains(url, ".slow"):
			network.Add(1)
		default:
			return []byte(claudeCode), time.Hour, nil
		}
		<-ctx.Done()
		givenUp.Add(1)
		return nil, 0, ctx.Err()
	}
	w := openWorld(t, func(o *assistant.Options) { o.ClientDocuments, o.Fetch = true, slow })
	read := func(from, id string) error {
		ctx := assistant.WithBrowser(t.Context(), netip.MustParseAddr(from))
		_, err := w.Read(ctx, authorizeQuery(id, "redirect_uri", "https://client.example/cb"))
		return err
	}
	var all sync.WaitGroup
	for n := range 30 {
		all.Go(func() { _ = read(fmt.Sprintf("192.0.%d.1", n), fmt.Sprintf("https://a%d.other.example/%d", n, n)) })
		all.Go(func() {
			_ = read(fmt.Sprintf("2001:db8:1:1::%d", n+1), fmt.Sprintf("https://x%d.slow%d.example/y", n, n))
		})
	}
	testkit.Eventually(t, testkit.Timeout, "the slow ones are being read", func() bool { return site.Load() == 2 && network.Load() == 4 })
	if err := read("198.51.100.1", document); err != nil || givenUp.Load() > 0 {
		t.Errorf("another waited until %d of the slow readings were given up: %v", givenUp.Load(), err)
	}
	if site.Load() > 2 || network.Load() > 4 {
		t.Errorf("%d readings of one site, %d for one network", site.Load(), network.Load())
	}
	all.Wait()
}

// However many documents are named, a bounded number is read at once and
// kept, and a request that waits gets an answer in time.
func TestConcurrentDocumentsAreBounded(t *testing.T) {
	t.Parallel()
	l, w := newLibrary(t)
	l.wait = make(chan struct{}) // never
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var all sync.WaitGroup
	for n := range 100 {
		all.Go(func() {
			var page *assistant.PageError
			if _, err := w.Read(ctx, authorizeQuery(fmt.Sprintf("https://client.example/%d", n))); !errors.As(err, &page) {
				t.Error(err)
			}
		})
	}
	all.Wait() // no request waits for the documents, which never come
	if n := l.reads.Load(); n > 16 {
		t.Errorf("%d readings at once", n)
	}
}
