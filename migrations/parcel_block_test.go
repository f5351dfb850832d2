package migrations_test

import (
	"database/sql"
	"testing"

	"github.com/pressly/goose/v3"

	"arpent/app/dev/testkit"
	"arpent/migrations"
)

// Parcels that are loaded are the same in blocks, and again one by one after a roll-back.
func TestParcelsGoIntoBlocks(t *testing.T) {
	t.Parallel()
	pool, url := testkit.DB(t)
	db := testkit.Must(sql.Open("pgx", url))(t)
	defer db.Close()
	p := testkit.Must(goose.NewProvider(goose.DialectPostgres, db, migrations.Files))(t)
	const blocks = 44
	if _, err := p.DownTo(t.Context(), blocks-1); err != nil {
		t.Fatal(err)
	}
	testkit.Exec(t, pool, `INSERT INTO geo.parcelle (idu, contenance, feuille, geom)
		SELECT code || '0000' || section || to_char(n, 'FM0000'), nullif(n, 7), nullif(n % 3, 0), ST_Multi(CASE WHEN n % 50 = 0
			THEN ST_Difference(square, ST_Expand(ST_Centroid(square), 0.0002)) ELSE square END)
		FROM unnest('{93010,2A004}'::text[]) code, unnest('{A,B}'::text[]) section, generate_series(1, 100) n,
			ST_MakeEnvelope(2 + n * 0.001, 48, 2.001 + n * 0.001, 48.001, 4326) square`)
	const parcels = `SELECT sum(hashtext(concat_ws(' ', idu, contenance, feuille, ST_AsEWKT(geom, 7))))::bigint FROM geo.parcelle`
	before := testkit.Count(t, pool, parcels)
	if _, err := p.UpTo(t.Context(), blocks); err != nil {
		t.Fatal(err)
	}
	if n := testkit.Count(t, pool, `SELECT count(*) FROM geo.parcel_block`); n != 4 {
		t.Errorf("400 parcels of two communes lie in %d blocks", n)
	}
	if testkit.Count(t, pool, parcels) != before {
		t.Error("parcels differ in their blocks")
	}
	if _, err := p.DownTo(t.Context(), blocks-1); err != nil {
		t.Fatal(err)
	}
	if testkit.Count(t, pool, parcels) != before {
		t.Error("parcels differ after a roll-back")
	}
}
