package stats

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sync/errgroup"

	"arpent/internal/snapshot"
)

// Format is of the file and of what is rendered: a file of another version is made anew.
var Format = snapshot.Format{Kind: "statistics", Version: 25}

// The sections of the file: the folded bodies one after the other, and contents as JSON.
const (
	bodiesSection   = "bodies"
	contentsSection = "contents"
)

// What a file may hold at most, so that a wrong one does not take all memory: contents are read into memory
// as a whole, and a body is put together there.
const (
	maxContents = 16 << 20 // bytes
	maxBody     = 4 << 20  // bytes in words
)

// Snapshot is a file of rendered statistics, read in place. What it answers is never
// modified, and it is safe for use by many at once.
type Snapshot struct {
	file     *snapshot.File // held for the mapping that the bodies are in
	folded   []byte
	contents contents
	bodies   map[Level]map[string]body
	codes    map[Level][]string // of the bodies, in order
	columns  *columnCache
}

// contents is what is known of the bodies, and what they share.
type contents struct {
	Phrases  []string                 `json:"phrases"`
	Bodies   map[Level][]bodyEntry    `json:"bodies"`
	Coverage map[Level][]KeyCoverage  `json:"coverage"`
	Sources  map[string]SourceSummary `json:"sources"`
}

type bodyEntry struct {
	Code   string `json:"c"`
	From   uint64 `json:"f"`
	Folded uint32 `json:"n"` // length in the file
	Length uint32 `json:"l"` // length with the phrases in words
	Hash   uint64 `json:"h"` // of what it is in words
}

type body struct {
	from           uint64
	folded, length uint32
	hash           uint64
}

// Open serves statistics from a file.
func Open(path string) (*Snapshot, error) {
	f, err := snapshot.Open(path, Format)
	if err != nil {
		return nil, err
	}
	return readSnapshot(f)
}

// readSnapshot finds the bodies in a file.
func readSnapshot(f *snapshot.File) (*Snapshot, error) {
	s := &Snapshot{file: f, bodies: map[Level]map[string]body{}, codes: map[Level][]string{},
		columns: &columnCache{reading: make(chan struct{}, 1)}}
	text, err := f.Section(contentsSection)
	if err != nil {
		return nil, err
	}
	if s.folded, err = f.Section(bodiesSection); err != nil {
		return nil, err
	}
	if len(text) > maxContents {
		return nil, fmt.Errorf("%w: contents of %d bytes", snapshot.ErrInvalid, len(text))
	}
	if err := json.Unmarshal(text, &s.contents); err != nil {
		return nil, fmt.Errorf("%w: contents: %w", snapshot.ErrInvalid, err)
	}
	if slices.Contains(s.contents.Phrases, "") {
		return nil, fmt.Errorf("%w: a phrase is empty", snapshot.ErrInvalid)
	}
	length := uint64(len(s.folded))
	for level, entries := range s.contents.Bodies {
		of := make(map[string]body, len(entries))
		for _, e := range entries {
			if e.From > length || uint64(e.Folded) > length-e.From || e.Length > maxBody {
				return nil, fmt.Errorf("%w: the statistics of %s %s are outside it or too long", snapshot.ErrInvalid,
					level, e.Code)
			}
			of[e.Code] = body{e.From, e.Folded, e.Length, e.Hash}
		}
		s.bodies[level], s.codes[level] = of, slices.Sorted(maps.Keys(of))
	}
	s.contents.Bodies = nil
	compactTexts(s.contents.Phrases)
	return s, nil
}

// compactTexts moves texts to where they lie side by side: an answer needs a hundred of them.
func compactTexts(texts []string) {
	all := strings.Join(texts, "")
	for i, text := range texts {
		texts[i], all = all[:len(text)], all[len(text):]
	}
}

// Of finds the statistics of a territory; false: it is not in the snapshot. A nil snapshot holds none.
func (s *Snapshot) Of(level Level, code string) (Body, bool) {
	if s != nil {
		if at, ok := s.bodies[level][code]; ok {
			return Body{snapshot: s, folded: s.folded[at.from : at.from+uint64(at.folded)], length: int(at.length),
				hash: at.hash}, true
		}
	}
	return Body{}, false
}

