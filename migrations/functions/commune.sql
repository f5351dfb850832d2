-- The code that a commune has today: its own, or that of the commune it was merged into. Arrondissements keep theirs.
-- Null when no commune ever had the code.
CREATE OR REPLACE FUNCTION geo.commune_today(asked text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE today text;
BEGIN
    -- A commune of today and a commune déléguée may share a code: the former counts.
    SELECT CASE k.type WHEN 'arrondissement-municipal' THEN k.code ELSE k.commune_code END INTO today
    FROM geo.commune k WHERE k.code = asked
    ORDER BY k.type IN ('commune-actuelle', 'arrondissement-municipal') DESC, k.type LIMIT 1;
    IF today IS NULL THEN
        -- OFFSET 0 keeps the planner from walking all communes in the order that is asked for, hoping to meet the first
        -- one early: the index on former codes finds it a hundred times faster.
        SELECT k.commune_code INTO today
        FROM (SELECT c.* FROM geo.commune c WHERE c.former_codes @> ARRAY[asked] OFFSET 0) k ORDER BY k.type, k.code LIMIT 1;
    END IF;
    RETURN today;
END
$$;

-- How the communes of a day became those of today: for each commune of today whose territory changed since, whether it
-- took others in (merged) or gave territory away (split), and of how many communes of that day it is made.
CREATE OR REPLACE FUNCTION geo.commune_changes(since date) RETURNS TABLE (code text, merged boolean, split boolean, pieces bigint)
LANGUAGE sql STABLE AS $$
    WITH moved AS (
        SELECT m.kind, m.code_before, m.code_after, geo.commune_today(m.code_after) AS today, m.type_before, m.type_after
        FROM geo.commune_movement m
        WHERE m.day > since AND m.kind IN (20, 21, 30, 31, 32, 33) AND m.type_after = 'COM' AND m.type_before = 'COM')
    SELECT m.today, bool_or(m.kind >= 30 AND m.code_before <> m.code_after),
        bool_or(m.kind IN (20, 21)),
        count(DISTINCT m.code_before) FILTER (WHERE m.kind >= 31)
    FROM moved m WHERE m.today IS NOT NULL GROUP BY m.today
$$;
