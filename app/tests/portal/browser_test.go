package portal_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"arpent/app/dev/testkit"
)

// browser is a tab of a real browser, with cookies of its own.
type browser struct {
	t    testing.TB
	ctx  context.Context
	base string
	seen *[]string // every page that was shown, as HTML

	noScript bool
	clicks   int // of buttons and links that lead to another page
}

// browserOptions say how a browser is set up.
type browserOptions struct {
	noScript bool
	language string // fr or en
	dark     bool
	width    int64 // 0: 1440
}

// browserPrograms are tried in turn. The first is Chromium as Debian has it without windows: by its own name,
// because the script of that name in the path does not end with who started it.
var browserPrograms = []string{"/usr/lib/chromium/chromium-headless-shell", "chromium", "google-chrome"}

// Chromium is started once for a test process; each browser is a context of its own in it.
var chromium = sync.OnceValues(func() (context.Context, error) {
	name := ""
	for _, candidate := range browserPrograms {
		if path, err := exec.LookPath(candidate); err == nil {
			name = path
			break
		}
	}
	if name == "" {
		return nil, fmt.Errorf("chromium is not installed")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(name), chromedp.NoSandbox,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true), // maps are drawn without a graphics card,
		chromedp.Flag("disable-gpu-compositing", true), chromedp.Flag("disable-gpu-rasterization", true), // and all else by less work
		chromedp.Flag("blink-settings", "primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4")) // a mouse
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	return ctx, chromedp.Run(ctx)
})

func newBrowser(t testing.TB, base string, o browserOptions) *browser {
	t.Helper()
	root, err := chromium()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	ctx := testkit.Must(newTab(root))(t)
	t.Cleanup(func() { _ = chromedp.Cancel(ctx) })
	if o.language == "" {
		o.language = "fr"
	}
	if o.width == 0 {
		o.width = 1440
	}
	theme := "light"
	if o.dark {
		theme = "dark"
	}
	b := &browser{t: t, ctx: ctx, base: base, seen: &[]string{}, noScript: o.noScript}
	b.run(
		network.Enable(),
		network.SetExtraHTTPHeaders(network.Headers{"Accept-Language": o.language}),
		emulation.SetScriptExecutionDisabled(o.noScript),
		emulation.SetFocusEmulationEnabled(true), // windows of other tests take the focus, which closes lists
		screen(o.width),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}}),
	)
	return b
}

// screen is one of that width; a small one is a phone's.
func screen(width int64) chromedp.Action {
	return emulation.SetDeviceMetricsOverride(width, 900, 1, width < 500)
}

// newTab opens a tab in a window of its own, whose cookies are not shared: Chromium opens no tab of
// another profile in a window that is there.
func newTab(root context.Context) (context.Context, error) {
	executor := cdp.WithExecutor(root, chromedp.FromContext(root).Browser)
	profile, err := target.CreateBrowserContext().WithDisposeOnDetach(true).Do(executor)
	if err != nil {
		return nil, fmt.Errorf("make a profile: %w", err)
	}
	id, err := target.CreateTarget("about:blank").WithBrowserContextID(profile).WithNewWindow(true).Do(executor)
	if err != nil {
		return nil, fmt.Errorf("open a tab: %w", err)
	}
	ctx, _ := chromedp.NewContext(root, chromedp.WithTargetID(id))
	return ctx, chromedp.Run(ctx)
}

const (
	browserTimeout = testkit.Timeout // pages are drawn on a busy machine
	// lookEvery is between two looks for the next page. The library looks two hundred times a
	// second, which makes a busy machine busier.
	lookEvery = 30 * time.Millisecond
)

// until waits for a condition that asks the browser each time, or acts in it. What it did then has the time
// to show before the next look.
func (b *browser) until(what string, holds func() bool) {
	b.t.Helper()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	testkit.Eventually(b.t, browserTimeout, what, func() bool { <-tick.C; return holds() })
}

func (b *browser) run(actions ...chromedp.Action) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, browserTimeout)
	defer cancel()
	err := chromedp.Run(ctx, actions...)
	for nodeIsGone(err) && ctx.Err() == nil {
		err = chromedp.Run(ctx, actions...)
	}
	if err != nil {
		b.t.Fatalf("browser: %v\n%s", err, b.excerpt())
	}
}

