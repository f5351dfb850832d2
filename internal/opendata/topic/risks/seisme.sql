-- The seismic zone of the commune of a parcel, or of its arrondissement.
-- Index: enrich_seismic_zone_commune_idx: a few rows.
SELECT z.zone, CASE z.zone WHEN 1 THEN 'très faible' WHEN 2 THEN 'faible' WHEN 3 THEN 'modérée' WHEN 4 THEN 'moyenne'
    WHEN 5 THEN 'forte' END AS label,
    z.commune AS listed_for
FROM (SELECT (attrs->>'zone')::integer AS zone, commune FROM geo.enrich_seismic_zone WHERE commune = ANY (@communes)) z
ORDER BY z.commune = @arrondissement DESC, z.zone DESC LIMIT 1
