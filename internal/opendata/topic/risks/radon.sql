-- The radon class of the commune of a parcel, or of its arrondissement.
-- Index: enrich_radon_commune_idx: a few rows.
SELECT c.category, CASE c.category WHEN 1 THEN 'Potentiel faible' WHEN 2 THEN 'Potentiel faible, transferts facilités'
    WHEN 3 THEN 'Potentiel significatif' END AS label,
    c.commune AS listed_for
FROM (SELECT (attrs->>'category')::integer AS category, commune FROM geo.enrich_radon WHERE commune = ANY (@communes)) c
ORDER BY c.commune = @arrondissement DESC, c.category DESC LIMIT 1
