// The map of the explorer, and the panel next to it without loading the page anew. Everything is reached
// without this file too.
"use strict";
(() => {
const box = document.getElementById("map");
if (!box) return;
const canvas = box.querySelector(".explorer-canvas");
const hint = box.querySelector(".explorer-hint");
const wait = box.querySelector(".explorer-wait");
const link = box.querySelector(".explorer-link");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const language = new URLSearchParams(location.search).get("lang");
const [minZoom, maxZoom] = box.dataset.zooms.split(",").map(Number);
const france = [[-5.4, 41.2], [9.8, 51.3]];
const parcelsFrom = 15, pointsFrom = 14, communesFrom = 9; // between the two a parcel is found by its point
const opener = box.querySelector(".explorer-open"); // the picture before the map; null: the map comes at once
let map, marked = {}, over = null, turn = 0;

const found = () => document.getElementById("found");

// address is that of a view, in the language that the page was asked for in.
function address(query) {
  const to = new URLSearchParams(query);
  if (language) to.set("lang", language);
  return "/explore?" + to;
}

// show puts what an address shows next to the map.
async function show(to, options = {}) {
  load();
  const mine = ++turn;
  found().setAttribute("aria-busy", "true");
  let next;
  try {
    const answer = await fetch(to, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    next = page.getElementById("found");
    if (answer.redirected) to = new URL(answer.url).pathname + new URL(answer.url).search;
  } catch {} // no network: the browser says so better
  if (mine !== turn) return;
  if (!next) return location.assign(to);
  found().replaceWith(next);
  document.title = next.dataset.title;
  for (const button of next.querySelectorAll("button.copy[data-copy]")) button.hidden = !navigator.clipboard;
  for (const button of next.querySelectorAll("[data-print]")) button.hidden = false;
  if (!options.back && to !== location.pathname + location.search) history.pushState(null, "", to);
  mark();
  if (options.fly !== false) fly();
  const head = next.querySelector("h2");
  if (head && options.focus !== false) head.focus({ preventScroll: true });
  if (innerWidth < 900 && options.fly === false) next.scrollIntoView({ block: "nearest", behavior: still.matches ? "auto" : "smooth" });
}

document.addEventListener("click", (event) => {
  const a = event.target.closest("#found a, .explorer-link");
  if (!a || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const to = new URL(a.href);
  if (to.origin !== location.origin || to.pathname !== "/explore" || to.hash) return;
  event.preventDefault();
  show(to.pathname + to.search);
});

document.querySelector(".explorer-head form").addEventListener("submit", (event) => {
  event.preventDefault();
  show(address({ q: event.target.q.value }));
});

addEventListener("popstate", () => show(location.pathname + location.search, { back: true }));

// mark draws what is shown next to the map.
function mark() {
  if (!map || !map.isStyleLoaded()) return;
  const { kind, code } = found().dataset;
  const state = (of, chosen) => of.id && map.setFeatureState({ source: "arpent", sourceLayer: of.layer, id: of.id }, { chosen });
  state(marked, false);
  marked = kind ? { layer: kind === "parcelle" ? "parcelles" : "communes", id: code } : {};
  state(marked, true);
}

// fly moves the map to what is shown next to it.
function fly() {
  if (!map) return;
  const { bounds, at } = found().dataset;
  const animate = !still.matches;
  if (bounds) {
    const [west, south, east, north] = bounds.split(",").map(Number);
    map.fitBounds([[west, south], [east, north]], { padding: 48, maxZoom: 18, animate });
  } else if (at) {
    const [lon, lat, zoom] = at.split(",").map(Number);
    map.flyTo({ center: [lon, lat], zoom, animate });
  }
}

// start is where the map begins.
function start() {
  const { bounds, at } = found().dataset;
  if (at) {
    const [lon, lat, zoom] = at.split(",").map(Number);
    return { center: [lon, lat], zoom };
  }
  const [west, south, east, north] = bounds ? bounds.split(",").map(Number) : france.flat();
  return { bounds: [[west, south], [east, north]], fitBoundsOptions: { padding: bounds ? 48 : 12, maxZoom: 18 } };
}

// style takes its colours from those of the page.
function style() {
  const of = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const paper = of("paper"), ink = of("ink"), soft = of("soft"), edge = of("edge"), accent = of("amber"), chosen = of("chosen"), wash = of("wash");
  const layer = (id, type, source, paint, more = {}) => ({ id, type, source: "arpent", "source-layer": source, paint, ...more });
  const state = (name, yes, no) => ["case", ["boolean", ["feature-state", name], false], yes, no];
  const text = (field, size, more = {}) => ({ layout: { "text-field": ["get", field], "text-font": ["'Source Sans 3'"], "text-size": size, "text-padding": 4, ...more } });
  const halo = { "text-color": soft, "text-halo-color": paper, "text-halo-width": 1.5 };
  const clear = "rgba(0,0,0,0)";
  return {
    version: 8,
    sources: { arpent: { type: "vector", tiles: [location.origin + box.dataset.tiles], minzoom: minZoom, maxzoom: maxZoom, promoteId: { communes: "code", parcelles: "idu", departements: "code" } } },
    layers: [
      { id: "paper", type: "background", paint: { "background-color": paper } },
      layer("land", "fill", "departements", { "fill-color": wash }, { maxzoom: communesFrom }),
      layer("commune", "fill", "communes", { "fill-color": ["case", ["has", "parcels"], chosen, wash], "fill-opacity": ["interpolate", ["linear"], ["zoom"], 12, 1, 14, 0] }, { maxzoom: 14 }),
      layer("parcelle", "fill", "parcelles", { "fill-color": state("chosen", chosen, state("over", wash, clear)) }),
      layer("blocks", "line", "sections", { "line-color": edge, "line-width": 0.6 }),
      layer("plots", "line", "parcelles", { "line-color": ink, "line-width": ["interpolate", ["linear"], ["zoom"], 15, 0.4, 18, 1] }),
      layer("plot", "line", "parcelles", { "line-color": accent, "line-width": 2.5, "line-opacity": state("chosen", 1, 0) }),
      layer("borders", "line", "communes", { "line-color": edge, "line-width": ["interpolate", ["linear"], ["zoom"], 9, 0.5, 14, 1.5] }),
      layer("border", "line", "communes", { "line-color": accent, "line-width": 2.5, "line-opacity": state("chosen", 1, state("over", 0.6, 0)) }),
      layer("loaded", "circle", "loaded", { "circle-color": accent, "circle-radius": ["interpolate", ["linear"], ["zoom"], 4, 3, 9, 7], "circle-stroke-color": paper, "circle-stroke-width": 1 }),
      layer("départements", "line", "departements", { "line-color": ink, "line-width": ["interpolate", ["linear"], ["zoom"], 4, 0.5, 9, 1.25] }),
      layer("letters", "symbol", "letters", { ...halo, "text-opacity": 0.75 }, text("name", ["interpolate", ["linear"], ["zoom"], 13, 15, 17, 34])),
      layer("numbers", "symbol", "numbers", { ...halo, "text-color": ink }, { minzoom: 17, ...text("name", 12) }),
      layer("names", "symbol", "names", { ...halo, "text-color": ink }, { minzoom: 10, maxzoom: 13, ...text("name", 13) }),
    ],
  };
}

// under is what the pointer is on: a parcel before a commune.
function under(point) {
  const zoom = map.getZoom();
  const layers = zoom >= parcelsFrom ? ["parcelle"] : zoom >= communesFrom && zoom < pointsFrom ? ["commune"] : [];
  return layers.length ? map.queryRenderedFeatures(point, { layers })[0] : undefined;
}

function point(of) {
  if (over && (!of || of.id !== over.id)) map.setFeatureState(over, { over: false });
  over = of ? { source: "arpent", sourceLayer: of.sourceLayer, id: of.id } : null;
  if (over) map.setFeatureState(over, { over: true });
  map.getCanvas().classList.toggle("over", !!of || map.getZoom() < communesFrom);
}

function choose(event) {
  const of = under(event.point);
  const zoom = map.getZoom();
  if (of) {
    const to = of.sourceLayer === "parcelles" ? { parcelle: of.id } : { commune: of.id };
    show(address(to), { fly: of.sourceLayer !== "parcelles", focus: false });
  } else if (zoom < communesFrom) {
    map.flyTo({ center: event.lngLat, zoom: communesFrom + 0.5, animate: !still.matches });
  } else {
    show(address({ lat: event.lngLat.lat.toFixed(6), lon: event.lngLat.lng.toFixed(6), z: zoom.toFixed(2) }), { fly: false, focus: false });
  }
}

// moved says what can be chosen, and where the map is.
function moved() {
  const zoom = map.getZoom(), { lat, lng } = map.getCenter();
  const text = zoom >= pointsFrom ? hint.dataset.parcels : zoom >= communesFrom ? hint.dataset.communes : hint.dataset.far;
  if (hint.textContent !== text) hint.textContent = text;
  link.href = address({ lat: lat.toFixed(5), lon: lng.toFixed(5), z: zoom.toFixed(2) });
  link.parentElement.hidden = false;
}

function draw() {
  const gl = window.maplibregl;
  gl.setWorkerUrl(box.dataset.worker);
  try {
    map = new gl.Map({ container: canvas, style: style(), ...start(), minZoom, maxZoom: 20, maxPitch: 0, dragRotate: false, pitchWithRotate: false,
      attributionControl: false, renderWorldCopies: false, fadeDuration: still.matches ? 0 : 150, locale: { "Map.Title": box.dataset.label } });
  } catch { // no WebGL
    return fail();
  }
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  map.on("load", () => { wait.hidden = true; open(); box.querySelector(".explorer-buttons").hidden = false; box.dataset.drawn = "yes"; });
  map.on("styledata", mark);
  map.on("idle", mark);
  map.on("moveend", moved);
  map.on("mousemove", (event) => point(under(event.point)));
  map.on("mouseout", () => point());
  map.on("click", choose);
  map.on("error", busy);
  map.addControl(new gl.ScaleControl({ maxWidth: 110 }), "bottom-left");
  moved();
  box.addEventListener("click", (event) => {
    const by = Number(event.target.dataset.zoom);
    if (by) map.zoomTo(map.getZoom() + by, { animate: !still.matches });
    else if (event.target.closest(".explorer-locate")) locate();
    else if (event.target.closest(".explorer-full")) document.fullscreenElement ? document.exitFullscreen() : box.requestFullscreen();
  });
  box.querySelector(".explorer-full").hidden = !document.fullscreenEnabled;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => map.setStyle(style()));
}

// locate shows what is where the visitor is.
function locate() {
  if (!navigator.geolocation) return lost();
  navigator.geolocation.getCurrentPosition(({ coords }) => show(address({ lat: coords.latitude.toFixed(5), lon: coords.longitude.toFixed(5), z: "18" })),
    lost, { timeout: 10000, maximumAge: 60000, enableHighAccuracy: true });
}

function lost() { hint.textContent = hint.dataset.unknown; }

// busy asks again for tiles that the server did not make when it had too much to do. Those that were made come from the browser.
let later;
function busy(event) {
  if (!event.error || event.error.status !== 503 || later) return;
  later = setTimeout(() => { later = 0; map.refreshTiles("arpent"); }, 5000);
}

function fail() {
  if (opener) opener.querySelector("span").remove();
  wait.hidden = false;
  wait.textContent = wait.dataset.fault;
}

// open takes the picture away once the map is drawn. A visitor who pressed it with the keyboard goes on with
// the map.
function open() {
  if (!opener) return;
  const focused = document.activeElement === opener;
  opener.remove();
  if (focused) map.getCanvas().focus();
}

// The library weighs more than the page: it comes when the page is there, on small screens once the map is used.
let loading = false;
function load() {
  if (loading) return;
  loading = true;
  wait.hidden = false;
  const script = document.createElement("script");
  script.src = box.dataset.library;
  script.onload = () => document.fonts.load("14px 'Source Sans 3'").finally(draw);
  script.onerror = fail;
  document.head.append(script);
}
if (opener && innerWidth < 1024) {
  opener.addEventListener("click", load);
  box.addEventListener("pointerenter", load);
} else if (document.readyState === "complete") load();
else addEventListener("load", load);
})();
