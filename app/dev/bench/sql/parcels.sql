-- Draws the parcels of every $1-th village, from number $2 on: twelve sections of 24 by 10 lots of 22 by 27 metres, eight corners each.
-- Neighbours compute the corners that they share from the same numbers.
INSERT INTO drawn (idu, contenance, feuille, geom)
SELECT p.code || '000' || s.name || lpad((lot + 1)::text, 4, '0'), round(pg_temp.between(p.dice # lot, s.nth::integer, 580, 610))::integer, 1,
    ST_Multi(ST_SnapToGrid(ST_MakePolygon(ST_MakeLine(ARRAY(
        SELECT pg_temp.offset_point(p.lon, p.lat,
            ((s.nth - 1) % 3 - 1.5) * 540 + 11 * x + 4 * pg_temp.roll(p.dice # (64 * x + y), s.nth::integer),
            ((s.nth - 1) / 3 - 2) * 280 + 13.5 * y + 4 * pg_temp.roll(p.dice # (64 * x + y), 100 + s.nth::integer))
        FROM unnest(ARRAY[0, 1, 2, 2, 2, 1, 0, 0, 0], ARRAY[0, 0, 0, 1, 2, 2, 2, 1, 0]) corner (across, up)
        CROSS JOIN LATERAL (SELECT 2 * (lot % 24) + across AS x, 2 * (lot / 24) + up AS y) at))), 1e-7))
FROM geo.synthetic_place p
CROSS JOIN unnest('{0A,0B,0C,AB,AC,AD,AE,AH,AI,AK,AL,AM}'::text[]) WITH ORDINALITY s (name, nth)
CROSS JOIN generate_series(0, 239) lot
WHERE p.village % $1::integer = $2 AND 240 * (s.nth - 1) + lot < p.parcels
