-- +goose Up
-- Parcels lie in blocks of up to 128 of one commune, in the order of their references: a fifth of what a row and two
-- index entries for each of them take. geo.parcelle shows them one by one.
CREATE TABLE geo.parcel_block (
    first_idu   text COLLATE "C" PRIMARY KEY,
    last_idu    text COLLATE "C" NOT NULL,
    idus        text[] NOT NULL,
    contenances integer[] NOT NULL,                -- m², as recorded; null where the source has none
    feuilles    smallint[] NOT NULL,               -- null where no source tells
    shapes      bytea[] NOT NULL,                  -- TWKB with seven decimals of a degree
    box         geometry(Polygon, 4326) NOT NULL,  -- around all of them
    CHECK (left(first_idu, 5) = left(last_idu, 5))
);
-- No statement looks for a block by what is in it.
ALTER TABLE geo.parcel_block ALTER idus SET STATISTICS 0, ALTER contenances SET STATISTICS 0, ALTER feuilles SET STATISTICS 0,
    ALTER shapes SET STATISTICS 0;
-- +goose StatementBegin
DO $$
BEGIN
    IF 'lz4' = ANY ((SELECT enumvals FROM pg_settings WHERE name = 'default_toast_compression')::text[]) THEN
        ALTER TABLE geo.parcel_block ALTER idus SET COMPRESSION lz4, ALTER contenances SET COMPRESSION lz4,
            ALTER feuilles SET COMPRESSION lz4, ALTER shapes SET COMPRESSION lz4;
    END IF;
END
$$;
-- +goose StatementEnd
INSERT INTO geo.parcel_block (first_idu, last_idu, idus, contenances, feuilles, shapes, box)
SELECT min(idu), max(idu), array_agg(idu ORDER BY idu), array_agg(contenance ORDER BY idu), array_agg(feuille ORDER BY idu),
    array_agg(ST_AsTWKB(geom, 7) ORDER BY idu), ST_Envelope(ST_Collect(ST_Envelope(geom)))
FROM (SELECT idu COLLATE "C" AS idu, contenance, feuille, geom,
        (row_number() OVER (PARTITION BY left(idu, 5) ORDER BY idu COLLATE "C") - 1) / 128 AS nth FROM geo.parcelle) p
GROUP BY left(idu, 5), nth;
CREATE INDEX parcel_block_box ON geo.parcel_block USING gist (box);

DROP TABLE geo.parcelle;
CREATE VIEW geo.parcelle AS
SELECT p.idu, p.contenance, p.feuille, ST_SetSRID(ST_GeomFromTWKB(p.shape), 4326)::geometry(MultiPolygon, 4326) AS geom
FROM geo.parcel_block b CROSS JOIN LATERAL unnest(b.idus, b.contenances, b.feuilles, b.shapes) AS p (idu, contenance, feuille, shape);

-- +goose Down
CREATE TABLE geo.parcelle_table (
    idu        text NOT NULL CHECK (char_length(idu) = 14),
    contenance integer,
    feuille    smallint,
    geom       geometry(MultiPolygon, 4326) NOT NULL
);
INSERT INTO geo.parcelle_table SELECT * FROM geo.parcelle;
DROP VIEW geo.parcelle;
DROP TABLE geo.parcel_block;
ALTER TABLE geo.parcelle_table RENAME TO parcelle;
ALTER TABLE geo.parcelle ADD CONSTRAINT parcelle_pkey PRIMARY KEY (idu);
CREATE INDEX parcelle_geom ON geo.parcelle USING gist (geom);
