-- Complains of each commune of today that has no outline although its département has some: a département is
-- loaded whole or not at all, else its own outline would be wrong.
-- Reads geo.commune once (38 000 rows). Expect no row.
SELECT 'commune ' || c.code || ' has no outline, others of département ' || c.departement_code || ' have one'
FROM geo.commune c
WHERE c.type = 'commune-actuelle'
  AND c.departement_code IN (
      SELECT k.departement_code FROM stage s JOIN geo.commune k ON k.code = s.code AND k.type = 'commune-actuelle')
  AND NOT EXISTS (SELECT FROM stage s WHERE s.code = c.code)
ORDER BY c.code
