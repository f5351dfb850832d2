package territory

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"arpent/api/cog"
	"arpent/api/reply"
	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/stats"
)

// builder collects the rows and then renders the responses.
type builder struct {
	regions      map[string]*regionRow
	departements map[string]*departementRow
	communes     map[string]*communeRow
	sorted       []*communeRow
	former       []formerRow
	uncovered    map[string][]string // codes of overseas collectivities and their communes, by name
	ended        map[string]endedCommune
	movements    []movementRow // by day
	edition      *int
	bodies       map[string]*body

	arrondissements map[string]*communeRow // with their outline and area alone
	outlines        map[[2]string]*outline // of what is served, by its level and code
	outlineSource   string                 // producer and title
	precisionM      int
	outlineOrigins  map[string][]byte // by edition, as encoded

	arena   geom.Arena
	scratch []byte
}

// landArea is the land area of a territory.
type landArea struct {
	km2     float64
	year    int
	source  string
	isSplit bool // it is not known of this commune, which was split: that of its département has it
}

type outline struct {
	shape   geom.Shape
	areaKm2 *float64
	origin  []byte // an encoded OutlineOrigin; nil: there is no outline
}

type regionRow struct {
	code, name   string
	chefLieu     string // its code; empty: not known
	communes     []*communeRow
	departements []*departementRow // the metropolitan ones
	outline
}

type departementRow struct {
	code, name string
	chefLieu   string     // its code; empty: not known
	region     *regionRow // nil when not known
	communes   []*communeRow
	land       *landArea // nil when not known
	outline
}

type communeRow struct {
	code, name  string
	departement *departementRow
	region      *regionRow // nil when not known
	postcodes   []string
	population  int32     // 0 when not known
	land        *landArea // nil when not known
	outline
}

type formerRow struct{ kind, code, name, now string }

func newBuilder() *builder {
	return &builder{regions: map[string]*regionRow{}, departements: map[string]*departementRow{},
		communes: map[string]*communeRow{}, uncovered: map[string][]string{}, outlines: map[[2]string]*outline{},
		outlineOrigins: map[string][]byte{}, ended: map[string]endedCommune{},
		arrondissements: map[string]*communeRow{}, bodies: map[string]*body{}}
}

func (b *builder) addRegion(code, name, chefLieu string) {
	r := &regionRow{code: code, name: name, chefLieu: chefLieu}
	b.regions[code], b.outlines[[2]string{"region", code}] = r, &r.outline
}

// addDepartement adds a département. An overseas one is not listed below its région, which consists of it
// alone and answers for it: see isMetropolitan.
func (b *builder) addDepartement(code, name, chefLieu string, region *string) {
	d := &departementRow{code: code, name: name, chefLieu: chefLieu}
	if region != nil {
		d.region = b.regions[*region]
	}
	b.departements[code] = d
	if !d.isMetropolitan() {
		return
	}
	b.outlines[[2]string{"departement", code}] = &d.outline
	if d.region != nil {
		d.region.departements = append(d.region.departements, d)
	}
}

// isMetropolitan reports whether d is in mainland France or Corsica: overseas codes have three characters.
// Only metropolitan départements have a response of their own.
func (d *departementRow) isMetropolitan() bool { return len(d.code) == 2 }

// addCommune keeps of communes outside any département, those of the collectivités d'outre-mer, only the
// names: no outline is loaded for them.
func (b *builder) addCommune(code, name string, departement, region *string, postcodes []string,
	population int32,
) {
	if departement == nil || b.departements[*departement] == nil {
		b.uncovered[trimArticle(name)] = append(b.uncovered[trimArticle(name)], code)
		if of := cog.Collectivity(code); of != "" {
			b.uncovered[trimArticle(of)] = []string{code[:3]}
		}
		return
	}
	c := &communeRow{code: code, name: name, departement: b.departements[*departement],
		postcodes: slices.Sorted(slices.Values(postcodes)), population: population}
	if c.postcodes == nil {
		c.postcodes = []string{}
	}
	c.region = c.departement.region
	if region != nil && b.regions[*region] != nil {
		c.region = b.regions[*region]
	}
	if c.region != nil {
		c.region.communes = append(c.region.communes, c)
	}
	b.communes[code], b.outlines[[2]string{"commune", code}] = c, &c.outline
}

func (b *builder) addFormer(kind, code, name, now string) {
	b.former = append(b.former, formerRow{kind, code, name, now})
	if kind == arrondissement {
		a := &communeRow{}
		b.arrondissements[code], b.outlines[[2]string{"arrondissement", code}] = a, &a.outline
	}
}

