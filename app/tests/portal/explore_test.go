package portal_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// untilExplorer waits until a page of the explorer has so many of an element.
func untilExplorer(s *fixture.Service, path, selector string, n int) {
	s.T.Helper()
	reader := testkit.NewBrowser(s.T, s.Base).Stay()
	testkit.Eventually(s.T, testkit.Timeout, path+" has "+selector, func() bool {
		return reader.Get(path).Find(selector).Length() == n
	})
}

// The map draws our tiles in a browser under the policy of every page and calls no
// other host; a parcel that is pressed on it is shown next to it, at an address that can be
// shared, and going back shows what was there before.
func TestTheMapOfTheExplorer(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	untilExplorer(s, "/explore", ".places-list a", 2)
	b := newBrowser(t, s.Base, browserOptions{language: "en"})
	var others []string
	chromedp.ListenTarget(b.ctx, func(event any) {
		if asked, ok := event.(*network.EventRequestWillBeSent); ok && !strings.HasPrefix(asked.Request.URL, s.Base) {
			others = append(others, asked.Request.URL)
		}
	})
	b.open("/explore?parcelle=930100000A0001")
	b.run(chromedp.WaitVisible(`#map[data-drawn] .explorer-buttons`, chromedp.ByQuery))
	testkit.Want(t, b.text("#found h2"), "Parcel A 1 Bondy", "next to the map stands")
	testkit.Want(t, b.text(".explorer-hint"), "Choose another parcel", "below the map stands")
	// of the canvas; the parcel on the right of the one in the middle reaches to its border
	box := evaluate[[]float64](b, canvasBox)
	if box[2] < 300 || box[3] < 300 {
		t.Fatalf("the canvas is %v", box)
	}
	x, y := box[0]+0.97*box[2], box[1]+box[3]/2
	b.until("the neighbouring parcel is shown", func() bool {
		b.run(chromedp.MouseClickXY(x, y))
		return strings.HasPrefix(b.text("#found h2"), "Parcel A 2")
	})
	if at := b.where(); !strings.HasSuffix(at, "/explore?parcelle=930100000A0002") {
		t.Errorf("the address is %s", at)
	}
	checkPrintedPlan(t, b, testkit.NewBrowser(t, s.Base).Get("/explore?parcelle=930100000A0002").Find(".explorer-plan .marked").AttrOr("d", ""))
	b.run(chromedp.NavigateBack())
	b.until("what was there before is shown", func() bool { return b.text("#found h2") == "Parcel A 1 Bondy" })
	fullScreenNamesWhatIsChosen(t, b)
	b.open("/explore?lang=en")
	b.run(chromedp.WaitVisible(`#map[data-drawn] .explorer-full`, chromedp.ByQuery)) // on a large screen it opens by itself
	b.run(screen(390))
	b.until("the picture of the country is in the page", func() bool {
		b.open("/explore?lang=en")
		return b.text(".explorer-open") == "Open the map"
	})
	if evaluate[bool](b, `!!window.maplibregl || !!document.querySelector("#map canvas")`) {
		t.Error("the map is loaded before anybody uses it")
	}
	b.run(chromedp.Focus(".explorer-open", chromedp.ByQuery), chromedp.KeyEvent("\r"), chromedp.WaitVisible(`#map[data-drawn] .explorer-buttons`, chromedp.ByQuery),
		chromedp.WaitNotVisible(".explorer-open", chromedp.ByQuery))
	if on := evaluate[string](b, `document.activeElement.tagName`); on != "CANVAS" {
		t.Errorf("the keyboard is on %s after it opened the map", on)
	}
	if others != nil {
		t.Errorf("others were asked: %q", others)
	}
}

