-- The communes that the zoning of the same document fills; where it is not loaded, the commune that the document is
-- named after.
SELECT c.area FROM geo.coverage c JOIN geo.load l ON l.id = c.load_id AND l.active, this_load t
WHERE c.layer = 'plan_zone' AND l.scope = t.scope
UNION
SELECT k.code FROM this_load t
JOIN geo.commune k ON k.code = split_part(t.scope, '_', 1) AND k.type = 'commune-actuelle'
WHERE NOT EXISTS (SELECT FROM geo.coverage c JOIN geo.load l ON l.id = c.load_id AND l.active
    WHERE c.layer = 'plan_zone' AND l.scope = t.scope)
