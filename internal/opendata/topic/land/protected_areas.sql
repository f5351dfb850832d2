-- The protected areas that the parcel lies in, the strongest protection first, then the one that covers most of it.
-- Index: enrich_protected_area_geom_idx. Up to twenty rows.
WITH here AS MATERIALIZED (
    SELECT shape, whole, metres FROM geo.subdivide(@shape::geometry)
), kind (type, strength, label) AS (VALUES
    ('PN', 1, 'Parc national, cœur'),
    ('RNN', 2, 'Réserve naturelle nationale'),
    ('RNR', 2, 'Réserve naturelle régionale'),
    ('RNC', 2, 'Réserve naturelle de Corse'),
    ('APB', 3, 'Arrêté de protection de biotope'),
    ('RB', 4, 'Réserve biologique'),
    ('SC', 5, 'Site classé'),
    ('SIC', 6, 'Natura 2000, directive Habitats'),
    ('ZPS', 6, 'Natura 2000, directive Oiseaux'),
    ('SCL', 7, 'Terrain du Conservatoire du littoral'),
    ('SCEN', 7, 'Terrain d''un conservatoire d''espaces naturels'),
    ('PNR', 8, 'Parc naturel régional'),
    ('PN_ADHESION', 8, 'Parc national, aire d''adhésion'),
    ('SI', 8, 'Site inscrit'),
    ('RAMSAR', 9, 'Zone humide Ramsar'),
    ('ZNIEFF1', 10, 'ZNIEFF de type 1'),
    ('ZNIEFF2', 11, 'ZNIEFF de type 2')
), of_source AS (
    SELECT t.attrs, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_protected_area t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY t.part, t.attrs, h.whole, h.metres
), found AS (
    -- An area that two sources have counts once.
    SELECT attrs, max(covered) AS covered, whole, metres FROM of_source GROUP BY attrs, whole, metres
)
SELECT k.type, k.label, f.attrs->>'code' AS code, f.attrs->>'name' AS name, k.strength, f.attrs->>'url' AS url,
    geo.share(f.covered, f.whole) AS share_pct, count(*) OVER () AS total
FROM found f JOIN kind k ON k.type = f.attrs->>'type'
WHERE NOT geo.is_sliver(f.covered, f.whole, f.metres)
ORDER BY k.strength, f.covered DESC, f.attrs->>'code', f.attrs LIMIT @limit
