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
const chosen = box.querySelector(".explorer-chosen"), report = box.querySelector(".explorer-report");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const language = new URLSearchParams(location.search).get("lang");
const [minZoom, maxZoom] = box.dataset.zooms.split(",").map(Number);
const france = [[-5.4, 41.2], [9.8, 51.3]];
const parcelAccuracy = 50; // metres: a vaguer position may lie in another parcel
const parcelsFrom = 15, pointsFrom = 14, communesFrom = 9; // between the two a parcel is found by its point
const opener = box.querySelector(".explorer-still"); // the picture before the map, and in print; null: nothing is loaded yet
const legend = box.querySelector(".explorer-layers"); // null: no layer is loaded
const switches = legend ? [...legend.querySelectorAll("input")] : [];
const isWide = innerWidth >= 1024; // the map comes by itself
let loading = false;
let map, here, pin, marked = {}, over = null, lit = [], turn = 0;
let current = location.pathname + location.search; // the address of what is shown

const found = () => document.getElementById("found");

// address is that of a view, in the language that the page was asked for in, with the layers that are shown.
function address(query) {
  const to = new URLSearchParams(query);
  if (language) to.set("lang", language);
  return withLayers("/explore?" + to);
}

// shown are the switches of the layers that are shown.
const shown = () => switches.filter((one) => one.checked);

// withLayers is an address that shows the layers that are shown now.
function withLayers(to) {
  if (!legend) return to;
  const at = new URL(to, location.origin), names = shown().map((one) => one.value).join(",");
  at.searchParams.delete(legend.dataset.parameter);
  const rest = at.searchParams.toString(), layers = names && legend.dataset.parameter + "=" + names;
  return (to.startsWith("/") ? "" : at.origin) + at.pathname + (rest || layers ? "?" : "") + [rest, layers].filter(Boolean).join("&");
}

// readLayers shows the layers that the address names.
function readLayers() {
  const names = (new URLSearchParams(location.search).get(legend?.dataset.parameter) || "").split(",");
  for (const one of switches) one.checked = names.includes(one.value);
}

// show puts what an address shows next to the map.
async function show(to, options = {}) {
  if (isWide) load();
  if (options.back) readLayers();
  else to = withLayers(to);
  showLayers();
  const mine = ++turn;
  found().setAttribute("aria-busy", "true");
  let page, next;
  try {
    const answer = await fetch(to, { headers: { Accept: "text/html" } });
    page = new DOMParser().parseFromString(await answer.text(), "text/html");
    next = page.getElementById("found");
    if (answer.redirected) to = withLayers(new URL(answer.url).pathname + new URL(answer.url).search);
  } catch {} // no network: the browser says so better
  if (mine !== turn) return;
  if (!next) return location.assign(to);
  if (options.areas?.length) next.querySelector("h2")?.after(listAreas(options.areas));
  found().replaceWith(next);
  showPicture(page);
  document.title = next.dataset.title;
  showButtons(next);
  if (!options.back && to !== location.pathname + location.search) history.pushState(null, "", to);
  current = location.pathname + location.search;
  nameChosen();
  showHint();
  mark();
  showPin();
  if (options.fly !== false) fly();
  shareLayers();
  const head = next.querySelector("h2, .alert"), small = innerWidth < 900; // there the result stands before the map
  if (!head || (options.focus === false && !small)) return;
  head.tabIndex = -1;
  head.focus({ preventScroll: true });
  if (small) head.scrollIntoView({ block: "start", behavior: still.matches ? "auto" : "smooth" });
}

