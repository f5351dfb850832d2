package ingest_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

const factRows = "SELECT id, attrs->>'name' AS name FROM geo.enrich_radon"

// archivedSource is a source whose files are tables, or 7z archives of one.
func archivedSource() source.Source {
	s := loadkit.Facts(source.Read{Format: source.CSV}, loadkit.Columns("name")...)
	s.Files = []source.Files{{Path: `^facts_(?P<scope>[0-9]+)\.` + source.SevenZip + `$`}, {Path: `(^|/)facts_(?P<scope>[0-9]+)/(.*/)?rows\.csv$`}}
	return s
}

// inVolumes writes an archive in volumes of 60 bytes but those that are left
// out, and returns how many there are in all.
func inVolumes(b *loadkit.Fixture, archive string, without ...int) int {
	parts := loadkit.Volumes(archive, 60)
	for i, part := range parts {
		name := fmt.Sprintf("facts_93.7z.%03d", i+1)
		if len(without) > 0 && without[0] == i+1 {
			if err := os.Remove(filepath.Join(b.Data, name)); err != nil && !os.IsNotExist(err) {
				b.T.Fatal(err)
			}
			continue
		}
		b.File(name, part)
	}
	return len(parts)
}

// The volumes of an archive are one file with the size and the checksum of the whole: it is loaded once,
// again when any volume has changed, and not at all when one is missing.
func TestVolumesAreOneFile(t *testing.T) {
	t.Parallel()
	b := loadkit.New(t, archivedSource())
	archive := loadkit.SevenZip(t, map[string]string{"d/rows.csv": "id,name\n1,a\n", "d/other.csv": "id,name\n9,z\n"})
	if n := inVolumes(b, archive); n < 4 {
		t.Fatalf("%d volumes; expected more", n)
	}
	out := b.MustLoad()
	if o := out["facts 93"]; len(out) != 1 || o.State != ingest.Loaded || len(o.Files) != 1 || o.Files[0] != "facts_93.7z.001" {
		t.Errorf("loaded %+v", out)
	}
	b.Want(factRows, "1|a")
	sum := sha256.Sum256([]byte(archive))
	b.Want("SELECT f->>'sha256' AS sum, f->>'bytes' AS bytes FROM geo.load, jsonb_array_elements(files::jsonb) f",
		hex.EncodeToString(sum[:])+"|"+strconv.Itoa(len(archive)))
	if o := b.MustLoad()["facts 93"]; o.State != ingest.Unchanged {
		t.Errorf("the second time it is %s", o.State)
	}
	for without, says := range map[int]string{1: "no such file", 3: "its volume .003 is missing"} {
		inVolumes(b, loadkit.SevenZip(t, map[string]string{"rows.csv": "id,name\n1,a\n2,b\n"}), without)
		_, err := b.Load(ingest.Request{})
		loadkit.Contains(t, err, "facts_93.7z.001", says)
		b.Want(factRows, "1|a")
	}
	inVolumes(b, loadkit.SevenZip(t, map[string]string{"rows.csv": "id,name\n1,a\n2,c\n"}))
	if o := b.MustLoad()["facts 93"]; o.State != ingest.Loaded {
		t.Errorf("a new edition is %s", o.State)
	}
	b.Want(factRows, "1|a\n2|c")
}

