-- A tile of the zones of local plans, with their short and long names and their type. The zones are those of the report:
-- where both the archive of a document and the national layer are loaded, the archive is used; an archive is left out
-- where newer ones cover every commune of it that the tile touches, and a PSMV applies in addition to the plan.
-- Indexes: enrich_plan_zone_geom_idx, commune_contour_geom, coverage_pkey, load_pkey. Some hundred parts at zoom 13.
WITH tile AS MATERIALIZED (
    SELECT ST_TileEnvelope(@z, @x, @y) AS box, ST_Transform(ST_TileEnvelope(@z, @x, @y, margin => 1.0 / 64), 4326) AS around
), superseded AS (
    SELECT part FROM (
        SELECT l.source || '/' || l.scope AS part, rank() OVER (PARTITION BY c.area ORDER BY l.vintage DESC) AS nth
        FROM tile JOIN geo.commune_contour k ON k.geom && tile.around AND ST_Intersects(k.geom, tile.around)
        JOIN geo.coverage c ON c.area = k.code AND c.layer = 'plan_zone'
        JOIN geo.load l ON l.id = c.load_id AND l.active
        WHERE l.source = 'gpu-zones' AND l.scope NOT LIKE '%\_PSMV%') d
    GROUP BY part HAVING min(nth) > 1
), cut AS MATERIALIZED (
    SELECT t.part, t.id, t.attrs, ST_AsMVTGeom(ST_Transform(t.geom, 3857), tile.box, 2048, 32) AS shape
    FROM tile JOIN geo.enrich_plan_zone t ON t.geom && tile.around
    LIMIT @limit
), served AS (
    SELECT *, rank() OVER (PARTITION BY attrs->>'territory' ORDER BY part LIKE '%-national%') AS nth
    FROM cut WHERE shape IS NOT NULL AND part NOT IN (SELECT part FROM superseded)
), drawn AS (
    SELECT hashtext(part || ' ' || id) & 2147483647 AS nth, attrs->>'zone' AS name, attrs->>'label' AS label, attrs->>'type' AS type,
        ST_UnaryUnion(ST_Collect(shape)) AS shape
    FROM served WHERE nth = 1 GROUP BY part, id, attrs
)
SELECT ST_AsMVT(drawn, 'areas', 2048, 'shape', 'nth') AS tile, (SELECT count(*) FROM cut) AS parts FROM drawn
