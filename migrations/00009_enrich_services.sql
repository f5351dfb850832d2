-- +goose Up
-- Layers that stand in for another one where that is not loaded (a list of hospitals of some départements, the charge
-- points of one network, an older list of stations); and what is read of files that are joined when the last of them is
-- loaded: the structures of FINESS, whose places stand in other lines, and the stations and emitters of ANFR, whose places
-- are those of their support.
-- +goose StatementBegin
DO $$
DECLARE layer text;
BEGIN
    FOREACH layer IN ARRAY ARRAY['hospital_extract', 'charge_network', 'station_list', 'mobile_support'] LOOP
        EXECUTE format('CREATE TABLE geo.%I (LIKE geo.enrich_shape INCLUDING ALL)', 'enrich_' || layer);
    END LOOP;
    FOREACH layer IN ARRAY ARRAY['health_structure', 'mobile_operator', 'mobile_station', 'mobile_emitter'] LOOP
        EXECUTE format('CREATE TABLE geo.%I (LIKE geo.enrich_fact INCLUDING ALL)', 'enrich_' || layer);
    END LOOP;
END
$$;
-- +goose StatementEnd

-- The nearest of a kind is found by walking an index outwards: it must hold that kind only, or the walk would pass
-- thousands of others.
CREATE INDEX enrich_health_hospital ON geo.enrich_health USING gist (geom) WHERE attrs->>'category' IN ('101', '106', '292', '355');
CREATE INDEX enrich_health_msp ON geo.enrich_health USING gist (geom) WHERE attrs->>'category' = '603';
CREATE INDEX enrich_health_pharmacy ON geo.enrich_health USING gist (geom) WHERE attrs->>'category' = '620';
CREATE INDEX enrich_facility_hypermarket ON geo.enrich_facility USING gist (geom) WHERE attrs->>'type' IN ('B101', 'B104');
CREATE INDEX enrich_facility_supermarket ON geo.enrich_facility USING gist (geom) WHERE attrs->>'type' IN ('B102', 'B105');
CREATE INDEX enrich_facility_convenience ON geo.enrich_facility USING gist (geom) WHERE attrs->>'type' IN ('B201', 'B202');

-- +goose Down
DROP INDEX geo.enrich_health_hospital, geo.enrich_health_msp, geo.enrich_health_pharmacy,
    geo.enrich_facility_hypermarket, geo.enrich_facility_supermarket, geo.enrich_facility_convenience;
DROP TABLE geo.enrich_hospital_extract, geo.enrich_charge_network, geo.enrich_station_list, geo.enrich_mobile_support,
    geo.enrich_health_structure, geo.enrich_mobile_operator, geo.enrich_mobile_station, geo.enrich_mobile_emitter;
