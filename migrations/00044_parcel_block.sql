-- +goose Up
-- No load of parcels ends while they are copied: its rows would be lost.
SELECT pg_advisory_xact_lock(hashtextextended('arpent load parcels', 0));
SET LOCAL work_mem = '128MB';
SET LOCAL maintenance_work_mem = '384MB';
SET LOCAL jit = off;

-- Parcels lie in blocks of up to 128 of one commune, in the order of their references: a fifth of what a row and two
-- index entries for each of them take. geo.parcelle shows them one by one.
CREATE TABLE geo.parcel_block (
    first_idu   text COLLATE "C" PRIMARY KEY,
    last_idu    text COLLATE "C" NOT NULL,
    idus        text[] NOT NULL,
    contenances integer[] NOT NULL,                -- m², as recorded; null where the source has none
    feuilles    smallint[] NOT NULL,               -- null where no source names the sheet
    shapes      bytea[] NOT NULL,                  -- TWKB with seven decimals of a degree
    box         geometry(Polygon, 4326) NOT NULL,  -- around all of them
    CHECK (left(first_idu, 5) = left(last_idu, 5)),
    CHECK (cardinality(idus) BETWEEN 1 AND 128 AND cardinality(contenances) = cardinality(idus)
        AND cardinality(feuilles) = cardinality(idus) AND cardinality(shapes) = cardinality(idus))
);
-- No statement looks for a block by its parcels.
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
FROM (SELECT left(idu, 5) AS code, idu COLLATE "C" AS idu, contenance, feuille, geom,
        (row_number() OVER (PARTITION BY left(idu, 5) ORDER BY idu COLLATE "C") - 1) / 128 AS nth FROM geo.parcelle) p
GROUP BY code, nth;
CREATE INDEX parcel_block_box ON geo.parcel_block USING gist (box);

-- Of a first load whose places waited for each other.
DROP TABLE IF EXISTS geo.parcelle_next;
DELETE FROM geo.load_gathered WHERE target = 'geo.parcelle';
-- Reports would queue behind a table that is to be dropped while a backup reads it: it is dropped in a pause of its readers.
-- +goose StatementBegin
DO $$
BEGIN
    SET LOCAL lock_timeout = '20ms';
    LOOP
        BEGIN
            LOCK TABLE geo.parcelle IN ACCESS EXCLUSIVE MODE;
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.2);
        END;
    END LOOP;
    RESET lock_timeout;
END
$$;
-- +goose StatementEnd
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
ALTER TABLE geo.parcelle_table ADD CONSTRAINT parcelle_pkey PRIMARY KEY (idu);
CREATE INDEX parcelle_geom ON geo.parcelle_table USING gist (geom);
DROP VIEW geo.parcelle;
DROP TABLE geo.parcel_block;
ALTER TABLE geo.parcelle_table RENAME TO parcelle;