// sortCommunes sorts communes and lists by code.
func (b *builder) sortCommunes() {
	b.sorted = slices.SortedFunc(maps.Values(b.communes),
		func(x, y *communeRow) int { return strings.Compare(x.code, y.code) })
	for _, c := range b.sorted {
		c.departement.communes = append(c.departement.communes, c)
	}
	for _, r := range b.regions {
		slices.SortFunc(r.departements, func(x, y *departementRow) int { return strings.Compare(x.code, y.code) })
	}
}

func (b *builder) addLandArea(code string, area landArea) {
	if c := cmp.Or(b.communes[code], b.arrondissements[code]); c != nil {
		c.land = &area
	} else if d := b.departements[code]; d != nil {
		d.land = &area
	}
}

// sumLandAreas returns the land area of communes together; nil where that of one is not known, or is of
// another edition. isSplit is set where one was split.
func sumLandAreas(communes []*communeRow) *landArea {
	var sum landArea
	for i, c := range communes {
		if c.land == nil || i > 0 && c.land.year != sum.year {
			return nil
		}
		sum = landArea{sum.km2 + c.land.km2, c.land.year, c.land.source, sum.isSplit || c.land.isSplit}
	}
	if len(communes) == 0 {
		return nil
	}
	return &sum
}

// landArea returns the land area of a département: the sum of its communes, where one was split that which is
// published; nil where it is not known.
func (d *departementRow) landArea() *landArea {
	sum := sumLandAreas(d.communes)
	if sum != nil && sum.isSplit && d.land != nil && d.land.year == sum.year {
		return d.land
	}
	return sum
}

// landArea returns the land area of a région: the sum of its départements, overseas that of its communes; nil
// where it is not known.
func (r *regionRow) landArea() *landArea {
	if len(r.departements) == 0 {
		return sumLandAreas(r.communes)
	}
	var sum landArea
	for i, d := range r.departements {
		of := d.landArea()
		if of == nil || i > 0 && of.year != sum.year {
			return nil
		}
		sum = landArea{sum.km2 + of.km2, of.year, of.source, sum.isSplit || of.isSplit}
	}
	return &sum
}

// areaOf returns the area of a territory, and what it is: the land area where it is known, else the area of
// the outline.
func (o *outline) areaOf(land *landArea) (areaKm2 *float64, of Area) {
	of.OutlineAreaKm2 = o.areaKm2
	if land == nil || land.isSplit {
		return o.areaKm2, of
	}
	of.AreaSource, of.AreaYear = &land.source, &land.year
	return stats.Round(&land.km2, 2), of
}

func (b *builder) buildSnapshot() (*Snapshot, error) {
	s := &Snapshot{
		Edition: b.edition, ended: b.ended, uncoveredNames: b.uncovered, bodies: b.bodies,
		regions: map[string]*area{}, departements: map[string]*area{}, overseas: map[string]*area{},
		regionNames: map[string]namedArea{}, departementNames: map[string]namedArea{},
		formerNames: map[string][]int32{}, earlierNames: map[string][]int32{}, dividedNames: map[string][]int32{},
		byCode: cog.NewIndex(), former: map[string]formerCode{}, postcodes: map[string][]int32{},
		communeNames: map[string][]int32{}, arrondissementNames: map[string][]formerCode{},
		communes: make([]entry, len(b.sorted)), places: make([]Place, len(b.sorted)),
		populations: make([]int32, len(b.sorted)),
		outlines:    newOutlineCache(len(b.sorted)), precisionM: b.precisionM,
	}
	for _, step := range []func(*Snapshot) error{b.buildCommunes, b.buildDepartements, b.buildRegions} {
		if err := step(s); err != nil {
			return nil, err
		}
	}
	recoded := map[[2]string]string{} // the day, by the code before and after
	for _, m := range b.movements {
		if m.kind == otherDepartement || m.kind == otherSeat {
			recoded[[2]string{m.before, m.after}] = m.day
		}
	}
	for _, f := range b.former {
		now, known := s.byCode.Find(f.now)
		_, current := s.byCode.Find(f.code)
		if _, explained := s.former[f.code]; known && !current && !explained {
			s.former[f.code] = formerCode{kind: f.kind, code: f.code, name: f.name, now: now, recoded: recoded[[2]string{f.code, f.now}]}
			if short, is := strings.CutSuffix(FoldName(f.name), " arrondissement"); is && f.kind == arrondissement {
				s.arrondissementNames[short] = append(s.arrondissementNames[short], s.former[f.code])
			}
		}
	}
	return s, b.buildArrondissements(s)
}

