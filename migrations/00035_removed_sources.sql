-- +goose Up
-- Sources without a known official address were removed. What was loaded from them would stay in service for ever.
-- Parcels have no such part: the next edition of their département replaces them.
DROP TABLE IF EXISTS geo.enrich_charge_network, geo.enrich_health_structure, geo.enrich_mobile_emitter,
    geo.enrich_mobile_operator, geo.enrich_mobile_station, geo.enrich_mobile_support, geo.enrich_osm_shop,
    geo.enrich_station_list;
-- +goose StatementBegin
DO $$
DECLARE
    removed CONSTANT text[] := ARRAY[
        'aerodromes-sup', 'anfr-emitters', 'anfr-operators', 'anfr-stations', 'anfr-supports',
        'aoc-ign', 'aoc-montpellier', 'ban-2015', 'bdtopo-cours-d-eau-gpkg',
        'bdtopo-plans-d-eau-gpkg', 'bdtopo-surfaces-en-eau-courante-gpkg',
        'bdtopo-surfaces-en-eau-gpkg', 'bdtopo-troncons-hydrographiques-gpkg',
        'bdtopo-vegetation-gpkg', 'charge-networks', 'clc-2018-shp', 'clc-grid', 'coast-shp',
        'dvf-extrait-93', 'election-presidentielle-bureaux-t1',
        'election-presidentielle-bureaux-t2', 'elevation-grid', 'espaces-apb', 'espaces-pn',
        'espaces-pnr', 'espaces-ramsar', 'espaces-rb', 'espaces-rnc', 'espaces-rnn', 'espaces-rnr',
        'espaces-sc-montpellier', 'espaces-sc', 'espaces-scen', 'espaces-scl', 'espaces-sic',
        'espaces-znieff1', 'espaces-znieff2', 'espaces-zps', 'facilities-2018', 'facilities-2019',
        'facilities-2020', 'facilities-2021', 'facilities-2022', 'facilities-2023',
        'filosofi-minima', 'filosofi-observatory-departements', 'finess-positions',
        'finess-structures', 'housing-census-2018', 'housing-census-2019', 'housing-census-2020',
        'housing-census-2021', 'housing-census-2023', 'housing-census-2024',
        'housing-observatory-communes', 'housing-observatory-departements',
        'life-expectancy-departement', 'life-expectancy-region', 'montpellier-cours-d-eau',
        'monuments-montpellier', 'osm-supermarkets', 'population-reference-workbook',
        'ppr-cnig-foncier', 'ppr-cnig-perimetres', 'ppr-cnig-procedures', 'ppr-cnig-urbanisme',
        'rga-bordeaux', 'roads-bdtopo-gpkg', 'roads-geojson', 'safety-communes-2023',
        'safety-communes-2024', 'safety-communes-2025', 'safety-communes-2026',
        'safety-communes-2027', 'safety-communes-extract', 'station-list', 'sup-assiettes-csv',
        'sup-generateurs-csv', 'sup-servitudes-csv'];
    served  text;
BEGIN
    IF NOT EXISTS (SELECT FROM geo.load WHERE source = ANY (removed)) THEN
        RETURN;
    END IF;
    FOR served IN
        SELECT format('geo.%I', c.relname) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'part'
        WHERE c.relnamespace = 'geo'::regnamespace AND c.relkind = 'r' AND NOT a.attisdropped
        ORDER BY c.relname
    LOOP
        EXECUTE format('DELETE FROM %s WHERE split_part(part, ''/'', 1) = ANY ($1)', served) USING removed;
    END LOOP;
    DELETE FROM geo.load WHERE source = ANY (removed);
END
$$;
-- +goose StatementEnd

-- +goose Down
