import type { components, operations } from "./schema.js";
/** The types of the answers, by their names in the OpenAPI document. */
export type Schemas = components["schemas"];
export type Query<Name extends keyof operations> = NonNullable<operations[Name]["parameters"]["query"]>;
/** The operations, a method for each. */
export declare abstract class Operations {
    /** Calls a path with what is given for its codes and the query; report: under the lower limit of reports too. */
    protected abstract get<T>(path: string, given: Record<string, unknown>, report?: boolean): Promise<T>;
    /**
     * Describe the service.
     *
     * What the service is, its endpoints, plans and how to get a key. Needs no key.
     */
    getIndex(): Promise<Schemas["Index"]>;
    /**
     * Find an address, a locality or a commune.
     *
     * Addresses and places that fit the query, best first, with the code of the commune and coordinates. `lat` and `lon`,
     * given together, put what is near first among what fits equally well. A street whose number is not known is answered as a
     * `street`, a street that is not known as the `commune` it was asked in, with a lower score. There is an answer as soon as
     * a part of the query fits: `matched` and `unmatched` say which words, and only where all were found, and one place alone
     * is called so, is `score` above 0.8. A street without its town scores at most 0.79 where the streets of other communes
     * are not loaded. `ambiguous` says that several may be meant, `fuzzy` that an answer is spelt otherwise. Show `label`. A
     * cadastral reference gives its `parcel`, with `idu`; a `housenumber` has the `idu` of the parcel at its point, or of the
     * nearest one, and `distanceM`. Nothing found is an empty list, with status 200; `hint` names the right operation for a
     * département, a région or coordinates, and says why nothing was found.
     */
    searchAddress(query: Query<"search_address">): Promise<Schemas["FoundPlaces"]>;
    /**
     * Get a commune.
     *
     * A commune with its département, région and area; on request its outline and its statistics.
     * @param code Commune code of INSEE (not the postcode).
     */
    getCommune(code: string, query?: Query<"get_commune">): Promise<Schemas["Commune"]>;
    /**
     * List the départements.
     *
     * Code and name of the 96 metropolitan départements, sorted by code, optionally of one région; on request their
     * population, or figures of fields, by which sort and top order and cut the list; those of the overseas ones are then in
     * overseas. An overseas région answers an empty list.
     */
    listDepartements(query?: Query<"list_departements">): Promise<Schemas["CodeNameList"]>;
    /**
     * Get a département.
     *
     * A metropolitan département with its area and number of communes; on request its outline, its statistics and its
     * communes. Overseas codes (971 to 976) answer 404.
     * @param code Code of the département; `2A` and `2B` for Corsica. Overseas codes (971 to 976) answer 404.
     */
    getDepartement(code: string, query?: Query<"get_departement">): Promise<Schemas["Departement"]>;
    /**
     * Find the parcel at a point.
     *
     * The cadastral parcel that covers the point; on request its polygon. The point of an address often lies in the street,
     * which has no parcel: with `maxDistance` the nearest parcel within so many metres is answered there, with `match` nearest
     * and `distanceM`.
     */
    getParcelAtPoint(query: Query<"get_parcel_at_point">): Promise<Schemas["Parcelle"]>;
    /**
     * Get a parcel.
     *
     * A cadastral parcel by its reference (IDU); on request its polygon. A parcel that is gone answers 404 with the parcels
     * that took its place.
     * @param idu Cadastral reference (IDU): commune code, 3-digit prefix, 2-character section, 4-digit number. Other ways of
     * writing it are read: 93010 J 236, section AY 71 Bondy.
     */
    getParcel(idu: string, query?: Query<"get_parcel">): Promise<Schemas["Parcelle"]>;
    /**
     * Get the full report of a parcel.
     *
     * Everything public that bears on one parcel, each key from its source. `states` says why a key is null or empty. Never
     * cached, with a tighter limit per minute.
     * @param idu Cadastral reference (IDU): commune code, 3-digit prefix, 2-character section, 4-digit number. Other ways of
     * writing it are read: 93010 J 236, section AY 71 Bondy.
     */
    getParcelEnrichments(idu: string, query?: Query<"get_parcel_enrichments">): Promise<Schemas["Enrichments"]>;
    /**
     * List the 18 régions.
     *
     * Code and name of the 18 régions, sorted by code, without geometry; on request their population, or figures of fields, by
     * which sort and top order and cut the list.
     */
    listRegions(query?: Query<"list_regions">): Promise<Schemas["CodeNameList"]>;
    /**
     * Get a région.
     *
     * A région with its area and counts; on request its outline, its statistics and its départements.
     * @param code Code of the région in the current Code officiel géographique.
     */
    getRegion(code: string, query?: Query<"get_region">): Promise<Schemas["Region"]>;
}