// What loads unpack is gone when they end. What a process left that was killed goes at the next start,
// and not what another one is about to read.
func TestUnpackedFilesAreRemoved(t *testing.T) {
	t.Parallel()
	s := archivedSource()
	s.Read.Format = source.Spreadsheet // is copied out of its archive
	b := loadkit.New(t, s)
	root := filepath.Join(b.State, "unpacked")
	for _, name := range []string{"load-killed/d", "load-other/d"} {
		testkit.NoError(t, os.MkdirAll(filepath.Join(root, name), 0o700))
	}
	other, err := os.Open(filepath.Join(root, "load-other"))
	testkit.NoError(t, err)
	defer other.Close()
	testkit.NoError(t, unix.Flock(int(other.Fd()), unix.LOCK_EX))
	inVolumes(b, loadkit.SevenZip(t, map[string]string{"rows.xlsx": strings.Repeat("no workbook ", 100)}))
	if _, err := b.Load(ingest.Request{}); err == nil {
		t.Error("a text was loaded as a workbook")
	}
	left, err := os.ReadDir(root)
	if err != nil || len(left) != 1 || left[0].Name() != "load-other" {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A corrected title, note or address of a source is shown at once and loads nothing again; what makes the
// rows does. Else each correction would load the whole country anew.
func TestWhatIsShownReloadsNothing(t *testing.T) {
	t.Parallel()
	b := loadkit.New(t, loadkit.Places(source.Read{Format: source.CSV}))
	b.Catalogue[0].Reject = []source.Rule{{When: "\n-- rejected\n\ncode = '01003'", Reason: "'none'"}}
	b.Exec(loadkit.CreatePlace)
	b.File("places.csv", "codgeo,libelle\n01001,Ain\n01002,Aix\n")
	b.MustLoad()
	conn, err := b.DB.Acquire(t.Context())
	testkit.NoError(t, err)
	defer conn.Release()
	_, err = conn.Exec(t.Context(), "LISTEN arpent_geo")
	testkit.NoError(t, err)
	s := &b.Catalogue[0]
	s.Title, s.Producer, s.Licence.Name = "Corrected", "Somebody else", "Another"
	s.Note, s.Homepage, s.Group, s.Levels = "Noted", "https://example.org", "group", []string{"region"}
	s.Origins = []fetch.Origin{{From: producer.At{Address: "https://example.org/{commune}"}, Area: fetch.Commune}}
	s.Files[0].Path = `(?i)` + s.Files[0].Path
	s.Reject = []source.Rule{{When: "-- what is rejected\ncode = '01003'", Reason: "'none of ours'"}}
	s.Checks.MinRows, s.Checks.Queries = s.Checks.MinRows+1, []string{"SELECT 'few' WHERE (SELECT count(*) FROM stage) < 1"}
	if out := b.MustLoad()["places"]; out.State != ingest.Unchanged {
		t.Errorf("with another title it is %s; expected unchanged", out.State)
	}
	b.Want("SELECT title, producer, licence FROM geo.load", "Corrected|Somebody else|Another")
	if n, err := conn.Conn().WaitForNotification(t.Context()); err != nil || n.Payload != "places" {
		t.Errorf("notified %v, %v; expected places", n, err)
	}
	s.Drop = append(s.Drop, "code = '01002'")
	if out := b.MustLoad()["places"]; out.State != ingest.Loaded {
		t.Errorf("with another condition it is %s; expected loaded", out.State)
	}
}

// Files in linked folders are loaded as those of the data folder are, each once, whatever circle the links
// make: else a folder on another disk is ignored without a word.
func TestLinkedFoldersAreFollowedOnce(t *testing.T) {
	t.Parallel()
	s := loadkit.Facts(source.Read{Format: source.CSV}, loadkit.Columns("name")...)
	s.Files = []source.Files{{Path: `(^|/)facts/rows_(?P<scope>[0-9]+)\.csv$`}}
	b := loadkit.New(t, s)
	elsewhere := t.TempDir()
	b.File("facts/rows_75.csv", "id,name\n1,here\n")
	for _, folder := range []string{"facts", "unrelated"} {
		testkit.NoError(t, os.Mkdir(filepath.Join(elsewhere, folder), 0o700))
	}
	testkit.NoError(t, os.WriteFile(filepath.Join(elsewhere, "facts/rows_93.csv"), []byte("id,name\n2,linked\n"), 0o600))
	for link, to := range map[string]string{
		filepath.Join(b.Data, "other"):                  elsewhere,
		filepath.Join(b.Data, "again"):                  filepath.Join(elsewhere, "facts"),
		filepath.Join(b.Data, "facts/up"):               b.Data,
		filepath.Join(b.Data, "root"):                   "/",
		filepath.Join(b.Data, "gone"):                   filepath.Join(elsewhere, "none"),
		filepath.Join(elsewhere, "facts/circle"):        elsewhere,
		filepath.Join(elsewhere, "unrelated/data"):      b.Data,
		filepath.Join(b.Data, "facts/rows_linked.link"): filepath.Join(elsewhere, "facts/rows_93.csv"),
	} {
		testkit.NoError(t, os.Symlink(to, link))
	}
	out := b.MustLoad()
	if len(out) != 2 || out["facts 75"].Files[0] != "facts/rows_75.csv" || len(out["facts 93"].Files) != 1 {
		t.Errorf("loaded %+v", out)
	}
	b.Want(factRows, "1|here\n2|linked")
}

// An extract covers what its name says, whatever the source: else the file of a
// commune claims that nothing is in the rest of France.
func TestExtractCoversWhatItIsNamedAfter(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, want string }{
		{"facts.csv", "radon|"},
		{"facts-93010.csv", "radon|93010"},
		{"facts-2A247.csv", "radon|2A247"},
		{"facts-commune-93010.csv", "radon|93010"},
		{"facts-dep-93.csv", "radon|93"},
		{"facts-region-11.csv", "radon|75\nradon|93"},
		{"facts-epci-200057875.csv", "radon|93010\nradon|93066"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newExtracts(t)
			b.File(tc.name, "id,name\n1,a\n")
			b.MustLoad()
			b.Want("SELECT layer, area FROM geo.coverage ORDER BY area", tc.want)
		})
	}
}