// nodeIsGone reports whether a node was found in a document that another one has taken the place of since:
// nothing was done to it yet, and the same actions find it in the new document.
func nodeIsGone(err error) bool {
	var refused *cdproto.Error
	return errors.As(err, &refused) && refused.Code == -32000 && strings.Contains(strings.ToLower(refused.Message), "node with given id")
}

// where is the address of the page. Between two pages there is none.
func (b *browser) where() (at string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, browserTimeout)
	defer cancel()
	testkit.Eventually(b.t, browserTimeout, "the address of the page", func() bool { return chromedp.Run(ctx, chromedp.Location(&at)) == nil })
	return at
}

// excerpt is where the browser is and what it shows, as far as it says that at once: it may be what failed.
func (b *browser) excerpt() string {
	var at, text string
	ctx, cancel := context.WithTimeout(b.ctx, 2*time.Second)
	defer cancel()
	_ = chromedp.Run(ctx, chromedp.Location(&at), chromedp.Text("main", &text, chromedp.ByQuery))
	return at + "\n" + text[:min(len(text), 1500)]
}

// open shows a page of the service, or any absolute address.
func (b *browser) open(path string) {
	b.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = b.base + path
	}
	b.run(chromedp.Navigate(path))
	b.keep()
}

// keep remembers the page that is shown.
func (b *browser) keep() {
	var html string
	b.run(chromedp.WaitReady("body", chromedp.ByQuery), chromedp.OuterHTML("html", &html, chromedp.ByQuery))
	*b.seen = append(*b.seen, html)
}

func (b *browser) html() string { return (*b.seen)[len(*b.seen)-1] }

func (b *browser) path() string {
	u, err := url.Parse(b.where())
	testkit.NoError(b.t, err)
	return u.Path
}

// fill types into the field of that name, in the form that posts to action.
func (b *browser) fill(action, name, value string) {
	b.t.Helper()
	field := fmt.Sprintf(`form[action^=%q] [name=%q]`, action, name)
	b.run(chromedp.SetValue(field, value, chromedp.ByQuery))
}

// send presses the button of the form that posts to action, and waits until another page is there.
func (b *browser) send(action string) {
	b.t.Helper()
	b.press(fmt.Sprintf(`form[action^=%q] button:not([type=button])`, action))
}

func (b *browser) press(selector string) {
	b.t.Helper()
	b.mark()
	b.clicks++
	b.run(chromedp.Click(selector, chromedp.ByQuery))
	b.another()
}

// mark and another distinguish one page from the next, scripts or not: a node of the old page is gone.
func (b *browser) mark() {
	b.run(chromedp.SetAttributeValue("h1", "data-shown", "before", chromedp.ByQuery))
}

func (b *browser) another() {
	b.t.Helper()
	b.run(chromedp.WaitReady("h1:not([data-shown])", chromedp.ByQuery, chromedp.RetryInterval(lookEvery)))
	b.keep()
}

// text is what a reader sees of an element.
func (b *browser) text(selector string) string {
	b.t.Helper()
	var s string
	b.run(chromedp.Text(selector, &s, chromedp.ByQuery))
	return s
}

func (b *browser) has(text string) bool {
	return strings.Contains(strings.ReplaceAll(b.html(), "<wbr>", ""), text)
}

func (b *browser) must(text string) {
	b.t.Helper()
	if !b.has(text) {
		b.t.Fatalf("the page at %s does not say %q:\n%s", b.where(), text, b.excerpt())
	}
}

// choose sets a radio button or a select.
func choose(action, name, value string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		radio := fmt.Sprintf(`form[action^=%q] input[name=%q][value=%q]`, action, name, value)
		var there []*cdp.Node // a page without scripts is asked too
		if err := chromedp.Nodes(radio, &there, chromedp.ByQuery, chromedp.AtLeast(0)).Do(ctx); err != nil {
			return err
		}
		if len(there) > 0 {
			return chromedp.Click(radio, chromedp.ByQuery, chromedp.NodeVisible).Do(ctx)
		}
		return chromedp.SetValue(fmt.Sprintf(`form[action^=%q] select[name=%q]`, action, name), value, chromedp.ByQuery).Do(ctx)
	})
}
