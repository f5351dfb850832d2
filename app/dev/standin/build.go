package standin

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"time"

	"arpent/api/ingest/fetch"
	"arpent/api/ingest/fetch/producer"
	"arpent/api/source"
	"arpent/app/base/clock"
)

// builder finds out what is asked for each offer, by asking for it as a client would.
type builder struct {
	standIn    *StandIn
	now        time.Time
	offers     []offer
	catalogues map[string]*catalogue // by what their resolvers say of them
	files      map[string]*content   // by address
}

func (b *builder) add(src source.Source, files []local) {
	for _, o := range src.Origins {
		if o.From == nil {
			continue
		}
		for p, of := range area(o.Area).of(src, files) {
			b.offers = append(b.offers, offer{src, o, unwrapped(o.From), p, of})
		}
	}
}

// build fills the catalogues before it asks: one may be asked for several sources.
func (b *builder) build() error {
	slices.SortStableFunc(b.offers, func(x, y offer) int {
		return cmp.Compare(x.place.Departement+x.place.Commune, y.place.Departement+y.place.Commune)
	})
	var listed []offer
	for _, o := range b.offers {
		entries, err := o.entries()
		if err != nil {
			b.lack(o, err)
			continue
		}
		if entries != nil {
			b.catalogue(o).add(b, o, entries)
		}
		listed = append(listed, o)
	}
	for _, o := range listed {
		if err := b.address(o); err != nil {
			b.lack(o, err)
		}
	}
	for _, o := range listed {
		if err := b.record(o); err != nil {
			return fmt.Errorf("stand in for %s of %s: %w", o.origin.From, o.src.Name, err)
		}
	}
	return nil
}

func (b *builder) catalogue(o offer) *catalogue {
	key := o.from.String()
	if b.catalogues[key] == nil {
		b.catalogues[key] = &catalogue{}
	}
	return b.catalogues[key]
}

func (b *builder) lack(o offer, why error) {
	b.standIn.lacking = append(b.standIn.lacking,
		Lack{o.src.Name, o.origin.From.String(), cmp.Or(o.place.Commune, o.place.Departement), why.Error()})
}

// file is the content of an address.
func (b *builder) file(address, name string) *content {
	if b.files[address] == nil {
		b.files[address] = &content{name: name}
		b.standIn.answers[fetch.MirrorPath(address)] = answer{file: b.files[address]}
	}
	return b.files[address]
}

// maxRounds is more than the years and quarters that a resolver looks back over.
const maxRounds = 40

var errEdition = errors.New("the files of the folder are of another edition")

// address finds the addresses that the files of an offer are served at: those whose saved name does not contradict theirs. The
// newest of several years are tried first, as a client does.
func (b *builder) address(o offer) error {
	refused := map[string]bool{}
	for range maxRounds {
		remotes, err := b.resolve(o, refused, false)
		if err != nil {
			return err
		}
		fitting, again := map[string][]local{}, false
		for _, r := range remotes {
			if b.files[r.Address] != nil && o.listed() {
				continue
			}
			saved := o.origin.Path(r, o.place)
			if fitting[r.Address] = o.fitting(saved); len(fitting[r.Address]) > 0 {
				continue
			}
			if why := othersContent[path.Base(saved)]; why != "" {
				return errors.New(why)
			}
			if refused[r.Address] || o.listed() {
				return errEdition
			}
			refused[r.Address], again = true, true
		}
		if again {
			continue
		}
		for _, r := range remotes {
			if files := fitting[r.Address]; files != nil {
				b.take(o, r, files)
			}
		}
		return nil
	}
	return errEdition
}

// take serves files at the address of a remote. What is written from pages has its content beside them.
func (b *builder) take(o offer, r fetch.Remote, files []local) {
	name := o.origin.Name(r, o.place)
	if r.Write == nil {
		b.file(r.Address, name).add(o.src, files)
		return
	}
	if b.files[r.Address] == nil {
		b.files[r.Address] = &content{name: path.Base(name)}
	}
	c := b.files[r.Address]
	c.add(o.src, files)
	if of, is := o.from.(producer.Opendatasoft); is && of.Format == "csv" {
		c.form = separated
	}
}

// record keeps what a client is answered on its way to the files of an offer.
func (b *builder) record(o offer) error {
	if slices.ContainsFunc(b.standIn.lacking, func(l Lack) bool {
		return l.Source == o.src.Name && l.Origin == o.origin.From.String() && l.Place == cmp.Or(o.place.Commune, o.place.Departement)
	}) {
		return nil
	}
	_, err := b.resolve(o, nil, true)
	return err
}

// resolve asks the origin of an offer, answered by what stands in for it.
func (b *builder) resolve(o offer, refused map[string]bool, final bool) ([]fetch.Remote, error) {
	noSleep := func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	client, err := fetch.NewClient(fetch.Options{Clock: clock.At(b.now), Sleep: noSleep})
	if err != nil {
		return nil, err
	}
	h := &host{builder: b, offer: o, refused: refused, final: final}
	client.HTTP = &http.Client{Transport: h}
	remotes, err := o.origin.From.Resolve(context.Background(), client, o.place)
	for _, r := range remotes {
		if err == nil && final && r.Write != nil {
			err = r.Write(context.Background(), client, io.Discard)
		}
	}
	return remotes, err
}

// host answers for one origin while it is found out what is asked.
type host struct {
	builder *builder
	offer   offer
	refused map[string]bool
	final   bool // the answers are those that clients get
}

// RoundTrip implements http.RoundTripper.
func (h *host) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := h.answer(r.URL)
	if err != nil {
		return nil, err
	}
	resp := &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Request: r, Body: http.NoBody, ProtoMajor: 1, ProtoMinor: 1}
	if a == nil {
		return resp, nil
	}
	body := a.body
	if a.file != nil {
		if body, err = a.file.bytes(); err != nil {
			return nil, err
		}
	}
	if _, is := h.offer.from.(producer.At); h.final && !is { // its address is that of the file
		h.builder.standIn.answers[fetch.MirrorPath(r.URL.String())] = *a
	}
	resp.StatusCode, resp.ContentLength, resp.Body = http.StatusOK, int64(len(body)), io.NopCloser(bytes.NewReader(body))
	if a.link != "" {
		resp.Header.Set("Link", a.link)
	}
	return resp, nil
}

// answer is what the host of the origin answers; nil: 404.
func (h *host) answer(u *url.URL) (*answer, error) {
	switch from := h.offer.from.(type) {
	case producer.At:
		// Only whether a file is there is asked.
		there := h.builder.files[u.String()] != nil
		if !h.final {
			there = !h.refused[u.String()]
		}
		if !there {
			return nil, nil
		}
		return &answer{body: []byte("x")}, nil
	case producer.Opendatasoft:
		return h.opendatasoft(u, from)
	case producer.DataFair:
		return h.dataFair(u, from)
	case producer.WFS:
		return h.wfs(u)
	case producer.Overpass:
		return h.overpass(u)
	}
	body, err := h.builder.catalogue(h.offer).answer(u, h.offer.from)
	if body == nil || err != nil {
		return nil, err
	}
	return &answer{body: body}, nil
}
