package portal_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// The map draws our tiles in a browser under the policy of every page and calls no
// other host; a parcel that is pressed on it is shown next to it, at an address that can be
// shared, and going back shows what was there before.
func TestTheMapOfTheExplorer(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	reader := testkit.NewBrowser(t, s.Base).Stay()
	testkit.Eventually(t, testkit.Timeout, "the parcels are in the tiles", func() bool {
		return reader.Get("/explore").Find(".places-list a").Length() == 2
	})
	b := newBrowser(t, s.Base, browserOptions{language: "en"})
	var others []string
	chromedp.ListenTarget(b.ctx, func(event any) {
		if asked, ok := event.(*network.EventRequestWillBeSent); ok && !strings.HasPrefix(asked.Request.URL, s.Base) {
			others = append(others, asked.Request.URL)
		}
	})
	b.open("/explore?parcelle=930100000A0001")
	b.run(chromedp.WaitVisible(`#map[data-drawn] .explorer-buttons`, chromedp.ByQuery))
	if text := b.text("#found h2"); text != "Parcel A 1 Bondy" {
		t.Errorf("next to the map stands %q", text)
	}
	var box []float64 // of the canvas; the parcel on the right of the one in the middle reaches to its border
	b.run(chromedp.Evaluate(`(() => { const b = document.querySelector("#map canvas").getBoundingClientRect(); return [b.left, b.top, b.width, b.height] })()`, &box))
	if box[2] < 300 || box[3] < 300 {
		t.Fatalf("the canvas is %v", box)
	}
	x, y := box[0]+0.97*box[2], box[1]+box[3]/2
	testkit.Eventually(t, testkit.Timeout, "the neighbouring parcel is shown", func() bool {
		b.run(chromedp.MouseClickXY(x, y))
		return strings.HasPrefix(b.text("#found h2"), "Parcel A 2")
	})
	if at := b.where(); !strings.HasSuffix(at, "/explore?parcelle=930100000A0002") {
		t.Errorf("the address is %s", at)
	}
	b.run(chromedp.NavigateBack())
	testkit.Eventually(t, testkit.Timeout, "what was there before is shown", func() bool { return b.text("#found h2") == "Parcel A 1 Bondy" })
	b.open("/explore?lang=en")
	b.run(chromedp.WaitVisible(`#map[data-drawn] .explorer-full`, chromedp.ByQuery)) // on a large screen it opens by itself
	b.run(screen(390))
	testkit.Eventually(t, testkit.Timeout, "the picture of the country is in the page", func() bool {
		b.open("/explore?lang=en")
		return b.text(".explorer-open") == "Open the map"
	})
	var loaded bool
	b.run(chromedp.Evaluate(`!!window.maplibregl || !!document.querySelector("#map canvas")`, &loaded))
	if loaded {
		t.Error("the map is loaded before anybody uses it")
	}
	b.run(chromedp.Focus(".explorer-open", chromedp.ByQuery), chromedp.KeyEvent("\r"), chromedp.WaitVisible(`#map[data-drawn] .explorer-buttons`, chromedp.ByQuery),
		chromedp.WaitNotPresent(".explorer-open", chromedp.ByQuery))
	var on string
	b.run(chromedp.Evaluate(`document.activeElement.tagName`, &on))
	if on != "CANVAS" {
		t.Errorf("the keyboard is on %s after it opened the map", on)
	}
	if others != nil {
		t.Errorf("others were asked: %q", others)
	}
}
