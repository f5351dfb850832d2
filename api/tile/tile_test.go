package tile_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/protobuf/encoding/protowire"

	"arpent/api/coverage"
	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/api/territory"
	"arpent/api/tile"
	"arpent/app/dev/testkit"
	"arpent/internal/clock"
	"arpent/internal/opendata/source"
)

// land are two communes that touch, in a département; one has four parcels in two
// sections, of which three lie side by side, a street that rises to the north-east, and a locality.
const land = `
INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
VALUES ('test', 'test', 'test', 'test', '[]', '', 0, 0, '[]', now(), now(), true);
INSERT INTO geo.region (code, name) VALUES ('11', 'Île-de-France');
INSERT INTO geo.departement (code, name, region_code) VALUES ('93', 'Seine-Saint-Denis', '11');
INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code) VALUES
    ('commune-actuelle', '93008', 'Bobigny', '93', '11', '93008'), ('commune-actuelle', '93010', 'Bondy', '93', '11', '93010');
INSERT INTO geo.commune_contour (code, geom, area_km2)
SELECT code, ST_Multi(ST_MakeEnvelope(x, 48.9, x + 0.1, 49, 4326)), 80 FROM (VALUES ('93008', 2.4), ('93010', 2.5)) c (code, x);
INSERT INTO geo.departement_contour (code, geom, area_km2) SELECT '93', ST_Multi(ST_Union(geom)), 160 FROM geo.commune_contour;
INSERT INTO geo.parcelle (idu, geom)
SELECT idu, ST_Multi(ST_MakeEnvelope(x, 48.91, x + 0.0002, 48.9102, 4326))
FROM (VALUES ('930100000A0001', 2.512), ('930100000A0002', 2.5122), ('930100000A0003', 2.5124), ('93010000AB0012', 2.513)) p (idu, x);
INSERT INTO geo.parcelle_commune (code, vintage, load_id) SELECT '93010', '2025-01-01', max(id) FROM geo.load;
INSERT INTO geo.adresse (part, id, place, numero, street, postcode, code_insee, geom)
SELECT 'ban/93', n::text, 1, n, 'Rue de Paris', '93140', '93010',
    ST_Point(2.512 + 0.0001 * n, 48.91 + 0.0000657 * n, 4326)
FROM generate_series(1, 5) n;
INSERT INTO geo.lieu_dit (part, id, name, postcode, code_insee, geom)
VALUES ('ban-lieux-dits/93', 'x', 'Les Coquetiers', '93140', '93010', ST_Point(2.5126, 48.9104, 4326));`

var (
	reader      = netip.MustParseAddr("192.0.2.1")
	otherReader = netip.MustParseAddr("198.51.100.1")
)

// tileFixture are the territory and the parcels that tiles are made of.
type tileFixture struct {
	territory *territory.Store
	parcels   *parcel.IndexStore
	addresses *geocode.Store
}

func loadFixture(t *testing.T) tileFixture {
	t.Helper()
	pool, _ := testkit.DB(t)
	testkit.Exec(t, pool, land)
	return readFixture(t, pool)
}

func readFixture(t *testing.T, pool *pgxpool.Pool) tileFixture {
	t.Helper()
	m := tileFixture{territory.New(pool), parcel.NewIndex(pool, t.TempDir(), nil),
		geocode.New(pool, t.TempDir(), nil)}
	ctx := t.Context()
	if err := errors.Join(m.territory.Refresh(ctx), m.parcels.Refresh(ctx), m.addresses.Refresh(ctx)); err != nil {
		t.Fatal(err)
	}
	return m
}

func uncounted() *coverage.Served { return nil }

func (m tileFixture) newMaker(c clock.Clock) *tile.Maker {
	return tile.New(tile.Options{Territory: m.territory.Snapshot, Parcels: m.parcels.Get,
		Addresses: m.addresses.Index, Coverage: uncounted, Clock: c})
}

// newLimitedMaker is a maker that makes one tile, and no other for a while.
func (m tileFixture) newLimitedMaker() *tile.Maker {
	return tile.New(tile.Options{Territory: m.territory.Snapshot, Parcels: m.parcels.Get,
		Addresses: m.addresses.Index, Coverage: uncounted, Clock: clock.Real{}, Reserve: 4})
}

