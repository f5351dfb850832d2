-- The natural-disaster orders for the commune of a parcel, or for its arrondissement, the newest event first.
-- Index: enrich_catnat_commune_idx: some ten rows, 200 in the communes with the most disasters.
SELECT attrs->>'risk' AS risk, attrs->>'start' AS start, attrs->>'end' AS "end", attrs->>'orderDate' AS order_date,
    attrs->>'publishedOn' AS published_on, count(*) OVER () AS total
FROM geo.enrich_catnat WHERE commune = ANY (@communes)
GROUP BY attrs
ORDER BY attrs->>'start' DESC NULLS LAST, attrs->>'publishedOn' DESC NULLS LAST, attrs->>'risk', attrs
LIMIT @limit
