package testkit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// OIDCUser is somebody whom the provider knows, under the login name that
// is typed into its page and is the subject.
type OIDCUser struct {
	Email         string `json:"email,omitempty"`
	EmailVerified bool   `json:"email_verified"`
	Name          string `json:"name,omitempty"`
}

// OIDCOptions configures an OpenID provider.
type OIDCOptions struct {
	RedirectURIs  []string            // exact addresses that it may send people back to
	Users         map[string]OIDCUser // by login name
	ClaimsInToken bool                // the address is in the ID token too, not at userinfo alone
	RequirePKCE   bool
	SecretInForm  bool // client_secret_post, else client_secret_basic
}

// OIDC is a real OpenID Connect provider (npm oidc-provider under node) of one test.
type OIDC struct {
	ClientID, ClientSecret string

	t       testing.TB
	options OIDCOptions
	port    int
	issuer  string
	cmd     *exec.Cmd
	life    io.Closer // the provider ends when this closes, and so with the test process, however it ends
}

// NewOIDC starts a provider that the test may kill and start again on the same port.
func NewOIDC(t testing.TB, o OIDCOptions) *OIDC {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		skipOrFail(t, "node is not installed: the OpenID provider of the tests needs it")
	}
	if _, err := os.Stat(filepath.Join(Root(t), "node_modules", "oidc-provider")); err != nil {
		skipOrFail(t, "npm oidc-provider is not installed: npm ci brings it")
	}
	p := &OIDC{ClientID: "arpent-test", ClientSecret: "a secret that only the test knows: %&+", t: t, options: o}
	p.Start()
	t.Cleanup(p.Kill)
	return p
}

// Issuer is its address, http://127.0.0.1 with a port that stays the same when it starts again.
func (p *OIDC) Issuer() string { return p.issuer }

// Start starts the provider, with a new key and no session, and waits until it takes connections.
func (p *OIDC) Start() {
	p.t.Helper()
	p.cmd = exec.Command("node", filepath.Join(Root(p.t), "app", "dev", "testkit", "oidc-provider.mjs"))
	p.cmd.Env = append(os.Environ(), "NODE_ENV=test")
	complaints := &strings.Builder{}
	p.cmd.Stderr = complaints
	in, err := p.cmd.StdinPipe()
	NoError(p.t, err)
	out, err := p.cmd.StdoutPipe()
	NoError(p.t, err)
	if err := p.cmd.Start(); err != nil {
		p.t.Fatalf("start the OpenID provider: %v", err)
	}
	p.life = in
	config, err := json.Marshal(map[string]any{
		"port": p.port, "clientID": p.ClientID, "clientSecret": p.ClientSecret,
		"redirectURIs": p.options.RedirectURIs,
		"users":        p.options.Users, "claimsInToken": p.options.ClaimsInToken,
		"requirePKCE":  p.options.RequirePKCE,
		"secretInForm": p.options.SecretInForm,
	})
	NoError(p.t, err)
	_, err = fmt.Fprintf(in, "%s\n", config)
	NoError(p.t, err)
	p.awaitIssuer(out, complaints)
}

func (p *OIDC) awaitIssuer(out io.Reader, complaints *strings.Builder) {
	p.t.Helper()
	issuer := make(chan string, 1)
	go func() {
		defer close(issuer)
		//lint:ignore scannererr the pipe ends with the provider, whatever ended it
		lines := bufio.NewScanner(out)
		for lines.Scan() { // read on after the issuer, or the provider blocks on a full pipe
			if found, ok := strings.CutPrefix(lines.Text(), "issuer "); ok {
				issuer <- found
			}
		}
	}()
	select {
	case found, ok := <-issuer:
		if !ok {
			p.Kill()
			p.t.Fatalf("the OpenID provider does not start: %s", complaints)
		}
		p.issuer = found
		u, err := url.Parse(found)
		NoError(p.t, err)
		_, _ = fmt.Sscan(u.Port(), &p.port)
	case <-time.After(Timeout):
		p.Kill()
		p.t.Fatal("the OpenID provider does not start in time")
	}
}

// Kill ends the provider. Killing it twice is fine.
func (p *OIDC) Kill() {
	if p.life == nil {
		return
	}
	_ = p.life.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // reports the kill as a failure
	p.life = nil
}

// Visit does what a person's browser does at the provider: it opens address, types login (empty: presses
// Cancel) and follows the redirects up to one of the redirect addresses, which it returns without opening it.
func (p *OIDC) Visit(address, login string) *url.URL {
	p.t.Helper()
	var back *url.URL
	browser := NewBrowser(p.t, p.issuer)
	browser.CheckRedirect = func(req *http.Request, _ []*http.Request) error {
		for _, u := range p.options.RedirectURIs {
			if strings.HasPrefix(req.URL.String(), u) {
				back = req.URL
				return http.ErrUseLastResponse
			}
		}
		return nil
	}
	page := browser.Get(address)
	if back != nil {
		return back
	}
	form := url.Values{"login": {login}}
	if login == "" {
		form.Set("cancel", "1")
	}
	page = browser.Send(http.MethodPost, page.Path, form)
	if back == nil {
		p.t.Fatalf("the provider does not lead back: %d %s", page.Status, page.Body)
	}
	return back
}