// An extent that names no known place is refused: the file would claim another part of the country.
func TestExtentThatIsNotKnown(t *testing.T) {
	t.Parallel()
	b := newExtracts(t)
	b.File("facts-epci-200000000.csv", "id,name\n1,a\n")
	_, err := b.Load(ingest.Request{})
	loadkit.Contains(t, err, `it would cover "E200000000", which is no commune, département, région or intercommunal body`)
}

// newExtracts is a source of facts, a région of two départements and an intercommunal body of two communes.
func newExtracts(t *testing.T) *loadkit.Fixture {
	t.Helper()
	s := loadkit.Facts(source.Read{Format: source.CSV}, loadkit.Columns("name")...)
	s.Files = []source.Files{{Path: `(^|/)facts[^/]*\.csv$`}}
	s.Covers = source.Covers("radon")
	b := loadkit.New(t, s)
	b.Exec(`INSERT INTO geo.region (code, name) VALUES ('11', 'Île-de-France'), ('94', 'Corse');
		INSERT INTO geo.departement (code, name, region_code)
			VALUES ('75', 'Paris', '11'), ('93', 'Seine-Saint-Denis', '11'), ('2A', 'Corse-du-Sud', '94');
		INSERT INTO geo.intercommunal_member (part, body, commune)
			VALUES ('cog-epci', '200057875', '93010'), ('cog-epci', '200057875', '93066')`)
	return b
}

// Folders may be relative, as those of the development mode are, also where GDAL reads what is in them.
func TestFoldersMayBeRelative(t *testing.T) { // not parallel: it changes the working folder
	s := loadkit.Facts(source.Read{Format: source.Spreadsheet}, loadkit.Columns("name")...)
	s.Files = []source.Files{{Path: `(^|/)facts\.xlsx(\.gz)?$`}}
	for name, pack := range map[string]func(string) string{
		"facts.xlsx":    func(content string) string { return content },
		"facts.xlsx.gz": loadkit.Zipped,
	} {
		b := loadkit.New(t, s)
		t.Chdir(t.TempDir())
		b.Data, b.State = "files", "state"
		b.File(name, pack(loadkit.Workbook(t, []string{"Facts"}, []string{"id;name", "1;a"})))
		b.MustLoad()
		b.Want(factRows, "1|a")
	}
}

// The file of the whole country takes the place of its extracts.
func TestWholeFileReplacesExtracts(t *testing.T) {
	t.Parallel()
	s := loadkit.Facts(source.Read{Format: source.CSV}, loadkit.Columns("name")...)
	s.Files = []source.Files{{Path: `(^|/)facts\.csv$`}}
	s.Covers = source.Covers("radon")
	b := loadkit.New(t, s)
	b.Exec(`INSERT INTO geo.region (code, name) VALUES ('11', 'Île-de-France');
		INSERT INTO geo.departement (code, name, region_code) VALUES ('75', 'Paris', '11')`)
	b.File("facts-93010.csv", "id,name\n1,a\n")
	b.File("facts-region-11.csv", "id,name\n3,c\n")
	b.MustLoad()
	b.File("facts.csv", "id,name\n1,a\n2,b\n3,c\n")
	if out := b.MustLoad(); len(out) != 1 || out["facts"].State != ingest.Loaded {
		t.Errorf("loaded %+v", out)
	}
	b.Want(factRows+" ORDER BY id", "1|a\n2|b\n3|c")
}