// On a full screen the visitor reads what was chosen on the map, and comes from there to what is known of it.
func fullScreenNamesWhatIsChosen(t *testing.T, b *browser) {
	t.Helper()
	b.run(chromedp.WaitNotVisible(".explorer-report", chromedp.ByQuery),
		chromedp.Click(".explorer-full", chromedp.ByQuery),
		chromedp.WaitVisible(`.explorer-full[aria-pressed="true"]`, chromedp.ByQuery),
		chromedp.WaitVisible(".explorer-report", chromedp.ByQuery))
	testkit.Want(t, b.text(".explorer-chosen"), "Parcel A 1 Bondy", "the full screen names")
	right := 0.5 // of the middle of the canvas
	b.until("the neighbouring parcel is named", func() bool {
		if right += 0.02; right > 0.98 {
			right = 0.5
		}
		box := evaluate[[]float64](b, canvasBox)
		b.run(chromedp.MouseClickXY(box[0]+right*box[2], box[1]+box[3]/2))
		return strings.HasPrefix(b.text(".explorer-chosen"), "Parcel A 2")
	})
	b.until("what is known of it is there", func() bool {
		return strings.HasPrefix(evaluate[string](b, `document.querySelector("#found h2").textContent`), "Parcel A 2")
	})
	b.run(chromedp.Click(".explorer-report", chromedp.ByQuery), chromedp.WaitVisible(`.explorer-full[aria-pressed="false"]`, chromedp.ByQuery))
	b.until("the keyboard is on what is known of it", func() bool {
		return strings.HasPrefix(evaluate[string](b, `document.activeElement.textContent`), "Parcel A 2")
	})
}

// canvasBox is the left, the top, the width and the height of the map.
const canvasBox = `(() => {
	const b = document.querySelector("#map canvas").getBoundingClientRect();
	return [b.left, b.top, b.width, b.height];
})()`

// checkPrintedPlan checks that the page prints the plan of what is shown, with its scale, in place of the
// open map.
func checkPrintedPlan(t *testing.T, b *browser, marked string) {
	t.Helper()
	var printed struct {
		Marked, Scale       string
		Plan, Canvas, Other bool
		Middle              float64 // of the parcel, as a part of the width of the plan
	}
	b.run(emulation.SetEmulatedMedia().WithMedia("print"),
		chromedp.Evaluate(`(() => {
			const isShown = (of) => [...document.querySelectorAll(of)].some((one) => one.checkVisibility());
			const marked = document.querySelector(".explorer-plan .marked"), at = marked.getBoundingClientRect();
			const plan = marked.closest("svg").getBoundingClientRect();
			return { Marked: marked.getAttribute("d"), Scale: document.querySelector(".explorer-plan text").textContent,
				Plan: isShown(".explorer-plan") && isShown(".explorer-plan text"), Canvas: isShown("#map canvas"),
				Other: isShown(".explorer-layers, #map figcaption, .explorer-buttons"),
				Middle: (at.left + at.width / 2 - plan.left) / plan.width };
		})()`, &printed), emulation.SetEmulatedMedia().WithMedia(""))
	if printed.Marked != marked || !printed.Plan || printed.Canvas || printed.Other || printed.Scale != "20\u00a0m" ||
		math.Abs(printed.Middle-0.5) > 0.02 {
		t.Errorf("printed, the map is %+v, with the parcel drawn as %q", printed, marked)
	}
}

// A visitor who gives a position sees their parcel, with a mark where they are; a position that is vague
// leads to the commune, one outside France leaves the map where it was, and one that is refused is explained
// on the map.
func testLocatingOnTheMap(t *testing.T, s *fixture.Service) {
	t.Helper()
	untilExplorer(s, "/explore", ".places-list a", 2)
	b := newBrowser(t, s.Base, browserOptions{language: "en"})
	b.open("/explore")
	b.run(chromedp.WaitVisible(`#map[data-drawn] .explorer-locate`, chromedp.ByQuery))
	locate := func(answer, shown string) {
		t.Helper()
		b.run(chromedp.Evaluate(`navigator.geolocation.getCurrentPosition = (found, failed) => `+answer, nil),
			chromedp.Click(".explorer-locate", chromedp.ByQuery))
		b.until(answer+" shows "+shown, func() bool {
			return strings.Contains(b.text("#found")+b.text(".explorer-wait"), shown)
		})
	}
	marks := func() (n int) {
		b.run(chromedp.Evaluate(`document.querySelectorAll(".explorer-me").length`, &n))
		return n
	}
	locate("found({coords: {latitude: 48.9105, longitude: 2.5105, accuracy: 12}})", "Parcel A 1 Bondy")
	b.until("the position is marked", func() bool { return marks() == 1 })
	locate("found({coords: {latitude: 48.9105, longitude: 2.5105, accuracy: 3000}})", "only known to within 3,000\u00a0m")
	if head := b.text("#found h2"); head != "Bondy 93010" {
		t.Errorf("a vague position shows %q", head)
	}
	locate("found({coords: {latitude: 50.85, longitude: 4.35, accuracy: 12}})", "This point is in no commune of France.")
	locate("failed({code: 1})", "Your browser is not allowed to give your position.")
	locate("failed({code: 3})", "Your device did not find your position.")
}

