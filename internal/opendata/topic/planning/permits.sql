-- The permits that name the parcel and no other that fits, the newest first. The files lack the prefix of the section:
-- a reference counts where one parcel of the commune, of the arrondissement or of all arrondissements of the city has its
-- section and number, and all parcels of these are loaded. The same section of another prefix must not have reached the
-- number: its parcel may have been divided since. Where a permit is in two files, its state and applicant are
-- those of the newer edition. Each row also has the numbers of permits of the commune that could not be placed; without a permit
-- there is one row of them alone, whose number is empty.
-- Indexes: permit_parcel_reference_idx, permit_id_idx, permit_unplaced_area_idx, commune_code,
-- parcelle_commune_pkey, load_active; parcel_block_pkey, where a permit has the reference: of the blocks of the commune
-- those are opened that may hold the section under another prefix. A handful of rows.
WITH city AS (
    SELECT k.commune_code AS code FROM geo.commune k WHERE k.code = left(@idu, 5) AND k.type = 'arrondissement-municipal'
), named AS MATERIALIZED (
    SELECT DISTINCT r.id, r.area, r.prefix
    FROM geo.permit_parcel r
    WHERE r.area = ANY (ARRAY[left(@idu, 5), (SELECT code FROM city)]) AND r.section = substr(@idu, 9, 2) AND r.plan = right(@idu, 4)
        AND r.prefix IN ('', substr(@idu, 6, 3)) AND r.fits < 2
), searched AS (
    SELECT DISTINCT n.area, coalesce(k.code, n.area) AS code
    FROM named n LEFT JOIN geo.commune k ON k.commune_code = n.area AND k.type = 'arrondissement-municipal'
    WHERE n.prefix = ''
), shared AS (
    SELECT s.area FROM searched s
    WHERE NOT EXISTS (SELECT FROM geo.parcelle_commune c WHERE c.code = s.code AND c.complete)
    UNION
    SELECT s.area
    FROM searched s JOIN geo.parcel_block b ON b.first_idu BETWEEN s.code AND s.code || 'ZZZZZZZZZ'
        AND (left(b.first_idu, 8) <> left(b.last_idu, 8) OR left(b.first_idu, 8) <> left(@idu, 8)
            AND substr(b.first_idu, 9) <= substr(@idu, 9, 2) || '9999' AND substr(b.last_idu, 9) >= substr(@idu, 9))
    CROSS JOIN LATERAL unnest(b.idus) AS p (idu)
    WHERE left(p.idu, 8) <> left(@idu, 8) AND substr(p.idu, 9) BETWEEN substr(@idu, 9) AND substr(@idu, 9, 2) || '9999'
), placed AS (
    SELECT DISTINCT n.id FROM named n WHERE n.prefix <> '' OR n.area NOT IN (SELECT area FROM shared)
), found AS (
    SELECT p.*, row_number() OVER (PARTITION BY p.id ORDER BY l.vintage DESC NULLS LAST, p.part DESC) AS nth
    FROM placed JOIN geo.permit p ON p.id = placed.id
    LEFT JOIN geo.load l ON l.active AND l.source = split_part(p.part, '/', 1) AND l.scope = split_part(p.part, '/', 2)
), listed AS (
    SELECT p.type, p.number, min(p.date) AS date, max(p.state) FILTER (WHERE p.nth = 1) AS state,
        max(p.dwellings) AS dwellings, max(p.dwelling_area) AS dwelling_area, max(p.premises_area) AS premises_area,
        max(p.applicant) FILTER (WHERE p.nth = 1) AS applicant, max(p.siren) FILTER (WHERE p.nth = 1) AS siren,
        count(*) OVER () AS total
    FROM found p
    GROUP BY p.id, p.type, p.number
    ORDER BY min(p.date) DESC NULLS LAST, p.number, p.type LIMIT @limit
)
SELECT coalesce(l.type, '') AS type, coalesce(l.number, '') AS number, l.date::text AS date,
    CASE l.state WHEN 2 THEN 'authorised' WHEN 4 THEN 'cancelled' WHEN 5 THEN 'begun' WHEN 6 THEN 'finished' ELSE '' END AS state,
    l.dwellings, l.dwelling_area AS dwelling_area_m2, l.premises_area AS premises_area_m2, l.applicant, l.siren AS applicant_siren,
    coalesce(l.total, 0) AS total, u.ambiguous, u.gone, u.unreferenced
FROM (SELECT sum(c.ambiguous) AS ambiguous, sum(c.gone) AS gone, sum(c.unreferenced) AS unreferenced
    FROM geo.permit_unplaced c WHERE c.area = ANY (ARRAY[left(@idu, 5), @commune, (SELECT code FROM city)])) u
LEFT JOIN listed l ON true
ORDER BY l.date DESC NULLS LAST, l.number, l.type
