package territory_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"arpent/api/territory"
	"arpent/app/dev/testkit"
)

// miniature is a France of whole degrees: four communes of 93 on a grid, one of them an enclave
// in another and one of two parts; Paris with two arrondissements; Corsica; an overseas
// département; a collectivité without département.
const miniature = `
INSERT INTO geo.load (source, producer, title, licence, files, checksum, row_count, refused_count, refused, started_at, loaded_at, active)
VALUES ('contours-communes', 'test', 'test', 'test', '[]', '', 0, 0, '[]', now(), now(), true);
INSERT INTO geo.region VALUES ('94', 'Corse'), ('04', 'La Réunion'), ('11', 'Île-de-France');
INSERT INTO geo.departement VALUES ('93', 'Seine-Saint-Denis', '11'), ('75', 'Paris', '11'), ('2A', 'Corse-du-Sud', '94'),
    ('974', 'La Réunion', '04');
INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes) VALUES
    ('commune-actuelle', '93010', 'Bondy', '93', '11', '93010', '{}'),
    ('commune-actuelle', '93008', 'Bobigny', '93', '11', '93008', '{93009,93008}'),
    ('commune-actuelle', '93001', 'L''Enclave', '93', '11', '93001', '{}'),
    ('commune-actuelle', '93099', 'Sans-Contour', '93', '11', '93099', '{}'),
    ('commune-deleguee', '93010', 'Bondy', '93', '11', '93010', '{}'),
    ('commune-deleguee', '93011', 'Vieux-Bondy', '93', '11', '93010', '{}'),
    ('commune-actuelle', '75056', 'Paris', '75', '11', '75056', '{}'),
    ('arrondissement-municipal', '75101', 'Paris 1er Arrondissement', '75', '11', '75056', '{}'),
    ('arrondissement-municipal', '75118', 'Paris 18e Arrondissement', '75', '11', '75056', '{}'),
    ('commune-actuelle', '2A004', 'Ajaccio', '2A', '94', '2A004', '{}'),
    ('commune-actuelle', '97411', 'Saint-Denis', '974', '04', '97411', '{}'),
    ('commune-actuelle', '97501', 'Miquelon-Langlade', NULL, NULL, '97501', '{}');
INSERT INTO geo.commune_ended VALUES ('97123', 'Saint-Barthélemy', '2007-02-23'), ('93098', 'La Disparue', '1950-06-07');
UPDATE geo.commune SET postcodes = CASE code WHEN '2A004' THEN '{20000}'::text[] ELSE '{97490,97400,97417}' END WHERE code IN ('2A004', '97411');
INSERT INTO geo.commune_contour (code, geom, area_km2) VALUES
    ('93010', 'SRID=4326;MULTIPOLYGON(((0 0,4 0,4 4,0 4,0 0),(1 1,1 3,3 3,3 1,1 1)))', 100.12345678),
    ('93001', 'SRID=4326;MULTIPOLYGON(((1 1,3 1,3 3,1 3,1 1)))', 12.5),
    ('93008', 'SRID=4326;MULTIPOLYGON(((4 0,8 0,8 4,4 4,4 0)),((10 0,12 2,10 4,8 2,10 0)))', 7),
    ('75056', 'SRID=4326;MULTIPOLYGON(((0 4,4 4,4 8,0 8,0 4)))', 105.4),
    ('2A004', 'SRID=4326;MULTIPOLYGON(((8.5 41.5,8.7654321 41.5,8.7 41.9,8.5 41.5)))', 82.03),
    ('97411', 'SRID=4326;MULTIPOLYGON(((55 -21,56 -21,56 -20,55 -20,55 -21)))', 142.79);
INSERT INTO geo.departement_contour (code, geom, area_km2) VALUES
    ('93', 'SRID=4326;MULTIPOLYGON(((0 0,8 0,8 4,0 4,0 0)),((10 0,12 2,10 4,8 2,10 0)))', 236.2),
    ('75', 'SRID=4326;MULTIPOLYGON(((0 4,4 4,4 8,0 8,0 4)))', 105.4);
INSERT INTO geo.region_contour (code, geom, area_km2) VALUES
    ('11', 'SRID=4326;MULTIPOLYGON(((0 0,8 0,8 4,4 4,4 8,0 8,0 0)),((10 0,12 2,10 4,8 2,10 0)))', 341.6);`

func loadFixture(t testing.TB) (*territory.Snapshot, *pgxpool.Pool) {
	t.Helper()
	pool, _ := testkit.DB(t)
	testkit.Exec(t, pool, miniature)
	snap := testkit.Must(territory.Load(t.Context(), pool))(t)
	return snap, pool
}