// buildArrondissements builds the arrondissements, in the order of their codes. Their postcodes are those of
// their city with their number.
func (b *builder) buildArrondissements(s *Snapshot) error {
	for _, code := range slices.Sorted(maps.Keys(b.arrondissements)) {
		f := s.former[code]
		if f.kind != arrondissement {
			continue
		}
		own, city := b.arrondissements[code], b.sorted[f.now]
		result := Commune{Kind: "commune", CodeInsee: code, Name: f.name, DeptCode: &city.departement.code,
			DeptName: &city.departement.name, Postcodes: []string{}, FormerCommunes: []FormerCommune{},
			ArrondissementOf: &NamedCommune{Name: city.name, CodeInsee: city.code}}
		result.AreaKm2, result.Area = own.areaOf(own.land)
		if b.movements == nil {
			result.FormerCommunes = nil
		}
		if city.region != nil {
			result.RegionCode, result.RegionName = &city.region.code, &city.region.name
		}
		if b.listChefLieuOf(city) != nil {
			result.ChefLieuOf = []Seat{} // the city is, as a whole
		}
		for _, p := range city.postcodes {
			if s.arrondissementServed(p) == code {
				result.Postcodes = append(result.Postcodes, p)
			}
		}
		e, err := b.encodeEntry(result, &own.outline, nil)
		if err != nil {
			return err
		}
		s.arrondissements = append(s.arrondissements, town{code, f.name, f.now, e})
	}
	return nil
}

// addName adds the commune of a code, if there is one today, to those of a name.
func (s *Snapshot) addName(names map[string][]int32, name, code string) {
	name = trimArticle(name)
	if at, is := s.byCode.Find(code); is && !slices.Contains(names[name], at) {
		names[name] = append(names[name], at)
	}
}

func (b *builder) buildCommunes(s *Snapshot) error {
	formerCommunes := b.listFormerCommunes()
	boxes := make([]geom.Box, len(b.sorted))
	for i, c := range b.sorted {
		result := Commune{Kind: "commune", CodeInsee: c.code, Name: c.name,
			DeptCode: &c.departement.code, DeptName: &c.departement.name, Postcodes: c.postcodes}
		result.AreaKm2, result.Area = c.areaOf(c.land)
		if result.FormerCommunes = formerCommunes[c.code]; result.FormerCommunes == nil && b.movements != nil {
			result.FormerCommunes = []FormerCommune{}
		}
		if c.region != nil {
			result.RegionCode, result.RegionName = &c.region.code, &c.region.name
		}
		result.ChefLieuOf = b.listChefLieuOf(c)
		e, err := b.encodeEntry(result, &c.outline, nil)
		if err != nil {
			return err
		}
		s.communes[i] = e
		s.places[i] = Place{CodeInsee: c.code, CommuneName: c.name, CodeDep: c.departement.code}
		s.populations[i] = c.population
		if !s.byCode.Set(c.code, int32(i)) {
			return fmt.Errorf("%q is no code of a commune", c.code)
		}
		name := FoldName(c.name)
		s.communeNames[name] = append(s.communeNames[name], int32(i))
		s.communesByName = append(s.communesByName, namedCommune{trimArticle(name), int32(i)})
		for _, f := range result.FormerCommunes {
			former := trimArticle(f.Name)
			if former != trimArticle(name) && !slices.Contains(s.formerNames[former], int32(i)) {
				s.formerNames[former] = append(s.formerNames[former], int32(i))
			}
		}
		for _, p := range c.postcodes {
			s.postcodes[p] = append(s.postcodes[p], int32(i))
		}
		boxes[i] = c.shape.Bounds()
	}
	for _, m := range b.movements {
		switch m.kind {
		case renaming:
			s.addName(s.earlierNames, m.name, m.after)
		case creation, restoration: // what is left of the commune that was divided keeps its code
			s.addName(s.dividedNames, m.name, m.before)
			s.addName(s.dividedNames, m.name, m.after)
		}
	}
	s.tree = geom.NewTree(boxes)
	slices.SortFunc(s.communesByName, func(a, b namedCommune) int {
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.at, b.at))
	})
	return nil
}

// nameChefLieu names the commune of a code; nil: there is none.
func (b *builder) nameChefLieu(code string) *ChefLieu {
	c := b.communes[code]
	if c == nil {
		return nil
	}
	return &ChefLieu{Name: c.name, CodeInsee: code}
}

