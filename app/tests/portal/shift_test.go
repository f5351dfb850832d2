package portal_test

import (
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"arpent/app/dev/fixture"
)

// maxShift is a fifth of what counts as good.
const maxShift = 0.02

// shifts adds up what moved since the page began, once the fonts are there and what they change is drawn.
const shifts = `document.fonts.ready.then(() => new Promise(done => {
	let sum = 0;
	new PerformanceObserver(list => list.getEntries().forEach(e => { sum += e.value })).observe({type: "layout-shift", buffered: true});
	setTimeout(() => requestAnimationFrame(() => setTimeout(() => done(sum), 100)), 100);
}))`

// What a visitor is about to press does not move away while the fonts arrive, over a slow
// network and with nothing kept from before.
func testPagesDoNotShift(t *testing.T, s *fixture.Service) {
	t.Helper()
	for _, width := range []int64{390, 1440} {
		for _, path := range []string{"/", "/pricing", "/docs", "/docs/reference/get_commune", "/explore", "/explore?commune=93010", "/signup", "/contact"} {
			t.Run(strconv.FormatInt(width, 10)+path, func(t *testing.T) {
				t.Parallel()
				b := newBrowser(t, s.Base, browserOptions{width: width})
				b.run(network.EmulateNetworkConditions(false, 150, 50<<10, 50<<10)) // milliseconds, bytes a second
				b.open(path)
				var sum float64
				b.run(chromedp.Evaluate(shifts, &sum, awaited))
				if sum > maxShift {
					t.Errorf("the page moves by %.3f", sum)
				}
			})
		}
	}
}
