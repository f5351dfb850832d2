package stats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"arpent/internal/opendata/state"
)

// Block is one key of the statistics of territories.
type Block struct {
	key               string
	doc               string
	places            map[Level]int // the levels that have it, with its place among their keys
	from              []string
	supplementSources []string // those of from that alone give no value
	parts             []part
	value             reflect.Type
	// complete is the sentence of a place that a complete list does not name; empty: a
	// place that is not named is not covered.
	complete    string
	needsAll    bool   // complete is true only where all of from are loaded
	completeBy  string // complete is true only where this source is loaded; empty: where any is
	ofResidents bool   // it is about the inhabitants: where there are none there is no such thing
	onRequest   bool   // see OnRequest
	// related returns a sentence on another value that says nearly the same; empty: there is none. nil: as well.
	related func(*Data, *Territory) string
	// lacks returns a sentence on what no loaded file has of a value; empty: nothing. nil: as well.
	lacks func(*Data, *Territory) string
	// makeValue gives the value, and where it is from if it does not say so itself; nil: nothing is known.
	makeValue func(d *Data, t *Territory) (value any, origin *Origin)
}

// isNumber reports whether the value is a plain number, which does not say of which year it is.
func (b Block) isNumber() bool {
	return b.value.Kind() == reflect.Int || b.value.Kind() == reflect.Float64
}

// yearKey is the key of the year of a number, which stands next to it.
func (b Block) yearKey() string { return b.key + YearSuffix }

// YearSuffix is what is added to the key of a number for that of its year.
const YearSuffix = "Year"

// Object is a block whose value names its source.
func Object[T any](key, doc string, render func(*Data, *Territory) *T) Block {
	return Plain(key, doc, func(d *Data, t *Territory) (*T, *Origin) { return render(d, t), nil })
}

// Plain is a block whose value is a number or a list.
func Plain[T any](key, doc string, render func(*Data, *Territory) (*T, *Origin)) Block {
	return Block{key: key, doc: doc, places: map[Level]int{}, value: reflect.TypeFor[T](),
		makeValue: func(d *Data, t *Territory) (any, *Origin) {
			if v, origin := render(d, t); v != nil {
				return v, origin
			}
			return nil, nil
		}}
}

// Count is a block whose value is the newest figure of a measure of whole numbers.
func Count(key, doc, measure string) Block {
	return Plain(key, doc, func(_ *Data, t *Territory) (*int, *Origin) {
		f := t.Latest(measure)
		return Whole(f.Value), OriginOf(f)
	})
}

// Decimal is a block whose value is the newest figure of a measure, with at most so many decimals.
func Decimal(key, doc, measure string, decimals int) Block {
	return Plain(key, doc, func(_ *Data, t *Territory) (*float64, *Origin) {
		f := t.Latest(measure)
		return Round(f.Value, decimals), OriginOf(f)
	})
}

// At gives the block a place among the keys of a level. The order of
// keys is that of answers: a new key comes last.
func (b Block) At(level Level, place int) Block {
	b.places[level] = place
	return b
}

// From names the sources that the block is made from; "filosofi-*" stands for all whose names begin so.
func (b Block) From(sources ...string) Block {
	b.from = append(b.from, sources...)
	return b
}

// SupplementedBy names sources that add to the block where others give a value, and give none alone.
func (b Block) SupplementedBy(sources ...string) Block {
	b.supplementSources = append(b.supplementSources, sources...)
	return b.From(sources...)
}

// part is a member of the value of a block that has a state of its own where it is null.
type part struct {
	path   string   // of gjson: # stands for each item of a list
	from   []string // the sources that it comes from; none: all of the block
	reason string   // why it is null where these are loaded; empty: its sources say
	doubt  string   // why it is null where a source lists the place without it; empty: nothing more is known
	// notApplicable: a place of which it is null has no such thing.
	notApplicable bool
	measures      []string // of the figures that it is made from, which say why it is null; none: see from
}

// stateName is the part as states have it, without what stands for the items of lists.
func (p part) stateName() string { return strings.ReplaceAll(p.path, "#.", "") }

// isNull reports whether the part of a value is null, where there is that part; of a list, in all its items.
func (p part) isNull(value string) bool {
	found := gjson.Get(value, p.path)
	if !strings.Contains(p.path, "#") {
		return found.Exists() && found.Type == gjson.Null
	}
	return len(found.Array()) > 0 && !hasAnyValue(found)
}

// isKnown reports whether a value has the part; of a list, whether an item has it.
func (p part) isKnown(value string) bool {
	found := gjson.Get(value, p.path)
	if !strings.Contains(p.path, "#") {
		return found.Exists() && found.Type != gjson.Null
	}
	return hasAnyValue(found)
}