// showPicture puts the picture of another page in place of this one's: it is shown before the map, and printed.
function showPicture(page) {
  for (const part of [".explorer-still svg", ".explorer-key"]) {
    const from = page.querySelector(part);
    if (from) box.querySelector(part)?.replaceWith(from);
  }
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

addEventListener("popstate", () => { // also of a link into this page, which shows nothing else
  if (current !== location.pathname + location.search) show(location.pathname + location.search, { back: true });
});

// nameChosen names what is shown next to the map, for a full screen and for screen readers whose focus stays on the map.
function nameChosen() {
  const { kind } = found().dataset, head = found().querySelector(kind ? "h2" : ".alert");
  chosen.textContent = head ? head.textContent.trim().replace(/\s+/g, " ") : "";
  report.hidden = !kind;
}

// mark draws what is shown next to the map.
function mark() {
  if (!map || !map.isStyleLoaded()) return;
  const { kind, code } = found().dataset;
  const state = (of, chosen) => of.id && map.setFeatureState({ source: "arpent", sourceLayer: of.layer, id: of.id }, { chosen });
  state(marked, false);
  marked = kind ? { layer: kind === "parcelle" ? "parcelles" : "communes", id: code } : {};
  state(marked, true);
}

// showPin marks the address that was searched, which may lie next to its parcel.
function showPin() {
  pin?.remove();
  const { pin: at } = found().dataset;
  if (!map || !at) return;
  const mark = document.createElement("span");
  mark.className = "explorer-pin";
  pin = new maplibregl.Marker({ element: mark, anchor: "bottom" }).setLngLat(at.split(",").map(Number)).addTo(map);
}

// fly moves the map to what is shown next to it.
function fly() {
  if (!map) return;
  const { bounds, at } = found().dataset;
  const motion = { duration: 1500, animate: !still.matches };
  if (bounds) {
    const [west, south, east, north] = bounds.split(",").map(Number);
    map.fitBounds([[west, south], [east, north]], { padding: 48, maxZoom: 18, ...motion });
  } else if (at) {
    const [lon, lat, zoom] = at.split(",").map(Number);
    map.flyTo({ center: [lon, lat], zoom, ...motion });
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
  const areas = { qpv: [1], zonage: [1, 2], risques: [5, 2], nature: [8, 2, 2, 2] }; // dashes of their borders, for readers who do not tell the colours apart
  const text = (field, size, more = {}) => ({ layout: { "text-field": ["get", field], "text-font": ["'Source Sans 3'"], "text-size": size, "text-padding": 4, ...more } });
  const halo = { "text-color": soft, "text-halo-color": paper, "text-halo-width": 1.5 };
  const clear = "rgba(0,0,0,0)";
  return {
    version: 8,
    sources: { arpent: { type: "vector", tiles: [location.origin + box.dataset.tiles], minzoom: minZoom, maxzoom: maxZoom, promoteId: { communes: "code", parcelles: "idu", departements: "code" } },
      ...Object.fromEntries(switches.map((one) => ["layer-" + one.value, { type: "vector", tiles: [location.origin + legend.dataset.tiles.replace("{layer}", one.value)], minzoom: Number(one.dataset.zoom), maxzoom: maxZoom }])) },
    layers: [
      { id: "paper", type: "background", paint: { "background-color": paper } },
      layer("land", "fill", "departements", { "fill-color": wash }, { maxzoom: communesFrom }),
      layer("commune", "fill", "communes", { "fill-color": ["case", ["has", "parcels"], chosen, wash], "fill-opacity": ["interpolate", ["linear"], ["zoom"], 12, 1, 14, 0] }, { maxzoom: 14 }),
      layer("parcelle", "fill", "parcelles", { "fill-color": state("chosen", chosen, state("over", wash, clear)) }),
      ...switches.map((one) => areaLayer(one, "fill", { "fill-color": of("layer-" + one.value), "fill-opacity": state("over", 0.35, 0.15) })),
      layer("blocks", "line", "sections", { "line-color": edge, "line-width": 0.6 }),
      layer("plots", "line", "parcelles", { "line-color": ink, "line-width": ["interpolate", ["linear"], ["zoom"], 15, 0.4, 18, 1] }),
      layer("plot", "line", "parcelles", { "line-color": accent, "line-width": 2.5, "line-opacity": state("chosen", 1, 0) }),
      layer("borders", "line", "communes", { "line-color": edge, "line-width": ["interpolate", ["linear"], ["zoom"], 9, 0.5, 14, 1.5] }),
      layer("border", "line", "communes", { "line-color": accent, "line-width": 2.5, "line-opacity": state("chosen", 1, state("over", 0.6, 0)) }),
      layer("loaded", "circle", "loaded", { "circle-color": accent, "circle-radius": ["interpolate", ["linear"], ["zoom"], 4, 3, 9, 7], "circle-stroke-color": paper, "circle-stroke-width": 1 }),
      layer("départements", "line", "departements", { "line-color": ink, "line-width": ["interpolate", ["linear"], ["zoom"], 4, 0.5, 9, 1.25] }),
      ...switches.map((one) => areaLayer(one, "line", { "line-color": of("layer-" + one.value), "line-width": state("over", 4, 2), "line-dasharray": areas[one.value] })),
      ...switches.map((one) => ({ ...areaLayer(one, "symbol", { "text-color": of("layer-" + one.value), "text-halo-color": paper, "text-halo-width": 1.5 }), minzoom: 14 })),
      layer("letters", "symbol", "letters", { ...halo, "text-opacity": 0.75 }, text("name", ["interpolate", ["linear"], ["zoom"], 13, 15, 17, 34])),
      layer("numbers", "symbol", "numbers", { ...halo, "text-color": ink }, { minzoom: 17, ...text("name", 12) }),
      layer("streets", "symbol", "streets", halo, { minzoom: 15, ...text("name", ["interpolate", ["linear"], ["zoom"], 15, 11, 18, 14], { "text-rotate": ["to-number", ["get", "angle"]] }) }),
      layer("names", "symbol", "names", { ...halo, "text-color": ink }, { minzoom: 10, maxzoom: 13, ...text("name", 13) }),
    ],
  };
}

// areaLayer is a layer of areas as the map draws it: its tiles are asked for while it is visible.
function areaLayer(one, type, paint) {
  return { id: type + "-" + one.value, type, source: "layer-" + one.value, "source-layer": "areas", paint,
    layout: { visibility: one.checked ? "visible" : "none", ...(type === "symbol" && { "text-field": ["get", "name"], "text-font": ["'Source Sans 3'"], "text-size": 13 }) } };
}

// showLayers draws the layers whose switches are on.
function showLayers() {
  for (const one of switches) {
    one.labels[0].querySelector(".explorer-far").hidden = !map || !one.checked || map.getZoom() >= Number(one.dataset.zoom);
    for (const type of ["fill", "line", "symbol"]) {
      if (map?.getLayer(type + "-" + one.value)) map.setLayoutProperty(type + "-" + one.value, "visibility", one.checked ? "visible" : "none");
    }
  }
}

// shareLayers puts the layers into the links to what is shown.
function shareLayers() {
  const share = document.getElementById("share");
  if (share) share.href = withLayers(share.href);
  if (map) moved();
}

legend?.addEventListener("change", () => {
  load();
  showLayers();
  shareLayers();
  describeAreas();
  history.replaceState(null, "", withLayers(location.pathname + location.search));
  current = location.pathname + location.search;
});

// areasAt are the areas of the layers that are shown at a point of the map, each once.
function areasAt(point) {
  const layers = shown().map((one) => "fill-" + one.value).filter((id) => map.getLayer(id)), met = new Set();
  if (!layers.length) return [];
  return map.queryRenderedFeatures(point, { layers }).filter(({ source, id }) => !met.has(source + id) && met.add(source + id)).map((area) => {
    const one = switches.find((one) => area.source === "layer-" + one.value);
    const { name, label, type } = area.properties;
    return { source: area.source, sourceLayer: "areas", id: area.id, layer: one.labels[0].querySelector(".explorer-layer").textContent,
      text: [name, label, JSON.parse(one.dataset.types)[type]].filter(Boolean).join(" · ") };
  });
}

// describeAreas names areas on the map, and draws them stronger; nothing: the pointer is on none.
function describeAreas(areas) {
  if (!legend) return;
  for (const area of lit) if (map.getSource(area.source)) map.setFeatureState(area, { over: false });
  lit = areas || [];
  for (const area of lit) map.setFeatureState(area, { over: true });
  const here = box.querySelector(".explorer-here"), text = lit.map(({ layer, text }) => layer + " · " + text).join("\n");
  if (here.textContent !== text) here.textContent = text;
}

// listAreas is the list of areas for what is shown next to the map.
function listAreas(areas) {
  const section = document.createElement("section"), head = document.createElement("h3"), list = document.createElement("ul");
  section.className = "explorer-areas";
  head.textContent = legend.dataset.here;
  list.append(...areas.map(({ layer, text }) => {
    const item = document.createElement("li"), name = document.createElement("span");
    name.className = "soft";
    name.textContent = layer;
    item.append(text, " ", name);
    return item;
  }));
  section.append(head, list);
  return section;
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
  const of = under(event.point), areas = areasAt(event.point);
  const zoom = map.getZoom();
  describeAreas(areas); // a finger does not hover
  if (of) {
    const to = of.sourceLayer === "parcelles" ? { parcelle: of.id } : { commune: of.id };
    show(address(to), { fly: of.sourceLayer !== "parcelles", focus: false, areas });
  } else if (zoom < communesFrom) {
    map.flyTo({ center: event.lngLat, zoom: communesFrom + 0.5, animate: !still.matches });
  } else {
    show(address({ lat: event.lngLat.lat.toFixed(6), lon: event.lngLat.lng.toFixed(6), z: zoom.toFixed(2) }), { fly: false, focus: false, areas });
  }
}

// showHint says what can be chosen at this scale.
function showHint() {
  if (!map) return;
  const zoom = map.getZoom(), parcels = found().dataset.kind === "parcelle" ? hint.dataset.another : hint.dataset.parcels;
  const text = zoom >= pointsFrom ? parcels : zoom >= communesFrom ? hint.dataset.communes : hint.dataset.far;
  if (hint.textContent !== text) hint.textContent = text;
}

// moved says what can be chosen, and where the map is.
function moved() {
  if (box.dataset.drawn) wait.hidden = true; // it was a message about the position
  const zoom = map.getZoom(), { lat, lng } = map.getCenter();
  showHint();
  const key = box.querySelector(".explorer-key:not(.of-picture)");
  key.hidden = zoom >= pointsFrom; // the colour is that of the chosen parcel there
  key.classList.toggle("dots", zoom < communesFrom);
  link.href = address({ lat: lat.toFixed(5), lon: lng.toFixed(5), z: zoom.toFixed(2) });
  link.parentElement.hidden = false;
  showLayers();
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
  // Of a frame that had no size yet the map takes the first change for its own size.
  map.on("load", () => { map.resize(); wait.hidden = true; open(); box.querySelector(".explorer-buttons").hidden = false; });
  map.on("styledata", mark);
  map.on("idle", mark);
  map.on("moveend", moved);
  map.on("mousemove", (event) => { point(under(event.point)); describeAreas(areasAt(event.point)); });
  map.on("mouseout", () => { point(); describeAreas(); });
  map.on("click", choose);
  map.on("error", busy);
  nameChosen();
  showPin();
  map.addControl(new gl.ScaleControl({ maxWidth: 110 }), "bottom-left");
  moved();
  const full = box.querySelector(".explorer-full");
  map.getCanvas().addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const { clientWidth: width, clientHeight: height } = map.getCanvas();
    choose({ point: [width / 2, height / 2], lngLat: map.getCenter() });
  });
  box.addEventListener("click", (event) => {
    const by = Number(event.target.closest(".explorer-buttons button")?.dataset.zoom); // a layer has a zoom too
    if (by) map.zoomTo(map.getZoom() + by, { animate: !still.matches });
    else if (event.target.closest(".explorer-locate")) locate();
    else if (full.contains(event.target)) document.fullscreenElement ? document.exitFullscreen() : box.requestFullscreen();
  });
  full.hidden = !document.fullscreenEnabled;
  document.addEventListener("fullscreenchange", () => full.setAttribute("aria-pressed", String(!!document.fullscreenElement)));
  report.addEventListener("click", async () => { // what is next to the map is not on a full screen
    await document.exitFullscreen();
    found().querySelector("h2").focus();
    found().scrollIntoView({ block: "start" });
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => map.setStyle(style()));
}

// locate shows the parcel where the visitor is; the commune, where the position is too vague for a parcel.
function locate() {
  const button = box.querySelector(".explorer-locate");
  const fail = ({ code }) => {
    button.removeAttribute("aria-busy");
    wait.textContent = code === 1 ? wait.dataset.refused : wait.dataset.unknown; // until the map moves
    wait.hidden = false;
  };
  if (!navigator.geolocation) return fail({});
  button.setAttribute("aria-busy", "true");
  navigator.geolocation.getCurrentPosition(async ({ coords }) => {
    const { latitude: lat, longitude: lon, accuracy } = coords, vague = accuracy > parcelAccuracy;
    const metres = 78271.5 * Math.cos(lat * Math.PI / 180); // of a pixel at zoom 0
    const zoom = vague ? Math.min(pointsFrom - 1, Math.log2(metres * canvas.clientWidth / (3 * accuracy))) : 18;
    await show(address({ lat: lat.toFixed(5), lon: lon.toFixed(5), z: Math.max(minZoom, zoom).toFixed(2) }));
    button.removeAttribute("aria-busy");
    here?.remove();
    const dot = document.createElement("span");
    dot.className = "explorer-me";
    here = new maplibregl.Marker({ element: dot }).setLngLat([lon, lat]).addTo(map);
    if (!vague || !found().dataset.kind) return;
    const note = document.createElement("p");
    note.className = "notice";
    note.textContent = wait.dataset.vague.replace("{m}", Math.round(accuracy).toLocaleString(document.documentElement.lang));
    found().querySelector("h2").after(note);
  }, fail, { timeout: 10000, enableHighAccuracy: true });
}

// busy asks again for tiles that the server did not make when it had too much to do. Those that were made come from the browser.
let later;
function busy(event) {
  if (event.error?.status === 422) hint.textContent = map.getZoom() < maxZoom ? legend.dataset.crowded : legend.dataset.crowdedHere;
  if (event.error?.status !== 503 || later) return;
  later = setTimeout(() => {
    later = 0;
    for (const source of ["arpent", ...shown().map((one) => "layer-" + one.value)]) map.refreshTiles(source);
  }, 5000);
}

function fail() {
  if (opener) opener.querySelector("button").remove();
  wait.hidden = false;
  wait.textContent = wait.dataset.fault;
}

// open shows the map in place of the picture once it is drawn. A visitor who pressed the picture with the keyboard
// goes on with the map.
function open() {
  const focused = opener?.contains(document.activeElement);
  box.dataset.drawn = "yes";
  if (focused) map.getCanvas().focus();
}

// The library weighs more than the page: it comes when the page is there, on small screens once the map is tapped.
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
if (opener && !isWide) opener.addEventListener("click", load);
else if (document.readyState === "complete") load();
else addEventListener("load", load);
})();
