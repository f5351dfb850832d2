package parcel

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"time"
	"unsafe"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/cog"
	"arpent/internal/fault"
	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/source"
	"arpent/internal/snapshot"
)

// The file that parcels are read from: all that is served of them, a block a commune. Four sections follow
// the one that names the source (package snapshot):
//
//	blocks         of each commune its block, one after the other, at multiples of 8
//	communes       of each commune an entry of 64 bytes, by code
//	gone           of each commune with parcels that are served no more its block of these, one after the other, at multiples of 8
//	gone communes  of each of these communes an entry of 32 bytes, by code
//
//	Entry of a commune
//	Offset  Size  Content
//	0       8     offset of the block
//	8       8     stamp: what the block was made from
//	16      4     how many parcels there are
//	20      4     how many sections
//	24      4     how many boxes
//	28      4     length of the records
//	32      4     vintage, in days since 1970-01-01; -2147483648 where it is not known
//	36      16    box around all parcels, four times 4 bytes: least longitude and latitude, greatest ones, in 1e-7 degree
//	52      5     code, of an arrondissement in Paris, Lyon and Marseille
//	57      1     1: the load held a part of the commune only
//	58      6     zero
//
//	Block of a commune, each list padded to a multiple of 8
//	Size          Content
//	12 a section  prefix and section (5 bytes), zeros (3 bytes), number of its first parcel
//	2 a parcel    its number in the section
//	4 a parcel    where its record ends
//	4 a parcel    which parcel a leaf of the tree is (geom.Tree)
//	16 a box      the tree's boxes, level by level
//	              the records
//
//	Record
//	1 byte        1: an area is recorded, 2: a sheet is named; 4, of earlier versions, has no meaning
//	              the area in m² and the sheet, each a varint where there is one
//	              the outline, compared with the south-west of the commune's box (geom.Shape.AppendDelta)
//
//	Entry of a commune with parcels that are gone
//	Offset  Size  Content
//	0       8     offset of the block
//	8       8     stamp: what the block was made from
//	16      4     how many parcels there are
//	20      4     how many successors
//	24      5     code that begins their references
//	29      3     zero
//
//	Block of parcels that are gone, each list padded to a multiple of 8
//	Size            Content
//	20 a parcel     prefix, section and number (9 bytes), zeros (3 bytes), vintage as that of a commune, where its successors end
//	14 a successor  its reference; of each parcel the one that has most of it first
//
// Parcels are in the order of their references.
const (
	blocksSection   = "blocks"
	communesSection = "communes"

	goneSection         = "gone"
	goneCommunesSection = "gone communes"

	noVintage = math.MinInt32

	// maxRecord is far more than an outline takes: some 200 000 vertices.
	// Reading one takes eight times as much memory.
	maxRecord = 1 << 20 // bytes

	hasContenance = 1
	hasFeuille    = 2
)

// IndexFile is the name of the file.
const IndexFile = "parcels.index"

// IndexFormat is of the file: one of another version is built anew. A compact database cannot give the
// outlines for that (IndexStore.Compact): what reads another version has to read this one too.
var IndexFormat = snapshot.Format{Kind: "parcels", Version: 3}

// IndexTables are what the file is built from. Sheets of the plan are
// among them: loading these changes parcels.
var IndexTables = []string{"geo.parcel_block", "geo.feuille"}

// entry is a commune in the file.
type entry struct {
	Block                             uint64
	Stamp                             uint64
	Parcels, Sections, Boxes, Records uint32
	Vintage                           int32
	Box                               geom.Box
	Code                              [5]byte
	Partial                           uint8
	_                                 [6]byte
}

// section is a section of the plan in a block.
type section struct {
	Key   [5]byte // prefix and section
	_     [3]byte
	First uint32
}

// block holds the parcels of a commune, in the memory of the file.
type block struct {
	sections []section
	numbers  []uint16
	ends     []uint32
	tree     geom.Tree
	records  []byte
}

// Index is a file in service.
type Index struct {
	file     *snapshot.File
	communes []entry
	byCode   cog.Index // of communes
	blocks   []byte
	vintages []time.Time // of communes
	around   *geom.Tree  // of their boxes

	gone       []goneEntry
	goneBlocks []byte
}

// IndexStore keeps the file in service.
type IndexStore struct {
	*snapshot.Store[Index]
	builder indexBuilder
}

// NewIndex makes a store whose file is in dir, of what the sources
// fill. It serves nothing until Open or Refresh.
func NewIndex(pool *pgxpool.Pool, dir string, sources []source.Source) *IndexStore {
	b := indexBuilder{pool: pool, sheets: sourceNames(sources, "geo.feuille"), parcels: sourceNames(sources,
		"geo.parcel_block")}
	s := &IndexStore{builder: b}
	s.Store = snapshot.NewStore(snapshot.Kind[Index]{
		File: IndexFile, Format: IndexFormat, Read: readIndex, Source: b.sourceFingerprint,
		Build: func(ctx context.Context, tx pgx.Tx, w *snapshot.Writer) error {
			return b.buildIndex(ctx, tx, w, s.Get())
		},
	}, pool, dir)
	return s
}