// Body is the statistics of one territory, a JSON object, and after it the member
// states of the answer. The zero Body is empty.
type Body struct {
	snapshot *Snapshot // holds the phrases, and the mapping that folded is in
	folded   []byte
	length   int
	hash     uint64
}

// NewBody makes a Body of JSON that is in no snapshot.
func NewBody(text []byte) Body {
	return Body{folded: append(binary.AppendUvarint(nil, uint64(len(text))), text...), length: len(text),
		hash: xxhash.Sum64(text)}
}

// Len is the number of bytes that Append adds.
func (b Body) Len() int { return b.length }

// Hash is a hash of what Append adds.
func (b Body) Hash() uint64 { return b.hash }

// Append adds the object and the member to dst. It panics on a file that is wrong.
func (b Body) Append(dst []byte) []byte {
	if b.folded == nil {
		return dst
	}
	var phrases []string
	if b.snapshot != nil {
		phrases = b.snapshot.contents.Phrases
	}
	dst = unfoldBody(slices.Grow(dst, b.length), b.folded, phrases, b.length)
	runtime.KeepAlive(b.snapshot)
	return dst
}

// Size is the length of the file.
func (s *Snapshot) Size() int64 { return s.file.Size() }

// Source identifies the loads that it was made from.
func (s *Snapshot) Source() string { return s.file.Source() }

// Count is the number of territories of a level.
func (s *Snapshot) Count(level Level) int { return len(s.bodies[level]) }

// Coverage counts for each key of a level how many territories have it.
func (s *Snapshot) Coverage(level Level) []KeyCoverage { return s.contents.Coverage[level] }

// Sources counts for each source of figures how many communes have a value, by name of the source.
func (s *Snapshot) Sources() map[string]SourceSummary { return s.contents.Sources }

// Write renders everything into a file of this format.
func (d *Data) Write(ctx context.Context, w *snapshot.Writer) error {
	if err := w.Begin(bodiesSection); err != nil {
		return err
	}
	c, err := d.writeBodies(ctx, w)
	if err != nil {
		return err
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return snapshot.Put(w, contentsSection, text)
}

// writeBodies writes the bodies of all territories.
func (d *Data) writeBodies(ctx context.Context, w *snapshot.Writer) (c contents, err error) {
	c = contents{Bodies: map[Level][]bodyEntry{}, Coverage: map[Level][]KeyCoverage{},
		Sources: d.summarizeSources()}
	phrases := newPhraseDictionary()
	for _, level := range []Level{Commune, Arrondissement, Departement, Region} {
		tally := newKeyTally(d.catalogue.blocks[level])
		err := d.renderTerritories(ctx, d.territoriesOf(level), func(t *Territory, p *page) error {
			tally.territoryCount++
			for _, k := range p.known {
				tally.countKey(k.key, t, k.year)
			}
			rendered := p.Bytes()
			folded := phrases.foldBody(rendered, p.stats)
			at := w.Length()
			c.Bodies[level] = append(c.Bodies[level],
				bodyEntry{t.Code, at, uint32(len(folded)), uint32(len(rendered)), xxhash.Sum64(rendered)})
			_, err := w.Write(folded)
			return err
		})
		if err != nil {
			return c, err
		}
		c.Coverage[level] = tally.keyCoverages()
	}
	c.Phrases = phrases.phrases
	return c, nil
}

// renderTerritories renders on every processor, and calls use for one territory after the other, in their
// order. A page is good until use returns.
func (d *Data) renderTerritories(ctx context.Context, all []*Territory,
	use func(*Territory, *page) error) error {
	g, ctx := errgroup.WithContext(ctx)
	rendered := make([]chan *page, runtime.GOMAXPROCS(0))
	for i := range rendered {
		rendered[i] = make(chan *page)
		g.Go(func() error {
			next, inUse := newPage(), newPage()
			for n := i; n < len(all); n += len(rendered) {
				if err := next.renderTerritory(d, all[n]); err != nil {
					return err
				}
				select {
				case rendered[i] <- next:
				case <-ctx.Done():
					return ctx.Err()
				}
				next, inUse = inUse, next
			}
			return nil
		})
	}
	g.Go(func() error {
		for n, t := range all {
			select {
			case p := <-rendered[n%len(rendered)]:
				if err := use(t, p); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	return g.Wait()
}
