-- The number of the sheet that a parcel lies on; null when no sheet of its section is loaded or holds it.
CREATE OR REPLACE FUNCTION geo.sheet_of(idu text, shape geometry) RETURNS smallint LANGUAGE sql STABLE AS $$
    SELECT right(f.id, 2)::smallint FROM geo.feuille f
    WHERE f.id BETWEEN left(idu, 10) || '00' AND left(idu, 10) || '99'
      AND public.ST_Covers(f.geom, public.ST_PointOnSurface(shape))
    ORDER BY f.id LIMIT 1
$$;

-- The parcels of a commune or arrondissement, by parcel_block_pkey: geo.parcelle would open the blocks of all others.
CREATE OR REPLACE FUNCTION geo.parcels_of(code text)
RETURNS TABLE (idu text, contenance integer, feuille smallint, geom geometry) LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT p.idu, p.contenance, p.feuille, public.ST_SetSRID(public.ST_GeomFromTWKB(p.shape), 4326)
    FROM geo.parcel_block b CROSS JOIN LATERAL unnest(b.idus, b.contenances, b.feuilles, b.shapes) AS p (idu, contenance, feuille, shape)
    WHERE b.first_idu BETWEEN code AND code || 'ZZZZZZZZZ'
$$;

-- The parcels whose bounding box meets that of a shape, by parcel_block_box.
CREATE OR REPLACE FUNCTION geo.parcels_near(shape geometry)
RETURNS TABLE (idu text, geom geometry) LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT p.idu, p.geom
    FROM geo.parcel_block b CROSS JOIN LATERAL (
        SELECT u.idu, public.ST_SetSRID(public.ST_GeomFromTWKB(u.shape), 4326) AS geom
        FROM unnest(b.idus, b.shapes) AS u (idu, shape) OFFSET 0) p
    WHERE b.box OPERATOR(public.&&) shape AND p.geom OPERATOR(public.&&) shape
$$;

-- Writes the rows of a table of parcels (idu, contenance, feuille, geom) as blocks: no block of their communes may be there. Shapes
-- become TWKB before they are sorted, in a third of the bytes; a box may be some decimetres too large.
CREATE OR REPLACE FUNCTION geo.write_parcels(rows_of regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO geo.parcel_block (first_idu, last_idu, idus, contenances, feuilles, shapes, box)
        SELECT min(idu), max(idu), array_agg(idu ORDER BY idu), array_agg(contenance ORDER BY idu), array_agg(feuille ORDER BY idu),
            array_agg(shape ORDER BY idu), public.ST_MakeEnvelope(min(public.ST_XMin(box)), min(public.ST_YMin(box)),
                max(public.ST_XMax(box)), max(public.ST_YMax(box)), 4326)
        FROM (SELECT p.*, (row_number() OVER (PARTITION BY code ORDER BY idu) - 1) / 128 AS nth
            FROM (SELECT left(idu, 5) AS code, idu COLLATE "C" AS idu, contenance, feuille, public.ST_AsTWKB(geom, 7) AS shape,
                public.box2d(geom) AS box FROM %s OFFSET 0) p) p
        GROUP BY code, nth', rows_of);
END
$$;
