-- The Corine Land Cover class that covers most of the parcel, with its name in French. A code outside the 44 classes
-- has no name.
-- Index: enrich_land_cover_geom_idx. One to ten rows.
WITH here AS MATERIALIZED (
    SELECT shape, whole, metres FROM geo.subdivide(@shape::geometry)
), class (code, label) AS (VALUES
    ('111', 'Tissu urbain continu'),
    ('112', 'Tissu urbain discontinu'),
    ('121', 'Zones industrielles ou commerciales et installations publiques'),
    ('122', 'Réseaux routier et ferroviaire et espaces associés'),
    ('123', 'Zones portuaires'),
    ('124', 'Aéroports'),
    ('131', 'Extraction de matériaux'),
    ('132', 'Décharges'),
    ('133', 'Chantiers'),
    ('141', 'Espaces verts urbains'),
    ('142', 'Équipements sportifs et de loisirs'),
    ('211', 'Terres arables hors périmètres d''irrigation'),
    ('212', 'Périmètres irrigués en permanence'),
    ('213', 'Rizières'),
    ('221', 'Vignobles'),
    ('222', 'Vergers et petits fruits'),
    ('223', 'Oliveraies'),
    ('231', 'Prairies et autres surfaces toujours en herbe à usage agricole'),
    ('241', 'Cultures annuelles associées à des cultures permanentes'),
    ('242', 'Systèmes culturaux et parcellaires complexes'),
    ('243', 'Surfaces essentiellement agricoles, interrompues par des espaces naturels importants'),
    ('244', 'Territoires agroforestiers'),
    ('311', 'Forêts de feuillus'),
    ('312', 'Forêts de conifères'),
    ('313', 'Forêts mélangées'),
    ('321', 'Pelouses et pâturages naturels'),
    ('322', 'Landes et broussailles'),
    ('323', 'Végétation sclérophylle'),
    ('324', 'Forêt et végétation arbustive en mutation'),
    ('331', 'Plages, dunes et sable'),
    ('332', 'Roches nues'),
    ('333', 'Végétation clairsemée'),
    ('334', 'Zones incendiées'),
    ('335', 'Glaciers et neiges éternelles'),
    ('411', 'Marais intérieurs'),
    ('412', 'Tourbières'),
    ('421', 'Marais maritimes'),
    ('422', 'Marais salants'),
    ('423', 'Zones intertidales'),
    ('511', 'Cours et voies d''eau'),
    ('512', 'Plans d''eau'),
    ('521', 'Lagunes littorales'),
    ('522', 'Estuaires'),
    ('523', 'Mers et océans')
), found AS (
    SELECT t.attrs->>'code' AS code, (t.attrs->>'year')::integer AS year, sum(geo.overlap(h.shape, t.geom)) AS covered,
        h.whole, h.metres
    FROM here h JOIN geo.enrich_land_cover t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY 1, 2, t.part, h.whole, h.metres
)
SELECT f.code, c.label, f.year, geo.share(f.covered, f.whole) AS share_pct
FROM found f LEFT JOIN class c ON c.code = f.code
WHERE NOT geo.is_sliver(f.covered, f.whole, f.metres)
ORDER BY f.covered DESC, f.code LIMIT 1