// sourceNames are the names of the sources of a table.
func sourceNames(sources []source.Source, table string) (names []string) {
	for _, s := range source.Filling(sources, table) {
		names = append(names, s.Name)
	}
	return names
}

// Refresh serves what is in the database. Of a file that is there only the
// communes that have changed are built anew.
func (s *IndexStore) Refresh(ctx context.Context) error {
	return fault.Wrap("build the file of parcels", s.Store.Refresh(ctx))
}

// readIndex checks that each block is as long as its entry says, so that no look-up reaches out of it.
func readIndex(f *snapshot.File) (*Index, error) {
	blocks, err := f.Section(blocksSection)
	if err != nil {
		return nil, err
	}
	communes, err := f.Section(communesSection)
	if err != nil {
		return nil, err
	}
	x := &Index{file: f, communes: snapshot.View[entry](communes), byCode: cog.NewIndex(), blocks: blocks}
	boxes := make([]geom.Box, len(x.communes))
	x.vintages = make([]time.Time, len(x.communes))
	for i := range x.communes {
		e := &x.communes[i]
		if end := e.Block + e.blockSize(); e.Block%8 != 0 || end < e.Block || end > uint64(len(blocks)) {
			return nil, fmt.Errorf("%w: the block of commune %s is at %d", snapshot.ErrInvalid, e.Code, e.Block)
		}
		if !x.byCode.Set(string(e.Code[:]), int32(i)) {
			return nil, fmt.Errorf("%w: %q is the code of no commune", snapshot.ErrInvalid, e.Code)
		}
		boxes[i], x.vintages[i] = e.Box, time.Unix(int64(e.Vintage)*secondsADay, 0).UTC()
	}
	x.around = geom.NewTree(boxes)
	return x, x.readGone(f)
}

const secondsADay = 24 * 60 * 60

// listSizes are the lengths of the lists of a block, in their order.
func (e *entry) listSizes() [6]uint64 {
	n := uint64(e.Parcels)
	return [6]uint64{uint64(e.Sections) * uint64(unsafe.Sizeof(section{})), 2 * n, 4 * n, 4 * n,
		uint64(e.Boxes) * uint64(unsafe.Sizeof(geom.Box{})), uint64(e.Records)}
}

// blockSize is the length of the block.
func (e *entry) blockSize() (all uint64) {
	for _, n := range e.listSizes() {
		all += snapshot.Padded(n)
	}
	return all
}

// blockAt gives the lists of the nth commune.
func (x *Index) blockAt(nth int) block {
	e := &x.communes[nth]
	at := e.Block
	var lists [6][]byte
	for i, n := range e.listSizes() {
		lists[i] = x.blocks[at : at+n : at+n]
		at += snapshot.Padded(n)
	}
	return block{sections: snapshot.View[section](lists[0]), numbers: snapshot.View[uint16](lists[1]),
		ends: snapshot.View[uint32](lists[2]),
		tree: geom.TreeOf(snapshot.View[geom.Box](lists[4]), snapshot.View[int32](lists[3])), records: lists[5]}
}

// recordAt returns the record of the nth parcel of a block.
func (b *block) recordAt(nth int) []byte {
	from := uint32(0)
	if nth > 0 {
		from = b.ends[nth-1]
	}
	return b.records[from:b.ends[nth]]
}

// outlineOrigin is the position that the outlines of a commune are compared with.
func (e *entry) outlineOrigin() geom.Point { return geom.Point{X: e.Box.MinX, Y: e.Box.MinY} }

// readAttributes reads a record up to its outline.
func readAttributes(record []byte, r *row) (outline []byte, err error) {
	if len(record) == 0 || len(record) > maxRecord {
		return nil, fmt.Errorf("%w: a record has %d bytes", snapshot.ErrInvalid, len(record))
	}
	flags, rest := record[0], record[1:]
	short := false
	if flags&hasContenance != 0 {
		r.contenance, rest, short = readNumber(rest)
	}
	if flags&hasFeuille != 0 && !short {
		r.feuille, rest, short = readNumber(rest)
	}
	if short {
		return nil, fmt.Errorf("%w: a record is cut", snapshot.ErrInvalid)
	}
	return rest, nil
}

func readNumber(b []byte) (v number, rest []byte, short bool) {
	read, n := binary.Varint(b)
	if n <= 0 {
		return number{}, nil, true
	}
	return number{Int32: int32(read), Valid: true}, b[n:], false
}

// Parcels is how many there are.
func (x *Index) Parcels() (n int) {
	defer runtime.KeepAlive(x.file)
	for i := range x.communes {
		n += int(x.communes[i].Parcels)
	}
	return n
}

// Communes is of how many communes and arrondissements there are parcels.
func (x *Index) Communes() int { return len(x.communes) }

// Size is the length of the file.
func (x *Index) Size() int64 { return x.file.Size() }
