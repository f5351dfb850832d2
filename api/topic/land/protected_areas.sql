-- The protected areas that the parcel lies in, the strongest protection first, then the one that covers most of it.
-- Each kind is loaded separately: an empty list is only returned where all kinds that the INPN publishes are loaded.
-- Index: enrich_protected_area_geom_idx. Up to twenty rows.
WITH here AS MATERIALIZED (
    SELECT p.shape, w.whole, w.metres
    -- OFFSET 0: the parcel is measured once, not for each part of it.
    FROM (SELECT ST_Area(@shape::geometry) AS whole, ST_Area(@shape::geometry::geography) AS metres OFFSET 0) w,
        ST_Subdivide(@shape::geometry, 128) p(shape)
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
), found AS (
    SELECT t.attrs, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_protected_area t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY t.attrs, h.whole, h.metres
), listed AS (
    SELECT f.attrs, f.covered, f.whole, k.*
    FROM found f JOIN kind k ON k.type = f.attrs->>'type'
    WHERE f.covered >= 0.005 * f.whole OR f.covered * f.metres >= f.whole
    ORDER BY k.strength, f.covered DESC, f.attrs->>'code', f.attrs LIMIT 50
)
SELECT coalesce(
    json_agg(json_build_object('type', type, 'label', label, 'code', attrs->>'code', 'name', attrs->>'name',
        'strength', strength, 'url', attrs->>'url', 'sharePct', geo.share(covered, whole))
        ORDER BY strength, covered DESC, attrs->>'code', attrs),
    CASE WHEN @covered::text[] @> ARRAY['protected_area_pn', 'protected_area_rnn', 'protected_area_rnr', 'protected_area_rnc',
        'protected_area_apb', 'protected_area_rb', 'protected_area_sic', 'protected_area_zps', 'protected_area_scl',
        'protected_area_scen', 'protected_area_pnr', 'protected_area_ramsar', 'protected_area_znieff1', 'protected_area_znieff2']
        THEN '[]'::json END)
FROM listed