// listChefLieuOf lists of what a commune is the chef-lieu; nil: that of its département is not known.
func (b *builder) listChefLieuOf(c *communeRow) []Seat {
	if c.departement.chefLieu == "" {
		return nil
	}
	of := []Seat{}
	if c.departement.chefLieu == c.code {
		of = append(of, Seat{Kind: "departement", Code: c.departement.code, Name: c.departement.name})
	}
	if c.region != nil && c.region.chefLieu == c.code {
		of = append(of, Seat{Kind: "region", Code: c.region.code, Name: c.region.name})
	}
	return of
}

func (b *builder) buildDepartements(s *Snapshot) error {
	var all []CodeName
	for _, code := range slices.Sorted(maps.Keys(b.departements)) {
		d := b.departements[code]
		s.departementNames[trimArticle(d.name)] = namedArea{code, d.name}
		items := make([]CodeName, len(d.communes))
		for i, c := range d.communes {
			items[i] = CodeName{Name: c.name, CodeInsee: c.code}
		}
		list, err := encodeList(items)
		if err != nil {
			return err
		}
		a := &area{list: list, chefLieu: b.nameChefLieu(d.chefLieu)}
		if d.region != nil {
			a.region = d.region.code
		}
		if !d.isMetropolitan() {
			s.overseas[code] = a
			continue
		}
		all = append(all, CodeName{Name: d.name, Code: code})
		result := Departement{Kind: "departement", Code: code, Name: d.name, CommuneCount: len(items),
			ChefLieu: a.chefLieu}
		result.AreaKm2, result.Area = d.areaOf(d.landArea())
		if d.region != nil {
			result.RegionCode, result.RegionName = &d.region.code, &d.region.name
		}
		if a.entry, err = b.encodeEntry(result, &d.outline, list.Body); err != nil {
			return err
		}
		s.departements[code] = a
	}
	var err error
	s.departementList, err = encodeList(all)
	return err
}

func (b *builder) buildRegions(s *Snapshot) error {
	var all []CodeName
	for _, code := range slices.Sorted(maps.Keys(b.regions)) {
		r := b.regions[code]
		all = append(all, CodeName{Name: r.name, Code: code})
		s.regionNames[trimArticle(r.name)] = namedArea{code, r.name}
		items := make([]CodeName, len(r.departements))
		for i, d := range r.departements {
			items[i] = CodeName{Name: d.name, Code: d.code}
		}
		list, err := encodeList(items)
		if err != nil {
			return err
		}
		result := Region{Kind: "region", Code: code, Name: r.name, CommuneCount: len(r.communes),
			DepartementCount: len(items), ChefLieu: b.nameChefLieu(r.chefLieu)}
		result.AreaKm2, result.Area = r.areaOf(r.landArea())
		e, err := b.encodeEntry(result, &r.outline, list.Body)
		if err != nil {
			return err
		}
		s.regions[code] = &area{entry: e, list: list, chefLieu: result.ChefLieu}
	}
	var err error
	s.regionList, err = encodeList(all)
	return err
}

// encodeEntry encodes a result. The outline is encoded once into the
// scratch buffer, for its length and for the hash.
func (b *builder) encodeEntry(result any, o *outline, list []byte) (entry, error) {
	body, err := json.Marshal(result)
	if err != nil {
		return entry{}, fmt.Errorf("encode a result: %w", err)
	}
	b.scratch = o.shape.AppendGeoJSON(b.scratch[:0])
	e := entry{plain: reply.New(body), shape: o.shape, origin: o.origin, geometryLen: int32(len(b.scratch))}
	hash := xxhash.New()
	for _, part := range [][]byte{body, b.scratch, o.origin, list} {
		_, _ = hash.Write(part) // never fails
	}
	e.hash = hash.Sum64()
	return e, nil
}

var outlineYear = regexp.MustCompile(`\b(19|20)\d\d\b`)

// describeOutline encodes what the outlines of an edition are; nil: no load says it.
func (b *builder) describeOutline(edition string) []byte {
	text := b.outlineOrigins[edition]
	if text == nil && b.outlineSource != "" {
		origin := OutlineOrigin{Source: b.outlineSource, PrecisionM: &b.precisionM}
		if years := outlineYear.FindAllString(edition, -1); years != nil {
			slices.Sort(years)
			origin.Edition = new(strings.Join(slices.Compact(years), ", "))
		}
		text, _ = json.Marshal(origin) // texts and numbers always encode
		b.outlineOrigins[edition] = text
	}
	return text
}

func encodeList(items []CodeName) (reply.Reply, error) {
	if items == nil {
		items = []CodeName{}
	}
	body, err := json.Marshal(CodeNameList{Count: len(items), Data: items})
	if err != nil {
		return reply.Reply{}, fmt.Errorf("encode a list: %w", err)
	}
	return reply.New(body), nil
}
