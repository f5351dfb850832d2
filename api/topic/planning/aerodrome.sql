-- The aeronautical easements and noise zones that the parcel lies in, the one that covers most of it first. The
-- surfaces of one aerodrome overlap: they are unioned before they are measured.
-- Indexes: enrich_aerodrome_easement_geom_idx, enrich_easement_generator_id_idx, enrich_easement_act_id_idx. A few
-- rows.
WITH here AS MATERIALIZED (
    SELECT shape, whole, metres FROM geo.subdivide(@shape::geometry)
), found AS MATERIALIZED (
    SELECT t.attrs, ST_Union(ST_CollectionExtract(ST_Intersection(t.geom, h.shape), 3)) AS geom, h.whole, h.metres
    FROM here h JOIN geo.enrich_aerodrome_easement t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY t.attrs, h.whole, h.metres
), named AS (
    SELECT f.attrs->>'kind' AS kind, f.attrs->>'zone' AS zone, coalesce(n.name, f.attrs->>'name') AS aerodrome,
        ST_Area(ST_Union(f.geom)) AS covered, f.whole, f.metres
    FROM found f LEFT JOIN LATERAL (
        SELECT coalesce(a.attrs->>'name', g.attrs->>'name') AS name, a.attrs->'repealed' AS repealed
        FROM geo.enrich_easement_generator g LEFT JOIN geo.enrich_easement_act a ON a.id = g.attrs->>'servitude'
        WHERE g.id = f.attrs->>'generator' ORDER BY a.part, g.part LIMIT 1) n ON true
    WHERE n.repealed IS DISTINCT FROM 'true'
    GROUP BY 1, 2, 3, f.whole, f.metres
)
SELECT kind, zone, aerodrome, geo.share(covered, whole) AS share_pct, count(*) OVER () AS total
FROM named WHERE NOT geo.is_sliver(covered, whole, metres)
ORDER BY covered DESC, kind, zone, aerodrome LIMIT @limit
