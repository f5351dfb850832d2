//go:build soak

package harness_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"arpent/app/base/clock"
	"arpent/app/dev/harness"
	"arpent/auth"
)

const (
	signInTarget   = "HARNESS_SIGNIN" // set in a process that is to be the crowd
	mailServer     = "HARNESS_MAIL"   // set in a process that is to be the mail server
	signIns        = 200              // at a time
	signInEmail    = "crowd%d@example.org"
	signInPassword = "trois chevaux bleus galopent"
)

// Two hundred people who sign in at once get in, or are told when to come back; the API answers all the while, and
// what they cost its slowest answers is measured and told.
func TestSoakSignInsBesideTheAPI(t *testing.T) {
	p, pool := service(t, "ARPENT_SMTP_URL=smtp://"+startMailServer(t))
	server := start(t, p)
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
		alone := p99(t, good)
		wait := startCrowd(t, server.Base)
		beside := p99(t, good)
		wait()
		ratios = append(ratios, float64(beside)/float64(alone))
		t.Logf("round %d: p99 %s alone, %s beside the crowd", round, alone, beside)
	}
	slices.Sort(ratios)
	t.Logf("p99 beside %d sign-ins at a time over p99 alone: median %.2f", signIns, ratios[len(ratios)/2])
}

// startMailServer takes mails and forgets them, in a process that takes the time which is left over: in life it is on
// another machine.
func startMailServer(t *testing.T) (address string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("nice", "-n", "19", self)
	cmd.Env = append(os.Environ(), mailServer+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	in := bufio.NewScanner(out)
	if !in.Scan() {
		t.Fatal("the mail server did not begin")
	}
	return in.Text()
}

// forgetMail is a mail server that takes everything.
func forgetMail() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return forgetful{}, nil }))
	server.Domain = "localhost"
	return server.Serve(l)
}

type forgetful struct{}

func (forgetful) Mail(string, *smtp.MailOptions) error { return nil }
func (forgetful) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (forgetful) Data(r io.Reader) error               { _, err := io.Copy(io.Discard, r); return err }
func (forgetful) Reset()                               {}
func (forgetful) Logout() error                        { return nil }

// startCrowd signs in from a process of its own, for as long as a round of traffic.
func startCrowd(t *testing.T, base string) (wait func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("nice", "-n", "19", self)
	cmd.Env = append(os.Environ(), signInTarget+"="+base)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(out)
	if !in.Scan() {
		t.Fatal("the crowd did not begin")
	}
	return func() {
		t.Helper()
		in.Scan()
		t.Log(in.Text())
		if err := cmd.Wait(); err != nil {
			t.Errorf("the crowd: %v", err)
		}
	}
}

var formToken = regexp.MustCompile(`name="token" value="([^"]+)"`)

// crowd keeps signIns sign-ins under way, each ending before the next of its client begins.
func crowd(base string) error {
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
	fmt.Printf("%d signed in, %d were told to come back later\n", in.Load(), later.Load())
	if out.Load() > 0 || in.Load() == 0 {
		return fmt.Errorf("%d signed in, %d were neither let in nor told to come back", in.Load(), out.Load())
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
