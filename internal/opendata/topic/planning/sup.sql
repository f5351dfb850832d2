-- The public-utility easements on the parcel, the one that covers most of it first. The name of an easement is two
-- joins away: the assiette refers to its générateur, that one to its servitude, by identifiers that are unique within
-- one document. An easement with several shapes, such as the monument and its surroundings, is returned once: its shapes
-- are unioned before they are measured. Where both the archive of a document and the national layer are loaded, the
-- archive is used; a document is identified by authority, category and territory.
-- Indexes: enrich_easement_geom_idx, enrich_easement_generator_id_idx, enrich_easement_act_id_idx. Some ten rows.
WITH here AS MATERIALIZED (
    SELECT shape, whole, metres FROM geo.subdivide(@shape::geometry)
), found AS MATERIALIZED (
    SELECT t.attrs, t.part LIKE '%-national%' AS national, ST_Union(ST_CollectionExtract(ST_Intersection(t.geom, h.shape), 3)) AS geom,
        h.whole, h.metres
    FROM here h JOIN geo.enrich_easement t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY t.attrs, national, h.whole, h.metres
), served AS (
    SELECT *, rank() OVER (PARTITION BY left(attrs->>'document', 9), attrs->>'category',
        regexp_replace(attrs->>'territory', '^0(..)$', '\1') ORDER BY national) AS nth
    FROM found
), named AS (
    SELECT f.attrs->>'category' AS category, coalesce(n.name, f.attrs->>'name') AS name, f.attrs->>'kind' AS kind,
        f.attrs->>'document' AS document, ST_Area(ST_Union(f.geom)) AS covered, f.whole, f.metres
    FROM served f LEFT JOIN LATERAL (
        SELECT coalesce(a.attrs->>'name', g.attrs->>'name') AS name, a.attrs->'repealed' AS repealed
        FROM geo.enrich_easement_generator g LEFT JOIN geo.enrich_easement_act a ON a.id = g.attrs->>'servitude'
        WHERE g.id = f.attrs->>'generator' ORDER BY a.part, g.part LIMIT 1) n ON true
    WHERE f.nth = 1 AND n.repealed IS DISTINCT FROM 'true'
    GROUP BY 1, 2, 3, 4, f.whole, f.metres
)
SELECT category, name, kind, document, geo.share(covered, whole) AS share_pct, count(*) OVER () AS total
FROM named WHERE NOT geo.is_sliver(covered, whole, metres)
ORDER BY covered DESC, category, name, kind, document LIMIT @limit
