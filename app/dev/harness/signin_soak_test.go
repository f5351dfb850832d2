//go:build soak

package harness_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"arpent/app/dev/harness"
	"arpent/auth"
	"arpent/internal/clock"
)

const (
	signInTarget   = "HARNESS_SIGNIN" // set in a process that is to sign people in
	mailServer     = "HARNESS_MAIL"   // set in a process that is to be the mail server
	signIns        = 200              // at a time
	signInEmail    = "crowd%d@example.org"
	signInPassword = "trois chevaux bleus galopent"
)

// Two hundred people who sign in at once get in, or are asked to come back later; the API answers all the
// while, and what they cost its slowest answers is measured and logged.
func TestSoakSignInsDuringAPICalls(t *testing.T) {
	mails, _ := startHelper(t, mailServer, "1")
	p, pool := newService(t, "ARPENT_SMTP_URL=smtp://"+mails)
	server := startServer(t, p)
	key := newKey(t, p, harness.Limits{PerMinute: 10_000_000, EnrichmentsPerMinute: 1, PerDay: 10_000_000})
	waitForKey(t, []string{server.Base}, key)
	accounts := auth.NewAccounts(pool, clock.Real{})
	for i := range signIns {
		if _, err := accounts.Create(t.Context(), auth.NewAccount{Email: fmt.Sprintf(signInEmail, i),
			Password: signInPassword, Plan: "free", Confirmed: true}); err != nil {
			t.Fatal(err)
		}
	}
	good := harness.Steady{Base: server.Base, Path: path, Rate: 400, Lasting: lasting, Clients: 8,
		Key: func(int, int) string { return key }}
	var ratios []float64
	for round := range 5 {
		alone := measureP99(t, good)
		_, wait := startHelper(t, signInTarget, server.Base)
		loaded := measureP99(t, good)
		wait()
		ratios = append(ratios, float64(loaded)/float64(alone))
		t.Logf("round %d: p99 %s alone, %s during the sign-ins", round, alone, loaded)
	}
	slices.Sort(ratios)
	t.Logf("p99 during %d sign-ins at a time over p99 alone: median %.2f", signIns, ratios[len(ratios)/2])
}

// discardMail is a mail server that takes everything.
func discardMail(string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return discardSession{}, nil }))
	server.Domain = "localhost"
	return server.Serve(l)
}

type discardSession struct{}

func (discardSession) Mail(string, *smtp.MailOptions) error { return nil }
func (discardSession) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (discardSession) Data(r io.Reader) error               { _, err := io.Copy(io.Discard, r); return err }
func (discardSession) Reset()                               {}
func (discardSession) Logout() error                        { return nil }

var formToken = regexp.MustCompile(`name="token" value="([^"]+)"`)

// keepSigningIn keeps signIns sign-ins under way, each ending before the next of its client begins.
func keepSigningIn(base string) error {
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: signIns},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	token, err := anonymousToken(client, base)
	if err != nil {
		return err
	}
	fmt.Println("begun")
	ctx, cancel := context.WithTimeout(context.Background(), lasting)
	defer cancel()
	var in, later, out atomic.Int64
	var wg sync.WaitGroup
	for i := range signIns {
		wg.Go(func() {
			for ctx.Err() == nil {
				switch signIn(client, base, token, fmt.Sprintf(signInEmail, i)) {
				case http.StatusSeeOther:
					in.Add(1)
				case http.StatusServiceUnavailable:
					later.Add(1)
				default:
					out.Add(1)
				}
			}
		})
	}
	wg.Wait()
	fmt.Printf("%d signed in, %d were asked to come back later\n", in.Load(), later.Load())
	if out.Load() > 0 || in.Load() == 0 {
		return fmt.Errorf("%d signed in, %d were neither let in nor asked to come back", in.Load(), out.Load())
	}
	return nil
}

func anonymousToken(client *http.Client, base string) (string, error) {
	res, err := client.Get(base + "/signin")
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil {
		return "", err
	}
	found := formToken.FindSubmatch(page)
	if found == nil {
		return "", fmt.Errorf("the sign-in page, %d, has no token", res.StatusCode)
	}
	return string(found[1]), nil
}

// signIn gives the status; 0 where there was no answer, or a 503 that does not say when to come back.
func signIn(client *http.Client, base, token, email string) int {
	form := url.Values{"token": {token}, "email": {email}, "password": {signInPassword}}
	req, err := http.NewRequest(http.MethodPost, base+"/signin", strings.NewReader(form.Encode()))
	if err != nil {
		return 0
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	res, err := client.Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	if res.StatusCode == http.StatusServiceUnavailable && res.Header.Get("Retry-After") == "" {
		return 0
	}
	return res.StatusCode
}