// hasAnyValue reports whether one of the items of a list is not null.
func hasAnyValue(list gjson.Result) bool {
	return slices.ContainsFunc(list.Array(), func(one gjson.Result) bool { return one.Type != gjson.Null })
}

// Part names a member of the value that comes from some of the sources alone: where it is null, it has a
// state too. "#.total" is the member total of the items of a list, where it is null in all of them.
func (b Block) Part(path string, sources ...string) Block {
	b.parts = append(b.parts, part{path: path, from: sources})
	return b
}

// Figure names a member of the value, and the measures that it is made from in the year of the value: where it
// is null, it has the state of the first of their figures that says why.
func (b Block) Figure(path string, measures ...string) Block {
	b.parts = append(b.parts, part{path: path, measures: measures})
	return b
}

// Doubted declares why a member of Part is null of a place that one of its sources lists without a value.
func (b Block) Doubted(path, reason string) Block {
	for i := range b.parts {
		if b.parts[i].path == path {
			b.parts[i].doubt = reason
		}
	}
	return b
}

// Because declares the only reason for which a member of the value can be null where its sources are loaded:
// those that are named, else those of the block. path is as in Part.
func (b Block) Because(path, reason string, sources ...string) Block {
	b.parts = append(b.parts, part{path: path, from: sources, reason: reason})
	return b
}

// NotApplicable declares that a place of which a member of the value is null, where its sources are loaded,
// has no such thing. path is as in Part.
func (b Block) NotApplicable(path, reason string, sources ...string) Block {
	b.parts = append(b.parts, part{path: path, from: sources, reason: reason, notApplicable: true})
	return b
}

// Lacks adds a sentence to the state of the key where its value is known: it says what no loaded file has of
// it. Empty: nothing.
func (b Block) Lacks(sentence func(*Data, *Territory) string) Block {
	b.lacks = sentence
	return b
}

// Related adds a sentence to the state of the key where its value is not known: it says where another value
// is that says nearly the same, and is empty where there is none.
func (b Block) Related(sentence func(*Data, *Territory) string) Block {
	b.related = sentence
	return b
}

// Complete says that the sources list all that there is: of a place
// that they do not name, the sentence is true.
func (b Block) Complete(none string) Block {
	b.complete = none
	return b
}

// CompleteTogether is Complete of sources that only together list all that there is.
func (b Block) CompleteTogether(none string) Block {
	b.complete, b.needsAll = none, true
	return b
}

// CompleteBy is Complete where one of the sources is loaded, which alone lists all that there is.
func (b Block) CompleteBy(source, none string) Block {
	b.complete, b.completeBy = none, source
	return b
}

// OnRequest says that the block is a detail: tools give its value to calls that name its key alone.
func (b Block) OnRequest() Block {
	b.onRequest = true
	return b
}

// OfResidents says that the block is about the inhabitants of a place.
func (b Block) OfResidents() Block {
	b.ofResidents = true
	return b
}

// Render makes the statistics of a territory: one JSON object with every key
// of its level, null where nothing is known.
func (d *Data) Render(t *Territory) ([]byte, error) {
	p := newPage()
	err := p.renderTerritory(d, t)
	return p.Bytes()[:p.stats], err
}

// page is where territories are rendered, one after the other in the same memory: the statistics, and after
// them the member with the states of their keys.
type page struct {
	bytes.Buffer
	encoder *json.Encoder
	stats   int // length of the statistics
	states  map[string]state.KeyState
	reasons reasons
	known   []knownKey

	nullNames []string // of the members of the current value that are null
}

// knownKey is a key that has a value, and the year of the value if it has one.
type knownKey struct {
	key  string
	year *int
}

func newPage() *page {
	p := &page{states: map[string]state.KeyState{}}
	p.encoder = json.NewEncoder(p)
	return p
}