// district is a priority district around the parcels of the fixture.
const district = `
INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
VALUES ('qpv', 'test', 'test', 'test', '[]', '', 0, 0, '[]', now(), now(), true);
INSERT INTO geo.coverage (layer, area, load_id) SELECT 'qpv', '', id FROM geo.load WHERE source = 'qpv';
INSERT INTO geo.enrich_qpv (part, id, attrs, geom) VALUES ('qpv', 'QN09312I', '{"name": "Blanqui"}', ST_MakeEnvelope(2.505, 48.905, 2.515, 48.915, 4326));`

// A visitor switches a layer of areas on with the keyboard, reads the name of the area under the pointer,
// finds it next to the map once it is chosen, and sends a link that shows the layer. axe-core finds nothing
// on the legend in both themes.
func TestLayersOnTheMap(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t, district)
	untilExplorer(s, "/explore?parcelle=930100000A0001", ".explorer-layers input", 1)
	b := newBrowser(t, s.Base, browserOptions{language: "en"})
	b.open("/explore?parcelle=930100000A0001")
	b.run(chromedp.WaitVisible(`#map[data-drawn] .explorer-buttons`, chromedp.ByQuery))
	scale := b.text(".maplibregl-ctrl-scale")
	b.run(chromedp.Focus(`.explorer-layers input`, chromedp.ByQuery), chromedp.KeyEvent(" "))
	if at := b.where(); !strings.HasSuffix(at, "?parcelle=930100000A0001&calques=qpv") {
		t.Errorf("the address is %s", at)
	}
	box := evaluate[[]float64](b, `(() => { const b = document.querySelector("#map canvas").getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2] })()`)
	step := 0.0
	b.until("the area under the pointer is named", func() bool {
		step++
		var named string
		b.run(chromedp.MouseEvent(input.MouseMoved, box[0]+step, box[1]),
			chromedp.Evaluate(`document.querySelector(".explorer-here").textContent`, &named))
		return named == "Priority districts (QPV 2024) · Blanqui"
	})
	b.run(chromedp.MouseClickXY(box[0], box[1]))
	b.until("the chosen area is next to the map", func() bool {
		text := evaluate[string](b, `document.querySelector(".explorer-areas li")?.textContent || ""`)
		return strings.HasPrefix(text, "Blanqui")
	})
	if now := b.text(".maplibregl-ctrl-scale"); now != scale {
		t.Errorf("a layer that is switched on changes the scale from %s to %s", scale, now)
	}
	if link := evaluate[string](b, `document.querySelector("#share").href`); !strings.HasSuffix(link, "?parcelle=930100000A0001&calques=qpv") {
		t.Errorf("the link to share is %s", link)
	}
	b.judge("/explore with a layer")
	b.picture("explore-layer-1440-en")
	b = newBrowser(t, s.Base, browserOptions{language: "en", dark: true})
	b.open("/explore?parcelle=930100000A0001&calques=qpv")
	b.run(chromedp.WaitVisible(`#map[data-drawn] .explorer-buttons`, chromedp.ByQuery))
	if !evaluate[bool](b, `document.querySelector(".explorer-layers input").checked`) {
		t.Error("the link does not show the layer")
	}
	b.judge("/explore with a layer in the dark theme")
	b.picture("explore-layer-1440-dark-en")
	checkSheet(t, b)
}

