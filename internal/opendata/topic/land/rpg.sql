-- The crops declared on the parcel, the field that covers most of it first. The names of crops are our own short ones
-- and are valid for the nomenclatures before and since 2023; a code outside the table has none. Of several editions
-- that cover the place, of a région and of the mainland, the newest is used.
-- Indexes: rpg_geom, coverage_pkey, load_pkey. One to ten rows.
WITH here AS MATERIALIZED (
    SELECT shape, whole, metres FROM geo.subdivide(@shape::geometry)
), crop (code, label) AS (VALUES
    ('BTH', 'Blé tendre d''hiver'), ('BTP', 'Blé tendre de printemps'), ('BDH', 'Blé dur d''hiver'),
    ('BDP', 'Blé dur de printemps'), ('EPE', 'Épeautre'), ('ORH', 'Orge d''hiver'), ('ORP', 'Orge de printemps'),
    ('AVH', 'Avoine d''hiver'), ('AVP', 'Avoine de printemps'), ('SGH', 'Seigle d''hiver'),
    ('SGP', 'Seigle de printemps'), ('TTH', 'Triticale d''hiver'), ('TTP', 'Triticale de printemps'), ('MIS', 'Maïs'),
    ('MIE', 'Maïs ensilage'), ('MID', 'Maïs doux'), ('MLT', 'Millet'), ('MOH', 'Moha'), ('SOG', 'Sorgho'),
    ('SRS', 'Sarrasin'), ('RIZ', 'Riz'), ('MCR', 'Mélange de céréales'), ('MCS', 'Mélange de céréales de printemps'),
    ('CAG', 'Autre céréale'), ('CAH', 'Autre céréale d''hiver'),
    ('CZH', 'Colza d''hiver'), ('CZP', 'Colza de printemps'), ('TRN', 'Tournesol'), ('SOJ', 'Soja'),
    ('CML', 'Cameline'), ('OEI', 'Œillette'), ('LIH', 'Lin non textile d''hiver'),
    ('LIP', 'Lin non textile de printemps'), ('NYG', 'Nyger'), ('NVE', 'Navette d''été'), ('NVH', 'Navette d''hiver'),
    ('MOT', 'Moutarde'), ('OAG', 'Autres oléagineux'), ('ARA', 'Arachide'),
    ('PHI', 'Pois d''hiver'), ('PPR', 'Pois de printemps'), ('PCH', 'Pois chiche'), ('PPO', 'Petits pois'),
    ('LEC', 'Lentille'), ('LDH', 'Lupin doux d''hiver'), ('LDP', 'Lupin doux de printemps'), ('FVL', 'Féverole'),
    ('FVP', 'Féverole de printemps'), ('FEV', 'Fève'), ('FNU', 'Fenugrec'), ('HAR', 'Haricot'),
    ('PHS', 'Pois et haricots secs'), ('PHF', 'Pois et haricots frais'),
    ('LUZ', 'Luzerne'), ('LUD', 'Luzerne déshydratée'), ('SAI', 'Sainfoin'), ('TRE', 'Trèfle'), ('VES', 'Vesce ou légumineuse voisine'),
    ('LOT', 'Lotier ou minette'), ('MLG', 'Mélange de légumineuses et de graminées fourragères'),
    ('MLF', 'Mélange de légumineuses'), ('BVF', 'Betterave fourragère'), ('CAF', 'Carotte fourragère'),
    ('CHF', 'Chou fourrager'), ('NVF', 'Navet fourrager'), ('RDF', 'Radis fourrager'),
    ('FAG', 'Autre fourrage annuel'), ('AFG', 'Autre plante fourragère annuelle'),
    ('CPL', 'Mélange multi-espèces fourrager'),
    ('BRO', 'Brome'), ('DTY', 'Dactyle'), ('FET', 'Fétuque'), ('FLO', 'Fléole'), ('PAT', 'Pâturin commun'),
    ('RGA', 'Ray-grass'), ('XFE', 'X-Festulolium'), ('GFP', 'Autre graminée fourragère pure'),
    ('GRA', 'Graminée pour gazon ou semences'), ('PTR', 'Prairie temporaire de 5 ans ou moins'),
    ('PRL', 'Prairie en rotation longue'), ('PPH', 'Prairie permanente'),
    ('SPH', 'Surface pastorale, herbe prédominante'),
    ('SPL', 'Surface pastorale, ressources ligneuses prédominantes'), ('BOP', 'Bois pâturé'),
    ('CAE', 'Châtaigneraie entretenue par des porcins ou petits ruminants'),
    ('CEE', 'Chênaie entretenue par des porcins ou petits ruminants'), ('ROS', 'Roselière'),
    ('J5M', 'Jachère de 5 ans ou moins'), ('J6P', 'Jachère de 6 ans ou plus'),
    ('J6S', 'Jachère de 6 ans ou plus, surface d''intérêt écologique'), ('JAC', 'Jachère'),
    ('BTN', 'Betterave ou bette'), ('CHV', 'Chanvre'), ('LIF', 'Lin fibres'), ('HBL', 'Houblon'), ('TAB', 'Tabac'),
    ('PTC', 'Pomme de terre'), ('PTF', 'Pomme de terre féculière'), ('CSA', 'Canne à sucre'),
    ('CSF', 'Canne à sucre'), ('CSI', 'Canne à sucre'), ('CSP', 'Canne à sucre'), ('CSR', 'Canne à sucre'),
    ('MCT', 'Miscanthus'),
    ('AIL', 'Ail'), ('ART', 'Artichaut'), ('AUB', 'Aubergine'), ('CAR', 'Carotte'), ('CEL', 'Céleri'),
    ('CES', 'Chicorée, endive, scarole'), ('CHU', 'Chou'), ('CCN', 'Concombre, cornichon ou courgette'),
    ('CMB', 'Courge musquée'), ('CCT', 'Courgette'), ('CRS', 'Cresson'), ('EPI', 'Épinard, oseille ou bette'), ('FRA', 'Fraise'),
    ('LBF', 'Laitue ou autre salade'), ('MAC', 'Mâche'), ('MLO', 'Melon ou pastèque'), ('NVT', 'Navet ou autre légume racine'), ('OIG', 'Oignon et échalote'),
    ('PAN', 'Panais'), ('PAS', 'Pastèque'), ('POR', 'Poireau'), ('PVP', 'Poivron, piment ou aubergine'), ('POT', 'Potiron ou autre courge'),
    ('RDI', 'Radis'), ('ROQ', 'Roquette'), ('RUT', 'Rutabaga'), ('SFI', 'Salsifis'), ('TOM', 'Tomate'),
    ('TOT', 'Tomate pour transformation'), ('TOP', 'Topinambour'), ('TBT', 'Tubercule tropical'),
    ('MDI', 'Maraîchage diversifié'), ('FLA', 'Autre légume ou fruit annuel'),
    ('FLP', 'Autre légume ou fruit pérenne'),
    ('VRC', 'Vigne'), ('VRT', 'Vigne, raisins de table'), ('RVI', 'Restructuration du vignoble'),
    ('VRG', 'Verger'), ('VGD', 'Verger d''outre-mer'), ('OLI', 'Oliveraie'), ('NOX', 'Noix'), ('NOS', 'Noisette'),
    ('CTG', 'Châtaigne'), ('PIS', 'Pistache'), ('CBT', 'Cerise'), ('PVT', 'Pêche'), ('PWT', 'Poire'),
    ('PRU', 'Prune'), ('PFR', 'Petits fruits'), ('AGR', 'Agrume'), ('AVO', 'Avocat'), ('ANA', 'Ananas'),
    ('CAC', 'Café et cacao'), ('CAB', 'Caroube'), ('BCA', 'Banane hors export'), ('BCF', 'Banane hors export'),
    ('BCI', 'Banane hors export'), ('BCP', 'Banane hors export'), ('BCR', 'Banane hors export'),
    ('BEA', 'Banane export'), ('BEF', 'Banane export'), ('BEI', 'Banane export'), ('BEP', 'Banane export'),
    ('BER', 'Banane export'),
    ('LAV', 'Lavande et lavandin'), ('THY', 'Thym'), ('ROM', 'Romarin'), ('SGE', 'Sauge'), ('PSL', 'Persil'),
    ('BAS', 'Basilic'), ('MTH', 'Menthe'), ('MLI', 'Mélisse'), ('CIB', 'Ciboulette'), ('CRD', 'Coriandre'),
    ('FNO', 'Fenouil'), ('VNL', 'Vanille'), ('VAL', 'Valériane'), ('YLA', 'Ylang-ylang'), ('CUR', 'Curcuma'),
    ('VET', 'Vétiver'), ('HPC', 'Horticulture ornementale'),
    ('HSA', 'Horticulture ornementale sous abri'), ('LSA', 'Légumes sous abri'),
    ('PEP', 'Pépinière'), ('TRU', 'Truffière'), ('TCR', 'Taillis à courte rotation'),
    ('SBO', 'Surface boisée sur une ancienne terre agricole'), ('CSS', 'Culture sous serre hors sol'),
    ('MRS', 'Marais salant'), ('BOR', 'Bordure de champ'), ('BTA', 'Bande tampon'),
    ('BFP', 'Bande le long d''une forêt avec production'), ('BFS', 'Bande le long d''une forêt sans production'),
    ('CID', 'Cultures en inter-rangs, deux cultures'), ('CIT', 'Cultures en inter-rangs, trois cultures'),
    ('CUA', 'Culture sous abattis'), ('SNE', 'Surface agricole temporairement non exploitée ou non admissible')
), crop_group (code, label) AS (VALUES
    (1, 'Blé tendre'), (2, 'Maïs grain et ensilage'), (3, 'Orge'), (4, 'Autres céréales'), (5, 'Colza'),
    (6, 'Tournesol'), (7, 'Autres oléagineux'), (8, 'Protéagineux'), (9, 'Plantes à fibres'), (11, 'Gel'),
    (14, 'Riz'), (15, 'Légumineuses à grains'), (16, 'Fourrage'), (17, 'Estives et landes'),
    (18, 'Prairies permanentes'), (19, 'Prairies temporaires'), (20, 'Vergers'), (21, 'Vignes'),
    (22, 'Fruits à coque'), (23, 'Oliviers'), (24, 'Autres cultures industrielles'), (25, 'Légumes ou fleurs'),
    (26, 'Canne à sucre'), (27, 'Arboriculture'), (28, 'Divers')
), found AS (
    SELECT t.part, t.id, t.crop, t.crop_group, t.area_ha, t.year, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.rpg t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY t.part, t.id, t.crop, t.crop_group, t.area_ha, t.year, h.whole, h.metres
), newest AS (
    SELECT part FROM geo.newest_part('rpg', @departement, @commune)
)
SELECT f.crop AS crop_code, c.label AS crop, f.crop_group::text AS group_code, g.label AS "group", round(f.area_ha::numeric, 2) AS area_ha,
    f.year, geo.share(f.covered, f.whole) AS share_pct, count(*) OVER () AS total
FROM found f JOIN newest USING (part) LEFT JOIN crop c ON c.code = f.crop LEFT JOIN crop_group g ON g.code = f.crop_group
WHERE NOT geo.is_sliver(f.covered, f.whole, f.metres)
ORDER BY f.covered DESC, f.crop, f.id LIMIT @limit