// The map shows what is there at each zoom, and no more than fits: départements, communes, sections, parcels,
// streets.
func TestTilesHoldWhatTheirZoomShows(t *testing.T) {
	t.Parallel()
	maker := loadFixture(t).newMaker(clock.Real{})
	for zoom, want := range map[int]map[string][]string{
		4:  {"departements": {"code=93"}, "loaded": {""}},
		9:  {"departements": {"code=93"}, "communes": {"code=93008 name=Bobigny", "code=93010 name=Bondy parcels=1"}},
		11: {"communes": {"code=93008 name=Bobigny", "code=93010 name=Bondy parcels=1"}},
		13: {"communes": {"code=93010 name=Bondy parcels=1"}, "letters": {"name=A", "name=AB"}, "sections": {"section=930100000A", "section=93010000AB"}},
		15: {"communes": {"code=93010 name=Bondy parcels=1"}, "letters": {"name=A", "name=AB"},
			"parcelles": {"idu=930100000A0001", "idu=930100000A0002", "idu=930100000A0003", "idu=93010000AB0012"},
			"streets":   {"name=Les Coquetiers", "name=Rue de Paris angle=-45"}},
		16: {"communes": {"code=93010 name=Bondy parcels=1"}, "letters": {"name=A", "name=AB"}, "numbers": {"name=1", "name=12", "name=2", "name=3"},
			"parcelles": {"idu=930100000A0001", "idu=930100000A0002", "idu=930100000A0003", "idu=93010000AB0012"},
			"streets":   {"name=Les Coquetiers", "name=Rue de Paris angle=-45"}},
	} {
		a := tile.Around(zoom, 2.5125, 48.9101)
		got := decodeTile(t, maker, a)
		delete(got, "names")
		if len(got) != len(want) {
			t.Errorf("zoom %d has %v, want %v", zoom, got, want)
		}
		for name, features := range want {
			if !slices.Equal(got[name].features, features) {
				t.Errorf("zoom %d, %s: %q, want %q", zoom, name, got[name].features, features)
			}
		}
	}
}

// A line that two parcels of a section share is not drawn as its
// border: the section would look like its parcels.
func TestSectionsAreDrawnByTheirBorder(t *testing.T) {
	t.Parallel()
	maker := loadFixture(t).newMaker(clock.Real{})
	got := decodeTile(t, maker, tile.Around(14, 2.5125, 48.9101))["sections"]
	// Three squares in a row: around all of them two vertices fewer at each seam than
	// three squares have, and the single one.
	if got.lines != 4 && got.lines != 5 && got.lines != 6 || got.vertices > 24 {
		t.Errorf("%d lines with %d vertices", got.lines, got.vertices)
	}
}

// What is no tile costs nothing, and neither does the rest of the world.
func TestAddressesAreBounded(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{{"3", "4", "2"}, {"17", "0", "0"}, {"4", "16", "0"}, {"4", "0", "16"}, {"4", "-1", "0"}, {"04", "8", "5"}, {"4", "+8", "5"},
		{"4", "8.0", "5"}, {"", "8", "5"}, {"4", "8", "99999999999999999999"}, {"x", "y", "z"}} {
		if a, ok := tile.ParseAddress(c[0], c[1], c[2]); ok {
			t.Errorf("%q is tile %v", c, a)
		}
	}
	if a, ok := tile.ParseAddress("16", "33225", "22500"); !ok || a != (tile.Address{Z: 16, X: 33225, Y: 22500}) {
		t.Errorf("tile %v, %t", a, ok)
	}
	maker := loadFixture(t).newLimitedMaker()
	for _, a := range []tile.Address{tile.Around(10, -74, 40.7), tile.Around(16, 0, 0), tile.Around(8, 13.4, 52.5)} {
		if _, err := maker.Tile(t.Context(), reader, nil, a); !errors.Is(err, tile.ErrNone) {
			t.Errorf("tile %v: %v", a, err)
		}
	}
	if _, err := maker.Tile(t.Context(), reader, nil, tile.Around(10, 2.51, 48.91)); err != nil {
		t.Errorf("something was spent on nothing: %v", err)
	}
}

// A client that asks for tiles without end is refused until a time that is said, and cannot take from others
// what is made already.
func TestMakingTilesIsBounded(t *testing.T) {
	t.Parallel()
	maker := loadFixture(t).newLimitedMaker()
	a := tile.Around(16, 2.5125, 48.9101)
	if _, err := maker.Tile(t.Context(), reader, nil, a); err != nil {
		t.Fatal(err)
	}
	var busy tile.Busy
	next := tile.Address{Z: a.Z, X: a.X + 1, Y: a.Y}
	if _, err := maker.Tile(t.Context(), reader, nil, next); !errors.As(err, &busy) || busy.RetryAfter <= 0 {
		t.Errorf("one more: %v", err)
	}
	if _, err := maker.Tile(t.Context(), reader, nil, a); err != nil {
		t.Errorf("a tile that was made: %v", err)
	}
}

