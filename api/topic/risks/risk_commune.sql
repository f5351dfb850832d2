-- The risks of the commune of a parcel, or of its arrondissement: natural-disaster orders (newest first, at most 100),
-- listed risks (families before details, at most 100), radon class and seismic zone.
-- Indexes: enrich_catnat_commune_idx, and the same of commune_risk, radon and seismic_zone: some ten rows each, 200
-- orders in the communes with the most disasters. One row.
SELECT
    (SELECT coalesce(json_agg(json_build_object('risk', attrs->>'risk', 'start', attrs->>'start', 'end', attrs->>'end',
            'orderDate', attrs->>'orderDate', 'publishedOn', attrs->>'publishedOn')
            ORDER BY attrs->>'start' DESC NULLS LAST, attrs->>'publishedOn' DESC NULLS LAST, attrs->>'risk', attrs), '[]')
        FROM (SELECT attrs FROM geo.enrich_catnat WHERE commune IN (@commune, @arrondissement)
            GROUP BY attrs
            ORDER BY attrs->>'start' DESC NULLS LAST, attrs->>'publishedOn' DESC NULLS LAST, attrs->>'risk', attrs
            LIMIT 100) orders),
    (SELECT coalesce(json_agg(json_build_object('code', code, 'label', label) ORDER BY length(code), code), '[]')
        FROM (SELECT attrs->>'code' AS code, min(attrs->>'label') AS label
            FROM geo.enrich_commune_risk WHERE commune IN (@commune, @arrondissement)
            GROUP BY 1 ORDER BY length(attrs->>'code'), 1 LIMIT 100) listed),
    (SELECT json_build_object('category', c.category, 'label', CASE c.category WHEN 1 THEN 'Potentiel faible'
            WHEN 2 THEN 'Potentiel faible, transferts facilités' WHEN 3 THEN 'Potentiel significatif' END)
        FROM (SELECT (attrs->>'category')::integer AS category FROM geo.enrich_radon
            WHERE commune IN (@commune, @arrondissement)
            ORDER BY commune = @arrondissement DESC, 1 DESC LIMIT 1) c),
    (SELECT json_build_object('zone', z.zone, 'label', CASE z.zone WHEN 1 THEN 'très faible' WHEN 2 THEN 'faible'
            WHEN 3 THEN 'modérée' WHEN 4 THEN 'moyenne' WHEN 5 THEN 'forte' END)
        FROM (SELECT (attrs->>'zone')::integer AS zone FROM geo.enrich_seismic_zone
            WHERE commune IN (@commune, @arrondissement)
            ORDER BY commune = @arrondissement DESC, 1 DESC LIMIT 1) z)