// checkSheet checks that on a phone the layers are in a sheet below the map, which is closed while none is
// shown.
func checkSheet(t *testing.T, b *browser) {
	t.Helper()
	const isLayerShown = `document.querySelector(".explorer-layers input").checkVisibility()`
	if !evaluate[bool](b, isLayerShown) {
		t.Error("on a large screen the layers are folded")
	}
	b.run(screen(390))
	b.open("/explore?parcelle=930100000A0001")
	if evaluate[bool](b, isLayerShown) {
		t.Error("on a phone the layers are not folded")
	}
	b.run(chromedp.Click(".explorer-sheet > summary", chromedp.ByQuery))
	if !evaluate[bool](b, isLayerShown+` && document.querySelector(".explorer-sheet").getBoundingClientRect().top >=
		document.querySelector(".explorer-view").getBoundingClientRect().bottom`) {
		t.Error("on a phone the sheet of layers does not open below the map")
	}
	b.open("/explore?parcelle=930100000A0001&calques=qpv")
	if !evaluate[bool](b, isLayerShown) {
		t.Error("on a phone the layer of a link is folded")
	}
}

// checkPicture checks that the page of a parcel has its plan and no map, also under the pointer.
func checkPicture(t *testing.T, b *browser, idu string) {
	t.Helper()
	const marked = `document.querySelector(".explorer-plan .marked").getAttribute("d")`
	var drawn, before string
	b.run(chromedp.ScrollIntoView("#map", chromedp.ByQuery), chromedp.Evaluate(`window.drawn ?? ""`, &before),
		chromedp.Evaluate(`for (const of of ["pointerenter", "pointerdown", "pointermove"])
			document.getElementById("map").dispatchEvent(new PointerEvent(of));
			window.drawn = document.querySelector("[src*=maplibre]") ? "a map" : `+marked, &drawn))
	if !strings.HasPrefix(drawn, "M") || drawn == before {
		t.Errorf("before the map is tapped the page of %s shows %q", idu, drawn)
	}
}

// On a phone what was found stands before the map and has the keyboard; without scripts the picture of the
// country stays.
func testExplorerOnAPhone(t *testing.T, s *fixture.Service) {
	t.Helper()
	untilExplorer(s, "/explore", ".explorer-still", 1)
	b := newBrowser(t, s.Base, browserOptions{width: 390})
	b.open("/explore")
	b.run(chromedp.SetValue("#q", "mairie de Bondy", chromedp.ByQuery), chromedp.Click(".explorer-head .search button", chromedp.ByQuery))
	b.until("the keyboard is on what was found", func() bool {
		on := evaluate[string](b, `document.activeElement.textContent`)
		return strings.TrimSpace(on) == "1\u00a0résultat"
	})
	if !evaluate[bool](b, `document.querySelector("#found").getBoundingClientRect().bottom <= document.querySelector("#map").getBoundingClientRect().top`) {
		t.Error("the map stands before what was found")
	}
	b.run(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(`const match = matchMedia;
			matchMedia = (query) => query === "(pointer: coarse)" ? { matches: true } : match(query);
			navigator.share = async (what) => { window.shared = what.url; };`).Do(ctx)
		return err
	}))
	b.open("/explore?parcelle=930100000A0001&lang=fr")
	var label, shared string
	b.run(chromedp.WaitVisible("[data-share]", chromedp.ByQuery), chromedp.Text("[data-share]", &label, chromedp.ByQuery),
		chromedp.Click("[data-share]", chromedp.ByQuery), chromedp.Evaluate(`window.shared || ""`, &shared))
	if label != "Partager" || !strings.HasSuffix(shared, "/explore?parcelle=930100000A0001") {
		t.Errorf("the button %q shares %q", label, shared)
	}
	checkPicture(t, b, "930100000A0001")
	b.run(chromedp.SetValue("#q", "930100000A0002", chromedp.ByQuery),
		chromedp.Click(".explorer-head .search button", chromedp.ByQuery))
	b.until("the other parcel is shown", func() bool {
		return strings.HasPrefix(b.text("#found h2"), "Parcelle A 2")
	})
	checkPicture(t, b, "930100000A0002")
	b.run(chromedp.Click(".explorer-still svg", chromedp.ByQuery),
		chromedp.WaitVisible(`#map[data-drawn] .explorer-buttons`, chromedp.ByQuery))
	plain := newBrowser(t, s.Base, browserOptions{width: 390, noScript: true})
	plain.open("/explore")
	plain.run(chromedp.WaitVisible(".explorer-still svg", chromedp.ByQuery), chromedp.WaitNotVisible(".explorer-open", chromedp.ByQuery))
}