func (p *page) renderTerritory(d *Data, t *Territory) error {
	p.Reset()
	p.known = p.known[:0]
	p.reasons.setTerritory(d, t)
	origins := map[string]*Origin{}
	for i, b := range d.catalogue.blocks[t.Level] {
		p.writeKey(i, b.key)
		from := p.Len()
		made, err := p.writeBlock(d, t, b)
		if err != nil {
			return fmt.Errorf("render %s of %s %s: %w", b.key, t.Level, t.Code, err)
		}
		value := string(p.Bytes()[from:])
		unknown := made.unknown || value == "null"
		if !unknown {
			p.known = append(p.known, knownKey{b.key, made.year})
		}
		p.states[b.key] = p.reasons.keyState(i, unknown, value == "[]", made.from)
		if same := t.sameTerritory(); unknown && same != nil && d.hasValue(same, b.key) {
			s := p.states[b.key]
			s.Reason = strings.TrimSpace(s.Reason + " " + fmt.Sprintf(sameTerritoryHas[same.Level], same.Code))
			p.states[b.key] = s
		}
		if unknown && b.related != nil {
			s := p.states[b.key]
			s.Reason = strings.TrimSpace(s.Reason + " " + b.related(d, t))
			p.states[b.key] = s
		}
		if !unknown && b.lacks != nil {
			s := p.states[b.key]
			s.Reason = strings.TrimSpace(b.lacks(d, t) + " " + s.Reason)
			p.states[b.key] = s
		}
		p.setPartStates(i, b, value)
		if made.origin != nil {
			origins[b.key] = made.origin
		}
		if b.isNumber() {
			p.writeKey(1, b.yearKey())
			if err := p.writeJSON(made.year); err != nil {
				return err
			}
		}
	}
	p.writeKey(len(d.catalogue.blocks[t.Level]), "sources")
	if err := p.writeJSON(origins); err != nil {
		return err
	}
	p.WriteByte('}')
	p.stats = p.Len()
	return p.renderStates(d.catalogue.blocks[t.Level])
}

// setPartStates notes why parts of a value are null. To find the names of all null members first takes a
// fraction of the time of following the path of each part.
func (p *page) setPartStates(nth int, b Block, value string) {
	p.nullNames = p.nullNames[:0]
	if len(b.parts) > 0 && p.states[b.key].State == state.Value {
		p.nullNames = appendNullNames(p.nullNames, value)
	}
	for i, part := range b.parts {
		name, member := b.key+"."+part.stateName(), part.path[strings.LastIndexByte(part.path, '.')+1:]
		delete(p.states, name)
		if !slices.Contains(p.nullNames, member) || !part.isNull(value) {
			continue
		}
		if part.measures == nil {
			p.states[name] = p.reasons.partState(nth, i)
		} else if s, known := p.reasons.figureState(part, value); known {
			p.states[name] = s
		}
	}
}

// appendNullNames appends the names of the members that are null in an encoded value, at any depth. A text
// that holds the same characters may add a name.
func appendNullNames(names []string, value string) []string {
	for {
		name, rest, found := strings.Cut(value, `":null`)
		if !found {
			return names
		}
		names, value = append(names, name[strings.LastIndexByte(name, '"')+1:]), rest
	}
}

func (p *page) writeKey(nth int, name string) {
	if nth == 0 {
		p.WriteByte('{')
	} else {
		p.WriteByte(',')
	}
	p.WriteByte('"')
	p.WriteString(name)
	p.WriteString(`":`)
}

// writeJSON adds a value without the end of line that an encoder puts after it.
func (p *page) writeJSON(v any) error {
	err := p.encoder.Encode(v)
	p.Truncate(max(0, p.Len()-1))
	return err
}

// renderedValue is what is known of a value that was rendered.
type renderedValue struct {
	year    *int    // that it is of
	origin  *Origin // nil: it names its source itself, or there is no value
	from    []*Load // that it is from; none: not known
	unknown bool    // it is an object without any figure
}

// writeBlock adds the value of a key. What goes wrong with one
// territory is an error, not the end of the service.
func (p *page) writeBlock(d *Data, t *Territory, b Block) (made renderedValue, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%v\n%s", cause, debug.Stack())
		}
	}()
	value, origin := b.makeValue(d, t)
	if value == nil {
		p.WriteString("null")
		return made, nil
	}
	made.origin = origin
	switch dated, ok := value.(interface{ envelopeYear() *int }); {
	case origin != nil && origin.Year != nil:
		made.year = origin.Year
	case ok:
		made.year = dated.envelopeYear()
	}
	if of, ok := value.(loadLister); ok {
		made.from = of.sourceLoads()
	}
	if origin != nil {
		made.from = origin.sourceLoads()
	}
	if u, ok := value.(interface{ Unknown() bool }); ok {
		made.unknown = u.Unknown()
	}
	return made, p.writeJSON(value)
}

// Nothing is the statistics of a territory of which nothing is known, with the states of their keys.
func (c *Catalogue) Nothing(level Level) []byte {
	p := newPage()
	if err := p.renderTerritory(newData(c), &Territory{Level: level}); err != nil {
		panic(err) // nothing is encoded but nulls
	}
	return p.Bytes()
}