// A network that asks from 200 of its /64s at the same time has one tile made at a time, and a client of
// another network does not wait for its requests, not even for one that asks for the same tile.
func TestConcurrentCallsOfOneNetworkLeaveASlot(t *testing.T) {
	t.Parallel()
	m := loadFixture(t)
	maker := m.newMaker(clock.Real{})
	held := maker.HoldSlot(t, netip.MustParseAddr("2001:db8:1::1"))
	first := tile.Around(16, 2.5125, 48.9101)
	var attack sync.WaitGroup
	for n := range 200 {
		attack.Go(func() {
			client := netip.MustParseAddr(fmt.Sprintf("2001:db8:1:%x::1", n))
			_, err := maker.Tile(t.Context(), client, nil, tile.Address{Z: 16, X: first.X + n%20, Y: first.Y + n/20})
			var busy tile.Busy // once the network has used its share of the time
			if err != nil && !errors.Is(err, tile.ErrNone) && !errors.As(err, &busy) {
				t.Errorf("%s: %v", client, err)
			}
		})
	}
	if _, err := maker.Tile(t.Context(), otherReader, nil, first); err != nil {
		t.Errorf("another network: %v", err)
	}
	held()
	attack.Wait()
}

// layerOfTest is a layer whose tile is what the function of the database returns.
var layerOfTest = &source.MapLayer{Name: "test", Select: "SELECT test_tile(), 1"}

func (m tileFixture) newAreaMaker(c clock.Clock, pool *pgxpool.Pool) *tile.Maker {
	return tile.New(tile.Options{Territory: m.territory.Snapshot, Parcels: m.parcels.Get,
		Addresses: m.addresses.Index, Coverage: uncounted, Database: pool, Clock: c})
}

// A layer that the database reads too slowly, or not at all, delays no tile of the plan, which needs no
// database.
func TestPlanDoesNotWaitForAreas(t *testing.T) {
	t.Parallel()
	maker := loadFixture(t).newMaker(clock.Real{})
	for _, client := range []netip.Addr{reader, otherReader} {
		defer maker.HoldAreas(t, client)()
	}
	if _, err := maker.Tile(t.Context(), reader, nil, tile.Around(16, 2.5125, 48.9101)); err != nil {
		t.Error(err)
	}
}

// A tile that takes too long to read is not read again for each request, and comes once it is faster.
func TestSlowAreasAreNotReadAgainAtOnce(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	define := func(body string) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), `CREATE OR REPLACE FUNCTION test_tile() RETURNS bytea LANGUAGE plpgsql AS $$ BEGIN `+
			body+` END $$`); err != nil {
			t.Fatal(err)
		}
	}
	testkit.Exec(t, pool, land)
	define(`RAISE EXCEPTION 'canceling statement' USING ERRCODE = '57014';`)
	now := clock.At(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC))
	maker := readFixture(t, pool).newAreaMaker(now, pool)
	a := tile.Around(16, 2.5125, 48.9101)
	if _, err := maker.Tile(t.Context(), reader, layerOfTest, a); !errors.Is(err, tile.ErrCrowded) {
		t.Fatalf("a tile that takes too long: %v", err)
	}
	define(`RETURN 'a tile';`)
	now.Advance(4 * time.Minute)
	if _, err := maker.Tile(t.Context(), otherReader, layerOfTest, a); !errors.Is(err, tile.ErrCrowded) {
		t.Errorf("four minutes later: %v", err)
	}
	now.Advance(2 * time.Minute)
	if got, err := maker.Tile(t.Context(), reader, layerOfTest, a); err != nil || got.Body == nil {
		t.Errorf("six minutes later: %v", err)
	}
}

// While the database does not answer a tile of areas is to be asked for again; where a statement is wrong it
// is not.
func TestAreasWithoutDatabase(t *testing.T) {
	t.Parallel()
	m := loadFixture(t)
	a := tile.Around(16, 2.5125, 48.9101)
	away := testkit.Must(pgxpool.New(t.Context(), "postgres://reader@127.0.0.1:1/nothing"))(t)
	defer away.Close()
	working, url := testkit.DB(t)
	closed := testkit.Must(pgxpool.New(t.Context(), url))(t)
	closed.Close()
	var busy tile.Busy
	for name, pool := range map[string]*pgxpool.Pool{"does not listen": away, "is closed": closed} {
		_, err := m.newAreaMaker(clock.Real{}, pool).Tile(t.Context(), reader, layerOfTest, a)
		if !errors.As(err, &busy) || busy.RetryAfter != 5*time.Second {
			t.Errorf("where the database %s: %v", name, err)
		}
	}
	_, err := m.newAreaMaker(clock.Real{}, working).Tile(t.Context(), reader, layerOfTest, a) // which has no test_tile
	if err == nil || errors.As(err, &busy) {
		t.Errorf("a wrong statement: %v", err)
	}
}