// cavityCollection is the content of a file of a layer with one thing of a kind.
func cavityCollection(kind string) string {
	return `{"type":"FeatureCollection","features":[` + loadkit.Thing("1", kind, loadkit.PointJSON(2.48, 48.9)) + `]}`
}

const (
	cavityParts = "SELECT part, attrs->>'kind' AS kind FROM geo.enrich_cavity"
	activeLoads = "SELECT scope, vintage FROM geo.load WHERE active"
)

// What an operator fetches or places is what is served of its source, although the box has a
// newer file: a clone gives all files of the box the time of the clone, and its editions may
// be younger than those that somebody chose.
func TestFilesReplaceThoseOfTheBox(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		box, file    string
		parts, loads string
	}{
		"same scope":      {"layer_93010.2025-01-01.geojson", "layer_93010.2020-01-01.geojson", "layer/93010|mine", "93010|2020-01-01"},
		"wider scope":     {"layer_93010.2025-01-01.geojson", "layer_93.2020-01-01.geojson", "layer/93|mine", "93|2020-01-01"},
		"the country":     {"layer_93010.2025-01-01.geojson", "layer.2020-01-01.geojson", "layer|mine", "|2020-01-01"},
		"same file":       {"layer_93010.geojson", "layer_93010.geojson", "layer/93010|mine", "93010|"},
		"another place":   {"layer_93010.geojson", "layer_35.geojson", "layer/35|mine\nlayer/93010|box", "35|\n93010|"},
		"part of a place": {"layer_93.geojson", "layer_93010.geojson", "layer/93|box", "93|"},
	} {
		for _, incomplete := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := loadkit.Layer("layer", "")
				if incomplete { // its areas are those of its rows
					s.Covers[0].Areas = "SELECT '93010'"
				}
				if incomplete && name == "part of a place" {
					t.Skip("loads of such a source do not replace each other")
				}
				b := loadkit.New(t, s)
				// Whether the box was loaded before the file came makes no difference.
				b.BoxFile(c.box, cavityCollection("box"))
				b.MustLoad()
				b.File(c.file, cavityCollection("mine"))
				b.BoxFile(c.box, cavityCollection("box")) // is the newest
				b.MustLoad()
				b.Want(cavityParts, c.parts)
				b.Want(activeLoads, c.loads)
				for source, o := range b.MustLoad() {
					if o.State != ingest.Unchanged {
						t.Errorf("%s is %s again", source, o.State)
					}
				}
			})
		}
	}
}

// Older editions of the cadastre name the successors of a parcel that is gone: those of the box stay next to
// other editions that were fetched, which replace the same edition alone.
func TestHistoryOfTheBoxStays(t *testing.T) {
	t.Parallel()
	b := loadkit.Cadastre(t)
	collection := func(contenance int) string {
		return `{"type":"FeatureCollection","features":[` + loadkit.Parcel(1, contenance) + `]}`
	}
	const folder = "territory/parcels/etalab/"
	b.BoxFile(folder+"cadastre-01001-parcelles.2022-01-01.json", collection(22))
	b.BoxFile(folder+"cadastre-01001-parcelles.2025-01-01.json", collection(25))
	b.File(folder+"cadastre-01001-parcelles.2025-01-01.json", collection(26))
	b.BoxFile(folder+"cadastre-01001-parcelles.2025-01-01.json", collection(25))
	b.MustLoad()
	b.Want("SELECT contenance FROM geo.parcelle", "26")
	b.Want("SELECT vintage FROM geo.load ORDER BY 1", "2022-01-01\n2025-01-01")
}

// A source that nothing was fetched of is served from the box, and a folder that is not there is no fault.
func TestTheBoxAlone(t *testing.T) {
	t.Parallel()
	b := loadkit.New(t, loadkit.Facts(source.Read{Format: source.CSV}, loadkit.Columns("name")...))
	b.BoxFile("facts.csv", "id,name\n1,a\n")
	b.Data = ""
	b.MustLoad()
	b.Want(factRows, "1|a")
}