// A tile is made once, for all who want it, and again when other data are loaded.
func TestConcurrentTilesAreMadeOnce(t *testing.T) {
	t.Parallel()
	pool, _ := testkit.DB(t)
	testkit.Exec(t, pool, land)
	m := readFixture(t, pool)
	maker := m.newMaker(clock.Real{})
	a := tile.Around(16, 2.5125, 48.9101)
	var made sync.WaitGroup
	tags := make([]string, 20)
	bodies := make([]*byte, len(tags))
	for i := range tags {
		made.Go(func() {
			one, err := maker.Tile(t.Context(), reader, nil, a)
			if err != nil {
				t.Error(err)
				return
			}
			tags[i], bodies[i] = one.Tag, &one.Body[0]
		})
	}
	made.Wait()
	if len(slices.Compact(tags)) != 1 || len(slices.Compact(bodies)) != 1 {
		t.Errorf("made several times: %v", tags)
	}
	testkit.NoError(t, m.territory.Refresh(t.Context()))
	again, err := maker.Tile(context.WithoutCancel(t.Context()), reader, nil, a)
	if err != nil || again.Tag != tags[0] || &again.Body[0] == bodies[0] {
		t.Errorf("after a load: tag %s (%v), the same memory: %t", again.Tag, err, &again.Body[0] == bodies[0])
	}
	const more = `INSERT INTO geo.parcelle (idu, geom) VALUES ('930080000A0001', ST_Multi(ST_MakeEnvelope(2.41, 48.91, 2.4102, 48.9102, 4326)));
		INSERT INTO geo.parcelle_commune (code, vintage, load_id) SELECT '93008', '2025-01-01', max(id) FROM geo.load`
	testkit.Exec(t, pool, more)
	testkit.NoError(t, m.parcels.Refresh(t.Context()))
	if got := decodeTile(t, maker, tile.Around(9, 2.5125, 48.9101))["communes"].features; !slices.Contains(got, "code=93008 name=Bobigny parcels=1") {
		t.Errorf("after parcels of another commune were loaded: %q", got)
	}
}

// layer is what a test looks at.
type layer struct {
	features        []string // properties, sorted
	lines, vertices int      // of lines
}

// decodeTile reads a tile.
func decodeTile(t *testing.T, maker *tile.Maker, a tile.Address) map[string]layer {
	t.Helper()
	one, err := maker.Tile(t.Context(), reader, nil, a)
	if err != nil {
		t.Fatalf("tile %v: %v", a, err)
	}
	r := testkit.Must(gzip.NewReader(bytes.NewReader(one.Body)))(t)
	body := testkit.Must(io.ReadAll(r))(t)
	out := map[string]layer{}
	for _, l := range decodeFields(t, body)[3] {
		of := decodeFields(t, l.([]byte))
		var keys, values []string
		for _, k := range of[3] {
			keys = append(keys, string(k.([]byte)))
		}
		for _, v := range of[4] {
			values = append(values, string(decodeFields(t, v.([]byte))[1][0].([]byte)))
		}
		var read layer
		for _, f := range of[2] {
			one := decodeFields(t, f.([]byte))
			read.features = append(read.features, joinProperties(t, one, keys, values))
			if one[3][0].(uint64) == 2 {
				lines, vertices := countVertices(decodeVarints(t, one[4][0].([]byte)))
				read.lines, read.vertices = read.lines+lines, read.vertices+vertices
			}
		}
		slices.Sort(read.features)
		out[string(of[1][0].([]byte))] = read
	}
	return out
}

func joinProperties(t *testing.T, of map[protowire.Number][]any, keys, values []string) (text string) {
	if len(of[2]) == 0 {
		return ""
	}
	tags := decodeVarints(t, of[2][0].([]byte))
	for i := 0; i+1 < len(tags); i += 2 {
		if i > 0 {
			text += " "
		}
		text += keys[tags[i]] + "=" + values[tags[i+1]]
	}
	return text
}

// countVertices counts the lines of a geometry, and their vertices.
func countVertices(commands []uint64) (lines, vertices int) {
	for i := 0; i < len(commands); {
		id, count := commands[i]&7, int(commands[i]>>3)
		if id == 1 {
			lines += count
		}
		vertices += count
		i += 1 + 2*count
	}
	return lines, vertices
}

func decodeVarints(t *testing.T, b []byte) (out []uint64) {
	for len(b) > 0 {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		out, b = append(out, v), b[n:]
	}
	return out
}

// decodeFields reads a message: its values by field.
func decodeFields(t *testing.T, b []byte) map[protowire.Number][]any {
	t.Helper()
	out := map[protowire.Number][]any{}
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		b = b[n:]
		switch kind {
		case protowire.VarintType:
			v, n := protowire.ConsumeVarint(b)
			out[field], b = append(out[field], v), b[n:]
		case protowire.BytesType:
			v, n := protowire.ConsumeBytes(b)
			if n < 0 {
				t.Fatal(protowire.ParseError(n))
			}
			out[field], b = append(out[field], v), b[n:]
		default:
			t.Fatalf("field %d has type %d", field, kind)
		}
	}
	return out
}
