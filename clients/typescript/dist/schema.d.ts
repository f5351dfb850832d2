// Made by generate.mjs from the OpenAPI document of the API.
export interface paths {
    "/api/v1": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe the service
         * @description What the service is, its endpoints, plans and how to get a key. Needs no key.
         */
        get: operations["get_index"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/adresses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find an address, a locality or a commune
         * @description Addresses and places that fit the query, best first, with the code of the commune and coordinates. `lat` and `lon`, given together, put what is near first among what fits equally well. A street whose number is not known is answered as a `street`, a street that is not known as the `commune` it was asked in, with a lower score. There is an answer as soon as a part of the query fits: `matched` and `unmatched` say which words, and only where all were found, and one place alone is called so, is `score` above 0.8. A street without its town scores at most 0.79 where the streets of other communes are not loaded. `ambiguous` says that several may be meant, `fuzzy` that an answer is spelt otherwise. Show `label`. A cadastral reference gives its `parcel`, with `idu`; a `housenumber` has the `idu` of the parcel at its point, or of the nearest one, and `distanceM`. Nothing found is an empty list, with status 200; `hint` names the right operation for a département, a région or coordinates, and says why nothing was found.
         */
        get: operations["search_address"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/communes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the communes of a département, rank those of France, or find the one at a point
         * @description With `departement` or `epci`: code and name of its communes, with `codes` of those that it names, sorted by code, with `name` of those that have it in their name, with `fields` their figures, by which `sort` and `top` order and cut the list, and with `minPopulation` of those of so many inhabitants or more. With `sort` and `top` and no `departement`: the first communes of France, or of `region`, by a figure. With `lat` and `lon`: the commune that contains the point, with the include values of a commune. One of these is required.
         */
        get: operations["find_communes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/communes/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a commune
         * @description A commune with its département, région and area; on request its outline and its statistics.
         */
        get: operations["get_commune"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/departements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the départements
         * @description Code and name of the 96 metropolitan départements, sorted by code, optionally of one région; on request their population, or figures of fields, by which sort and top order and cut the list; those of the overseas ones are then in overseas. An overseas région answers an empty list.
         */
        get: operations["list_departements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/departements/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a département
         * @description A metropolitan département with its area and number of communes; on request its outline, its statistics and its communes. Overseas codes (971 to 976) answer 404.
         */
        get: operations["get_departement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/parcelles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find the parcel at a point
         * @description The cadastral parcel that covers the point; on request its polygon. The point of an address often lies in the street, which has no parcel: with `maxDistance` the nearest parcel within so many metres is answered there, with `match` nearest and `distanceM`.
         */
        get: operations["get_parcel_at_point"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/parcelles/{idu}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a parcel
         * @description A cadastral parcel by its reference (IDU); on request its polygon. A parcel that is gone answers 404 with the parcels that took its place.
         */
        get: operations["get_parcel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/parcelles/{idu}/enrichments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the full report of a parcel
         * @description Everything public that bears on one parcel, each key from its source. `states` says why a key is null or empty. Never cached, with a tighter limit per minute.
         */
        get: operations["get_parcel_enrichments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/regions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the 18 régions
         * @description Code and name of the 18 régions, sorted by code, without geometry; on request their population, or figures of fields, by which sort and top order and cut the list.
         */
        get: operations["list_regions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/regions/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a région
         * @description A région with its area and counts; on request its outline, its statistics and its départements.
         */
        get: operations["get_region"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Absence: {
            /**
             * @description Codes of the first of them, 30 at most.
             * @example [
             *       "971"
             *     ]
             */
            codes: string[];
            /**
             * Format: int64
             * @description How many items.
             * @example 3
             */
            count: number;
            /**
             * @description The field.
             * @example medianIncome
             */
            field: string;
            /**
             * @description Why, in a sentence, where it is known.
             * @example The producer has not published it for the territory of today.
             */
            reason?: string;
            /**
             * @description Why, in a word.
             * @enum {string}
             */
            state: "none" | "not_loaded" | "not_covered" | "secret" | "not_applicable";
        };
        Address: {
            /** @description Whether it is the address that was asked for by the parameter address, in address alone; false: that one is not among those of the parcel, which has this one instead. Absent where none was asked for. */
            asked?: boolean;
            /** @description whether the commune certified the address */
            certified: boolean | null;
            /**
             * @description Code of the commune of the address.
             * @example 93010
             */
            codeInsee: string | null;
            /** @description Name of the commune of the address. */
            commune: string | null;
            /**
             * Format: int64
             * @description metres from the parcel; 0 inside
             */
            distanceM: number;
            /**
             * @description Number with its suffix; null where it has none.
             * @example 12 bis
             */
            housenumber: string | null;
            /**
             * @description identifier in the Base Adresse Nationale
             * @example 93010_i7xf1o_00012
             */
            id: string;
            /**
             * @description The whole address in one line, to be shown.
             * @example 12 bis Rue Jules Guesde 93140 Bondy
             */
            label: string;
            /**
             * Format: double
             * @description degrees, WGS84
             */
            lat: number;
            /**
             * Format: double
             * @description degrees, WGS84
             */
            lon: number;
            /**
             * @description why it is matched with this parcel: its position lies inside, the producer links it to the parcel, or this is the parcel nearest to its position, up to 50 m away, as the search gives it; near, in address alone: it is only near, and of another parcel
             * @enum {string}
             */
            match: "inside" | "cadastre" | "nearest" | "near";
            /** @description what the position marks: entrée, bâtiment, parcelle, segment… */
            positionType: string | null;
            /**
             * @description Postcode.
             * @example 93140
             */
            postcode: string | null;
            /** @description street or locality */
            street: string | null;
        };
        AerodromeEasement: {
            /**
             * @description The aerodrome, as named in the file.
             * @example Montpellier-Méditerranée
             */
            aerodrome: string | null;
            /**
             * @description PEB: noise exposure plan.
             * @example PEB
             */
            kind: string;
            /**
             * Format: double
             * @description Share of the parcel inside it, in percent.
             * @example 100
             */
            sharePct: number;
            /**
             * @description Noise zone, A (loudest) to D.
             * @example C
             */
            zone: string | null;
        };
        Airport: {
            /**
             * Format: int64
             * @description Distance from the parcel to the reference point of the airport, in metres.
             */
            distanceM: number;
            /**
             * @description IATA code.
             * @example MPL
             */
            iata: string | null;
            /**
             * @description ICAO code.
             * @example LFMT
             */
            icao: string | null;
            /** @description Name of the airport. */
            name: string;
            /** @description True where the list says that airlines fly there on a timetable; null where no loaded list says so: it may be an airfield without them. */
            scheduledFlights: boolean | null;
        };
        Authentication: {
            /**
             * @description The same as a bearer token.
             * @example Authorization: Bearer <API_KEY>
             */
            bearer: string;
            /**
             * @description Header that takes the key.
             * @example X-API-Key
             */
            header: string;
            /** @description How to get a key. */
            obtain: string;
            /**
             * @description The same in the URL; a header is safer, URLs end up in logs.
             * @example api_key=<API_KEY>
             */
            query: string;
            /** @description True: every endpoint but this one needs a key. */
            required: boolean;
        };
        BodyPopulation: {
            /**
             * Format: int64
             * @description Municipal population, inhabitants: the sum of those of its communes, all of one census year.
             * @example 7096258
             */
            municipal: number;
            /** @description What the number is. */
            note: string;
            /**
             * @description Producer and title of the populations of the communes.
             * @example INSEE, Populations légales
             */
            source: string;
            /**
             * Format: int64
             * @description Census year.
             * @example 2023
             */
            year: number;
        };
        Building: {
            /**
             * Format: int64
             * @description Year of construction (land tax, by BD TOPO).
             */
            builtYear: number | null;
            /**
             * @description Whether BD TOPO has it.
             * @enum {string}
             */
            details: "matched" | "unmatched" | "not_loaded";
            /**
             * Format: int64
             * @description Number of homes in the whole building (BD TOPO).
             */
            dwellings: number | null;
            /**
             * Format: int64
             * @description Number of floors, of its highest part (BD TOPO).
             */
            floors: number | null;
            /**
             * Format: double
             * @description m² of its outline on the parcel
             */
            footprintM2: number | null;
            /**
             * Format: double
             * @description metres up to the gutter, of its highest part (BD TOPO)
             */
            heightM: number | null;
            /**
             * Format: double
             * @description % of the parcel that it covers
             */
            parcelSharePct: number | null;
            /**
             * @description Identifier in the register.
             * @example DT73MF7NDE8M
             */
            rnbId: string;
            /** @description Second use, in the words of BD TOPO. */
            secondUse: string | null;
            /**
             * Format: double
             * @description % of the building that lies on the parcel
             */
            sharePct: number;
            /**
             * @description State.
             * @enum {string}
             */
            status: "constructed" | "ongoingChange" | "notUsable";
            /**
             * @description Use, in the words of BD TOPO.
             * @example Résidentiel
             */
            use: string | null;
        };
        CatnatOrder: {
            /**
             * @description Last day of the event
             * @example 2014-09-30
             */
            end: string | null;
            /**
             * @description Day of the order
             * @example 2014-10-08
             */
            orderDate: string | null;
            /**
             * @description Day of its publication in the Journal officiel
             * @example 2014-10-11
             */
            publishedOn: string | null;
            /**
             * @description Kind of disaster, in the words of the order
             * @example Inondations et/ou Coulées de Boue
             */
            risk: string;
            /**
             * @description First day of the event
             * @example 2014-09-29
             */
            start: string | null;
        };
        Cavity: {
            /**
             * Format: int64
             * @description Metres from the parcel
             */
            distanceM: number;
            /**
             * @description Identifier of the producer.
             * @example AQIAA0020001
             */
            id: string;
            /** @description Name of the cavity. */
            name: string | null;
            /**
             * Format: double
             * @description Uncertainty of the position, in metres
             */
            precisionM: number | null;
            /**
             * @description State of the cavity, in the words of the producer.
             * @example abandon
             */
            status: string | null;
            /**
             * @description Kind of cavity, in the words of the producer.
             * @example carrière
             */
            type: string | null;
        };
        ChargingStation: {
            /**
             * Format: int64
             * @description Distance from the parcel, in metres.
             */
            distanceM: number;
            /** @description True when charging is free at every point. */
            free: boolean | null;
            /**
             * Format: double
             * @description Highest power of its charge points, in kilowatts.
             * @example 50
             */
            maxPowerKw: number | null;
            /** @description Name of the station. */
            name: string | null;
            /** @description Its operator; the brand where no operator is given. */
            operator: string | null;
            /**
             * Format: int64
             * @description Number of its charge points.
             * @example 4
             */
            points: number;
            /**
             * @description Identifier of the station; its name and place where it has none.
             * @example FRS34P34172001
             */
            stationId: string;
            /**
             * @description Date of the last change of its data.
             * @example 2024-05-08
             */
            updated: string | null;
        };
        CodeName: {
            /** @description Code of a région or département. */
            code?: string;
            /** @description Code of a commune (not the postcode). */
            codeInsee?: string;
            /** @description Name of the territory. */
            name: string;
            /** @description Only with include=population, in lists of régions and départements. */
            population?: components["schemas"]["Inhabitants"];
            /** @description The fields whose figure is of fewer than 200 persons, dwellings or votes: one more or less moves it, and its place in the list. */
            smallBase?: string[];
            /** @description By field, source and year of a figure that has others than those of the list. */
            sources?: {
                [key: string]: components["schemas"]["StatsOrigin"];
            };
            /**
             * @description Only in unranked: why there is no figure; the territory's own states say it in a sentence.
             * @enum {string}
             */
            state?: "none" | "not_loaded" | "not_covered" | "secret" | "not_applicable";
            /** @description Only with fields: by field, the value; null where there is none, and the territory's own states say why. */
            stats?: {
                [key: string]: unknown;
            };
        };
        CodeNameList: {
            /** @description Only with fields or sort: of the figures that some items of data have and others have not, why, by field and reason. states has those that none has. */
            absent?: components["schemas"]["Absence"][];
            /**
             * Format: int64
             * @description Number of items.
             */
            count: number;
            /** @description The items, sorted by code unless sort names a figure. */
            data: components["schemas"]["CodeName"][];
            /** @description Only with epci: the intercommunal body whose communes these are. */
            epci?: components["schemas"]["NamedBody"];
            /** @description true: no name holds what was asked for; these do but for one typing error. */
            fuzzy?: boolean;
            /** @description Only with fields or sort: by field whose figures in data are of several years, these years. Their order compares different years; sources of an item names its own. */
            mixedYears?: {
                [key: string]: number[];
            };
            /** @description What the list has not and where it is: overseas départements, and their places if they were in data; arrondissements that are called so as name says; in place of a figure that is not loaded one that is; where no commune is called so, the search. */
            note?: string;
            /** @description Only with fields or sort in lists of départements: the overseas ones, which are not in data, with the same figures in the same order. /departements/{code} has none of them. */
            overseas?: components["schemas"]["CodeName"][];
            /** @description Only with fields: by field, source and year of its figures. */
            sources?: {
                [key: string]: components["schemas"]["StatsOrigin"];
            };
            /** @description Only with fields: by field that no item has a value of, why. */
            states?: {
                [key: string]: components["schemas"]["KeyState"];
            };
            /** @description Only where top has cut the list: those after the last item of data that have the same figure as it. */
            tiedWithLast?: components["schemas"]["Ties"];
            /**
             * Format: int64
             * @description How many there are, where top has cut the list.
             */
            total?: number;
            /** @description Only with top: those of withoutFigure that are not in data, 10 at most, by code, each with its state. */
            unranked?: components["schemas"]["CodeName"][];
            /** @description true: unranked does not name all of withoutFigure that are not in data. */
            unrankedTruncated?: boolean;
            /**
             * Format: int64
             * @description Only with sort: how many have no such figure. They come last; their true rank is unknown. Where none has it, data is empty, or not sorted where fields names another figure and top is not given.
             */
            withoutFigure?: number;
            /** @description Only where communes of France or a région are ranked: the départements of those of withoutFigure, the one of most first. What is first in data may not be first in France where whole départements are among them. */
            withoutFigureIn?: components["schemas"]["DepartementCount"][];
        };
        Commune: {
            /**
             * Format: double
             * @description Land area in km², two decimals: that which INSEE publishes; where it publishes none, the area of the outline. Null where neither is loaded.
             * @example 5.47
             */
            areaKm2: number | null;
            /**
             * @description Producer and title of the land area in areaKm2; null where areaKm2 is that of the outline.
             * @example INSEE, Comparateur de territoires, superficie
             */
            areaSource: string | null;
            /**
             * Format: int64
             * @description Edition of that data set; null where areaSource is.
             * @example 2021
             */
            areaYear: number | null;
            /** @description Only of a point in Paris, Lyon or Marseille: the arrondissement that it lies in. Its own figures are answered by its code. */
            arrondissement?: components["schemas"]["NamedCommune"];
            /** @description Only of an arrondissement of Paris, Lyon or Marseille, which has a code of its own (75118): the commune that it is part of. Its statistics are its own, and null where they are known of the city alone. */
            arrondissementOf?: components["schemas"]["NamedCommune"];
            /** @description Only with include=bbox: the bounding box of the whole outline in WGS84, west, south, east, north (RFC 7946). Null where no outline is loaded. */
            bbox?: number[] | null;
            /** @description Only with include=centre: a position inside the outline, or on it: the centroid of its largest part where that is inside. Null where no outline is loaded. */
            centre?: components["schemas"]["Position"] | null;
            /** @description The département and the région whose chef-lieu (préfecture) it is; empty: it is none. Sous-préfectures are in no loaded file. Null where that is not loaded. */
            chefLieuOf: components["schemas"]["Seat"][] | null;
            /**
             * @description Commune code of INSEE (not the postcode).
             * @example 93010
             */
            codeInsee: string;
            /**
             * @description 971 to 976 overseas.
             * @example 93
             */
            deptCode: string | null;
            /**
             * @description Name of the département.
             * @example Seine-Saint-Denis
             */
            deptName: string | null;
            /** @description The communes that became part of it since 1943 and were not restored, the newest first; also the one whose code it has, where it is a commune nouvelle or took another name in the merger. Null where the movements of communes are not loaded. */
            formerCommunes: components["schemas"]["FormerCommune"][] | null;
            /** @description Outline in WGS84 (GeoJSON geometry, longitude first, at most 7 decimals). */
            geometry?: {
                coordinates: number[][][];
                /** @enum {string} */
                type: "Polygon";
            } | {
                coordinates: number[][][][];
                /** @enum {string} */
                type: "MultiPolygon";
            } | null;
            /**
             * @description Kind of territory.
             * @enum {string}
             */
            kind: "commune";
            /**
             * @description Name of the commune.
             * @example Bondy
             */
            name: string;
            /** @description Only where fields names it: the communes that touch it. */
            neighbours?: components["schemas"]["Neighbours"];
            /** @description Only of a point that is as near to another commune as outlines are imprecise: which one. */
            note?: string;
            /** @description Only with include=geometry: what the outline is. */
            outline?: components["schemas"]["OutlineOrigin"];
            /**
             * Format: double
             * @description Geodesic area of the outline in km², two decimals, with lakes, ponds and estuaries; null where no outline is loaded.
             */
            outlineAreaKm2: number | null;
            /** @description Only with include=stats or fields: how many parcels the cadastre has of it, in how many sections. */
            parcels?: components["schemas"]["CommuneParcels"];
            /**
             * @description Its postcodes, sorted; other communes may share them.
             * @example [
             *       "93140"
             *     ]
             */
            postcodes: string[];
            /**
             * @description Code of the région.
             * @example 11
             */
            regionCode: string | null;
            /**
             * @description Name of the région.
             * @example Île-de-France
             */
            regionName: string | null;
            /** @description Next to stats: for each of its keys why it has a value or none; of a value a part of which comes from sources of its own and is null, also why that is, as key.part. */
            states?: {
                [key: string]: components["schemas"]["KeyState"];
            };
            /** @description Only with include=stats or fields; every key of the level, or those that fields names. */
            stats?: {
                /** @description Regulated pollutants. Ozone is the mean of the peak season's daily maxima of 8-hour means, not an annual mean. */
                airQuality?: components["schemas"]["StatsAirQuality"] | null;
                /** @description Mobile-network supports and 5G. */
                anfr?: components["schemas"]["StatsMobileNetworks"] | null;
                /** @description Accessibility of general practitioners: consultations per standardised inhabitant per year. */
                apl?: components["schemas"]["StatsDoctors"] | null;
                /** @description Natural-disaster orders for the commune: their number by kind, and the newest. */
                catnat?: components["schemas"]["StatsCatnat"] | null;
                /** @description Yearly mean temperature against the mean of 1991 to 2020. */
                climateAnomaly?: components["schemas"]["StatsClimateAnomaly"] | null;
                /** @description Risks listed for the commune in the register of its département. */
                communeRisks?: components["schemas"]["StatsCommuneRisks"] | null;
                /** @description Turnout and results of the newest elections of each kind. */
                election?: components["schemas"]["StatsElections"] | null;
                /** @description Activity and unemployment of those aged 15 to 64, and of the zone d'emploi. */
                emploi?: components["schemas"]["StatsEmployment"] | null;
                /** @description The intercommunal body with own taxes that the commune belongs to: its code, name and population. Other figures of bodies are not served. */
                epci?: components["schemas"]["StatsEPCI"] | null;
                /** @description Facilities of every type of the edition of 2013, in the words of the producer; types that the commune has none of are left out. */
                equipementTypes?: components["schemas"]["StatsFacilityTypes"] | null;
                /** @description Facilities open to the public: their number by family. */
                equipements?: components["schemas"]["StatsFacilities"] | null;
                /** @description Municipal accounts, one entry a year, oldest first, in euros. */
                finances?: components["schemas"]["StatsFinanceYear"][] | null;
                /** @description Elevation, distance to coast and mountains. */
                geography?: components["schemas"]["StatsGeography"] | null;
                /** @description Classified installations of the commune: their number by regime, and the first of them. */
                icpe?: components["schemas"]["StatsIcpe"] | null;
                /** @description Housing stock per census year, vacant dwellings and second homes. */
                logement?: components["schemas"]["StatsHousing"] | null;
                /** @description Main residences: tenure, rooms, building period, heating. */
                logementRP?: components["schemas"]["StatsMainResidences"] | null;
                /** @description The mayor, as the national register had it on the day asOf. */
                maire?: components["schemas"]["StatsMayorInOffice"] | null;
                /** @description Trend of three municipal elections on the same scale. */
                municipalWave?: components["schemas"]["StatsMunicipalWave"] | null;
                /** @description The nearest hospital, school, station and supermarket by name, from the middle of the commune as the crow flies. */
                namedServices?: components["schemas"]["StatsNamedServices"] | null;
                /** @description The passenger station of the commune that is nearest to a point in its middle; where none lies in it, the nearest within 50 km. All that lie in it. */
                nearestGare?: components["schemas"]["StatsNearestStation"] | null;
                /** @description Pests that were reported. What is not listed was not reported, which is not the same as absent. */
                nuisibles?: components["schemas"]["StatsPest"][] | null;
                /** @description Permits granted by year. */
                permits?: components["schemas"]["StatsPermits"] | null;
                /** @description Left/right position derived from first rounds of national elections: -1 is far left, +1 far right. The method is published. */
                politicalScore?: components["schemas"]["StatsPoliticalScore"] | null;
                /** @description Former industrial sites of the commune: their number by state, and the first of them. */
                pollutedSites?: components["schemas"]["StatsPollutedSites"] | null;
                /** @description Inhabitants: in force, per census year, and how their number changes. */
                population?: components["schemas"]["StatsPopulation"] | null;
                /** @description Trend of three presidential elections on the same scale, against the nation. */
                presidentialWave?: components["schemas"]["StatsPresidentialWave"] | null;
                /** @description Prices of the houses and flats that were sold in the commune, in the last five years of the data: medians by type, year and number of rooms (6: six or more). */
                prices?: components["schemas"]["StatsPrices"] | null;
                /** @description Priority urban districts (QPV) of the commune: how many, their codes and names. */
                qpv?: components["schemas"]["StatsCommuneDistricts"] | null;
                /** @description Radon potential of the commune, or of the arrondissement; of Paris, Lyon and Marseille the highest of their arrondissements, as `of` says. */
                radon?: components["schemas"]["StatsRadon"] | null;
                /** @description National and départemental ranks. */
                rankings?: components["schemas"]["StatsCommuneRankings"] | null;
                /** @description Disposable income of the inhabitants: median, poverty rate, deciles. */
                revenus?: components["schemas"]["StatsIncome"] | null;
                /** @description Schools of the commune with success rates and social position: their number by level, and the first of them. */
                schools?: components["schemas"]["StatsSchools"] | null;
                /** @description Offences recorded by police and gendarmerie, where they took place. The figures depend on what is reported and on police presence. */
                securite?: components["schemas"]["StatsSafety"] | null;
                /** @description Regulatory seismic zone of the commune, or of the arrondissement. */
                seisme?: components["schemas"]["StatsSeisme"] | null;
                /** @description Where the values are from that are plain numbers or lists, by key. */
                sources: {
                    [key: string]: components["schemas"]["StatsOrigin"];
                };
                /** @description Travel times to Paris and to the préfecture, by road and rail. */
                travelTime?: components["schemas"]["StatsTravelTime"] | null;
                /** @description Conformity of tap water over the last twelve months of control. */
                waterQuality?: components["schemas"]["StatsWaterQuality"] | null;
            };
        };
        CommuneParcels: {
            /** @description Only where fields names parcels: the sections by code, prefix and name, at most 200. */
            bySection?: components["schemas"]["SectionParcels"][];
            /** @description Only where fields names parcels: the ten largest, by the recorded area (contenance), or by that of the outline (outlineAreaM2) where the two differ by more than a factor of 2 or none is recorded. */
            largest?: components["schemas"]["LargeParcel"][];
            /** @description Why total is null, in a sentence. */
            reason?: string;
            /**
             * Format: int64
             * @description Number of sections; those of former communes count apart, by their prefix. Null where total is.
             * @example 58
             */
            sections: number | null;
            /**
             * @description Whether they are known, or why not.
             * @enum {string}
             */
            state: "value" | "not_loaded" | "not_covered";
            /**
             * Format: int64
             * @description Number of parcels; null unless all of them are loaded.
             * @example 7124
             */
            total: number | null;
            /**
             * @description Edition of the cadastre, a day, of several the newest; null where the file does not say, or total is null.
             * @example 2025-01-01
             */
            vintage: string | null;
        };
        CommuneRisk: {
            /**
             * @description Code of the risk: two digits are a family, more are a detail of it
             * @example 11
             */
            code: string;
            /**
             * @description Name of the risk.
             * @example Inondation
             */
            label: string;
        };
        Condominium: {
            /** @description Address of reference. */
            address: string | null;
            /**
             * @description Period of construction.
             * @example DE_1961_A_1974
             */
            builtPeriod: string | null;
            /**
             * Format: int64
             * @description Lots that are homes.
             */
            housingLots: number | null;
            /**
             * Format: int64
             * @description Lots that are homes, offices or shops.
             */
            mainLots: number | null;
            /** @description Name in use; null where it has none, or that of a person. */
            name: string | null;
            /**
             * Format: int64
             * @description How many parcels it has, as it told the register.
             */
            parcelCount: number | null;
            /** @description Parcels that the register names, three at most. */
            parcels: string[];
            /**
             * Format: int64
             * @description Lots that are parking spaces.
             */
            parkingLots: number | null;
            /**
             * @description Number in the register.
             * @example AA0000001
             */
            registrationNumber: string;
            /** @description Name of a syndic that is a legal person. */
            syndic: string | null;
            /** @description SIREN of that syndic. */
            syndicSiren: string | null;
            /**
             * @description Who manages it.
             * @enum {string|null}
             */
            syndicType: "professional" | "volunteer" | null;
            /**
             * Format: int64
             * @description Lots of any use.
             */
            totalLots: number | null;
            /**
             * @description Day of the last change.
             * @example 2026-03-14
             */
            updatedOn: string | null;
        };
        Departement: {
            /**
             * Format: double
             * @description Land area in km², two decimals: that which INSEE publishes, the sum of its communes; where it is not known of one of them, the area of the outline. Null where neither is loaded.
             * @example 236.2
             */
            areaKm2: number | null;
            /**
             * @description Producer and title of the land area in areaKm2; null where areaKm2 is that of the outline.
             * @example INSEE, Comparateur de territoires, superficie
             */
            areaSource: string | null;
            /**
             * Format: int64
             * @description Edition of that data set; null where areaSource is.
             * @example 2021
             */
            areaYear: number | null;
            /** @description Only with include=bbox: the bounding box of the whole outline in WGS84, west, south, east, north (RFC 7946). Null where no outline is loaded. */
            bbox?: number[] | null;
            /** @description Only with include=centre: a position inside the outline, or on it: the centroid of its largest part where that is inside. Null where no outline is loaded. */
            centre?: components["schemas"]["Position"] | null;
            /** @description The commune that is its chef-lieu (préfecture). Null where it is not loaded. */
            chefLieu: components["schemas"]["NamedCommune"] | null;
            /**
             * @description 2A and 2B in Corsica.
             * @example 93
             */
            code: string;
            /**
             * Format: int64
             * @description How many communes it has.
             * @example 39
             */
            communeCount: number;
            /** @description Only with include=communes. */
            communes?: components["schemas"]["CodeNameList"];
            /** @description Outline in WGS84 (GeoJSON geometry, longitude first, at most 7 decimals). */
            geometry?: {
                coordinates: number[][][];
                /** @enum {string} */
                type: "Polygon";
            } | {
                coordinates: number[][][][];
                /** @enum {string} */
                type: "MultiPolygon";
            } | null;
            /**
             * @description Kind of territory.
             * @enum {string}
             */
            kind: "departement";
            /**
             * @description Name of the département.
             * @example Seine-Saint-Denis
             */
            name: string;
            /** @description Only with include=geometry: what the outline is. */
            outline?: components["schemas"]["OutlineOrigin"];
            /**
             * Format: double
             * @description Geodesic area of the outline in km², two decimals, with lakes, ponds and estuaries; null where no outline is loaded.
             */
            outlineAreaKm2: number | null;
            /**
             * @description Code of the région.
             * @example 11
             */
            regionCode: string | null;
            /**
             * @description Name of the région.
             * @example Île-de-France
             */
            regionName: string | null;
            /** @description Next to stats: for each of its keys why it has a value or none; of a value a part of which comes from sources of its own and is null, also why that is, as key.part. */
            states?: {
                [key: string]: components["schemas"]["KeyState"];
            };
            /** @description Only with include=stats or fields; every key of the level, or those that fields names. */
            stats?: {
                /** @description Accessibility of general practitioners: consultations per standardised inhabitant per year. */
                apl?: components["schemas"]["StatsDoctors"] | null;
                /** @description Births and deaths of a year, by where people lived, oldest first. Where they are not published for the territory, they are the sums of its communes. */
                births?: components["schemas"]["StatsYearBirths"][] | null;
                /** @description Yearly mean temperature against the mean of 1991 to 2020. */
                climateAnomaly?: components["schemas"]["StatsClimateAnomaly"] | null;
                /** @description Offences recorded per 1 000 inhabitants: the sum of eleven series (ten by the labels of 2024) in which no act counts twice (method sum10-v1). sources.crimeRate.definition names them. */
                crimeRate?: number | null;
                /**
                 * @description Year of crimeRate; null where that is. The others may be of other years.
                 * @example 2023
                 */
                crimeRateYear?: number | null;
                /** @description Natural and migratory balance, births and deaths per period between two censuses, oldest first. */
                demography?: components["schemas"]["StatsDemographyPeriod"][] | null;
                /** @description Turnout and results of the newest elections of each kind. */
                election?: components["schemas"]["StatsElections"] | null;
                /** @description Activity and unemployment of those aged 15 to 64. */
                emploi?: components["schemas"]["StatsEmployment"] | null;
                /** @description Facilities open to the public, all kinds. */
                equipements?: number | null;
                /** @description Facilities by family. */
                equipementsDetail?: components["schemas"]["StatsFacilities"] | null;
                /**
                 * @description Year of equipements; null where that is. The others may be of other years.
                 * @example 2023
                 */
                equipementsYear?: number | null;
                /** @description Accounts of the département, one entry a year, oldest first, in euros. */
                finances?: components["schemas"]["StatsFinanceYear"][] | null;
                /** @description Life expectancy at birth, in years. */
                lifeExpectancy?: components["schemas"]["StatsLifeExpectancy"] | null;
                /** @description Housing stock per census year, vacant dwellings and second homes. */
                logement?: components["schemas"]["StatsHousing"] | null;
                /** @description Main residences: tenure, rooms, building period, heating. */
                logementRP?: components["schemas"]["StatsMainResidences"] | null;
                /** @description Median disposable income per consumption unit, euros a year. */
                medianIncome?: number | null;
                /**
                 * @description Year of medianIncome; null where that is. The others may be of other years.
                 * @example 2023
                 */
                medianIncomeYear?: number | null;
                /** @description Trend of three municipal elections on the same scale. */
                municipalWave?: components["schemas"]["StatsMunicipalWave"] | null;
                /** @description Left/right position derived from first rounds of national elections. */
                politicalScore?: components["schemas"]["StatsPoliticalScore"] | null;
                /** @description Municipal population, newest. */
                population?: number | null;
                /** @description Change of the municipal population between two census years, at least five years apart. */
                populationChange?: components["schemas"]["StatsChange"] | null;
                /** @description Inhabitants per census year, oldest first. */
                populationTimeline?: components["schemas"]["StatsYearPopulation"][] | null;
                /**
                 * @description Year of population; null where that is. The others may be of other years.
                 * @example 2023
                 */
                populationYear?: number | null;
                /** @description Share of the inhabitants below 60 % of the national median, in percent. */
                povertyRate?: number | null;
                /**
                 * @description Year of povertyRate; null where that is. The others may be of other years.
                 * @example 2023
                 */
                povertyRateYear?: number | null;
                /** @description Trend of three presidential elections on the same scale, against the nation. */
                presidentialWave?: components["schemas"]["StatsPresidentialWave"] | null;
                /** @description Ranks among the 101 départements. */
                rankings?: components["schemas"]["StatsRankings"] | null;
                /** @description Disposable income of the inhabitants: median, poverty rate, deciles. */
                revenus?: components["schemas"]["StatsIncome"] | null;
                /** @description Offences recorded by police and gendarmerie. Those of a région are the sums of its départements where the producer's own are older. */
                securite?: components["schemas"]["StatsSafety"] | null;
                /** @description Where the values are from that are plain numbers or lists, by key. */
                sources: {
                    [key: string]: components["schemas"]["StatsOrigin"];
                };
                /** @description Dwellings, newest census year. */
                totalHousing?: number | null;
                /**
                 * @description Year of totalHousing; null where that is. The others may be of other years.
                 * @example 2023
                 */
                totalHousingYear?: number | null;
                /** @description Localised unemployment rate (ILO), newest quarter, in percent. Where none is loaded rankings.censusUnemploymentRate has that of the census, which is higher. */
                unemploymentRate?: number | null;
                /**
                 * @description Year of unemploymentRate; null where that is. The others may be of other years.
                 * @example 2023
                 */
                unemploymentRateYear?: number | null;
                /** @description Vacant dwellings, newest census year. */
                vacantHousing?: number | null;
                /**
                 * @description Year of vacantHousing; null where that is. The others may be of other years.
                 * @example 2023
                 */
                vacantHousingYear?: number | null;
            };
        };
        DepartementCount: {
            /**
             * @description Code of the département.
             * @example 973
             */
            code: string;
            /**
             * Format: int64
             * @description How many of its communes.
             * @example 14
             */
            count: number;
            /**
             * @description Name of the département.
             * @example Guyane
             */
            name: string;
        };
        Diagnostic: {
            /**
             * @description Kind of building, in the words of the producer.
             * @example maison
             */
            buildingType: string | null;
            /**
             * @description Period in which it was built.
             * @example 1948-1974
             */
            builtPeriod: string | null;
            /**
             * Format: int64
             * @description Year in which it was built.
             */
            builtYear: number | null;
            /**
             * Format: double
             * @description kWh of primary energy per m² and year
             */
            consumptionKwhM2: number | null;
            /**
             * @description Day on which it was established.
             * @example 2023-09-14
             */
            date: string;
            /**
             * Format: int64
             * @description metres from the parcel; null when the diagnostic has no position
             */
            distanceM: number | null;
            /**
             * Format: double
             * @description kg CO₂ per m² and year
             */
            emissionsKgM2: number | null;
            /**
             * @description Class of energy use, from A to G.
             * @enum {string}
             */
            energyClass: "A" | "B" | "C" | "D" | "E" | "F" | "G";
            /**
             * @description class of greenhouse-gas emissions
             * @enum {string|null}
             */
            ghgClass: "A" | "B" | "C" | "D" | "E" | "F" | "G" | null;
            /**
             * @description Number of the diagnostic.
             * @example 2393E0123456A
             */
            id: string;
            /**
             * Format: double
             * @description m²
             */
            livingAreaM2: number | null;
            /**
             * @description address: it has an address of the parcel; near: it lies within 50 m
             * @enum {string}
             */
            match: "address" | "near";
            /** @description Last day on which it is valid. */
            validUntil: string | null;
        };
        District: {
            /**
             * @description Official code.
             * @example QN09312I
             */
            code: string;
            /**
             * @description Official name.
             * @example Blanqui
             */
            name: string | null;
            /**
             * Format: double
             * @description Share of the parcel inside it, in percent.
             * @example 100
             */
            sharePct: number;
        };
        Easement: {
            /**
             * @description Code of its category.
             * @example AC1
             */
            category: string | null;
            /**
             * @description Name of the archive it comes from, without its date where it comes from the national layer.
             * @example 172014607_AC1_2A_20180130
             */
            document: string | null;
            /**
             * @description What is drawn, as in the file.
             * @example Périmètre de protection
             */
            kind: string | null;
            /**
             * @description The object that it protects or originates from.
             * @example Eglise Saint-Dominique
             */
            name: string | null;
            /**
             * Format: double
             * @description Share of the parcel inside it, in percent.
             * @example 100
             */
            sharePct: number;
        };
        Endpoint: {
            /**
             * @description HTTP method.
             * @enum {string}
             */
            method: "GET";
            /**
             * @description Path with its parameters in braces.
             * @example /api/v1/communes/{code}
             */
            path: string;
            /** @description What it does. */
            summary: string;
        };
        Enrichments: {
            /**
             * @description Code of the commune.
             * @example 93010
             */
            codeInsee: string;
            /** @description One member a key of the report, all of them always there unless fields names some. Null where nothing applies, or where no source of the key is loaded for the place; a list is empty where its sources hold nothing for the parcel. */
            enrichments: {
                /** @description Addresses: The best address of the parcel in the Base Adresse Nationale: of those inside the parcel, else of those that the producer connects with it, the certified first, then entrances, then the lowest number; else, of those that have no parcel nearer than this one, the nearest; else the nearest within 50 m. match says which: near is not an address of the parcel. The one that was asked for by address, where the parcel has it, and asked says whether it is that one. Null when there is none. */
                address?: components["schemas"]["Address"] | null;
                /** @description Planning: The noise zones of aerodromes that the parcel lies in, the one that covers most of it first, 20 at most. Aeronautical easements are among those of sup where they are loaded. Overlaps of less than 1 m² that are also less than 0.5 % of the parcel are left out. */
                aerodromeServitude?: components["schemas"]["AerodromeEasement"][] | null;
                /** @description Land and nature: The delimited areas of protected wines that the parcel lies in, the one that covers most of it first, 30 at most. Overlaps of less than 1 m² that are also less than 0.5 % of the parcel are left out. */
                aoc?: components["schemas"]["WineArea"][] | null;
                /** @description Addresses: All addresses inside the parcel, then all that the producer connects with it, then those outside all parcels of which it is the nearest, as the search gives it: match and distanceM say which. The best first, 50 at most. The one that was asked for by address comes first where it is among them, and the others by their distance from it. An address with several positions counts once. Empty when there is none; one that is just near is in address only. */
                banAddresses?: components["schemas"]["Address"][] | null;
                /** @description Risks: Underground cavities within 500 m of the parcel, nearest first, at most 20. Confidential ones and those located only to the commune are left out. */
                bdcaviteNearby?: components["schemas"]["Cavity"][] | null;
                /** @description Land and nature: The type of forest that covers most of the parcel. Null where there is none. Overlaps of less than 1 m² that are also less than 0.5 % of the parcel are left out. */
                bdforet?: components["schemas"]["Forest"] | null;
                /** @description Risks: Recorded ground movements within 500 m of the parcel, nearest first, at most 20. Those located only to the commune are left out. */
                bdmvtNearby?: components["schemas"]["GroundMovement"][] | null;
                /** @description Buildings: Buildings of the national register (RNB) that stand on the parcel, the largest footprint on it first, at most 100. A building of which less than 5 % lies on the parcel is left out, as on the site of the RNB. Height, floors, use, dwellings and year are those of BD TOPO; details says whether BD TOPO has the building, or is not loaded here. A year is given where it was matched well. */
                buildings?: components["schemas"]["Building"][] | null;
                /** @description Risks: Natural-disaster orders for the commune, newest event first, at most 100. Orders for a former commune count for the current commune. */
                catnat?: components["schemas"]["CatnatOrder"][] | null;
                /** @description Land and nature: The class of land cover that covers most of the parcel. The smallest unit drawn is 25 ha: a small parcel gets the class of its surroundings. Overlaps of less than 1 m² that are also less than 0.5 % of the parcel are left out. */
                clc?: components["schemas"]["LandCover"] | null;
                /** @description Risks: Risks listed for the commune in the register of its département: families (two digits) first, then their details, at most 100. */
                communeRisks?: components["schemas"]["CommuneRisk"][] | null;
                /** @description Buildings: Condominiums of the national register that name the parcel, the largest first, at most 50. The lots are those of the whole condominium, which may stand on further parcels. Not every condominium is registered, nor names its parcels: an empty list does not mean a house with one owner. Neither owners nor volunteers are named. */
                condominiums?: components["schemas"]["Condominium"][] | null;
                /** @description Land and nature: The nearest watercourse within 5 km. One with a name is preferred when it is at most twice as far as the nearest of all. Null when there is none. */
                coursEau?: components["schemas"]["Watercourse"] | null;
                /** @description Sales and energy: Energy-performance diagnostics since July 2021 of the addresses of the parcel, else within 50 m, newest first, 20 at most. Replaced ones are left out. */
                dpe?: components["schemas"]["Diagnostic"][] | null;
                /** @description Sales and energy: Sales of this parcel, newest first, 50 at most, one item a mutation. Price in euros for the whole mutation. Null where sales are not published (57, 67, 68, 976). */
                dvf?: components["schemas"]["ParcelSale"][] | null;
                /** @description Sales and energy: Median and quartiles of the price per m² of the comparable sales of one type within 500 m, or 1 000 m when there are fewer than five, in the last five years of the data: an order of magnitude, not a valuation. Null under five sales. Comparable is the sale of exactly one house or flat (outbuildings allowed), of nature Vente, at 100 to 30 000 euros per m². The type is that last sold on the parcel, else the one most sold around it. Sales of the parcel itself count too: their id is that in dvf. Null where sales are not published (57, 67, 68, 976). */
                dvfEstimate?: components["schemas"]["PriceEstimate"] | null;
                /** @description Sales and energy: Comparable sales within 500 m in the last five years of the data, the 20 nearest: distances run from its outline to the point that the file gives the sale. Where fields or theme names the key, also the 20 nearest sales of the other type, houses or flats: type says which. Comparable is the sale of exactly one house or flat (outbuildings allowed), of nature Vente, at 100 to 30 000 euros per m². The type is that last sold on the parcel, else the one most sold around it. Sales of the parcel itself count too: their id is that in dvf. Null where sales are not published (57, 67, 68, 976). */
                dvfNearby?: components["schemas"]["NearbySale"][] | null;
                /** @description Mobility and networks: State of the fibre roll-out at the nearest building within 50 m. Null when no building is that near. */
                fibre?: components["schemas"]["Fibre"] | null;
                /** @description Risks: Marks of past floods within 500 m of the parcel, nearest first, at most 20. A mark has an entry for each flood. */
                floodMarkers?: components["schemas"]["FloodMarker"][] | null;
                /** @description Other: Mean height of the parcel, and its distances to the coast and to the nearest area classed as mountain, in metres. A member is null when its source is not loaded for the place; null as a whole when none of them has a value. */
                geography?: components["schemas"]["Geography"] | null;
                /** @description Planning: The zones of the local plan, the one that covers most of the parcel first, 50 at most. Of several plans of the commune that are loaded the newest is used. Null where no plan of the commune is loaded. Overlaps of less than 1 m² that are also less than 0.5 % of the parcel are left out. */
                gpu?: components["schemas"]["PlanZone"][] | null;
                /** @description Planning: The surface prescriptions of the local plan, the one that covers most of the parcel first, 50 at most; those drawn as lines or points are not loaded. Null where no plan of the commune is loaded. Overlaps of less than 1 m² that are also less than 0.5 % of the parcel are left out. */
                gpuPrescriptions?: components["schemas"]["PlanPrescription"][] | null;
                /** @description Risks: Classified installations within 1 000 m of the parcel, nearest first, at most 50. Those located only to the commune, or not at all, are left out. */
                icpe?: components["schemas"]["Icpe"][] | null;
                /** @description Heritage and economy: Legal persons with a right on the parcel on 1 January of the year of the edition, by right and name, 50 at most. No natural person is in the file. An empty list does not say whose the parcel is: it may be that of natural persons. */
                legalOwners?: components["schemas"]["LegalOwner"][] | null;
                /** @description Heritage and economy: Protected historic monuments within 500 m, by distance, 50 at most. Those without a position are left out. */
                monuments?: components["schemas"]["Monument"][] | null;
                /** @description Services: Facilities within 1 km, counted by domain. Places that are only known to be in a commune are not counted. */
                nearbyServices?: components["schemas"]["NearbyServices"] | null;
                /** @description Mobility and networks: Nearest airport within 200 km with scheduled flights: of those of France, Basel-Mulhouse and Geneva. Where no loaded list says which have such flights, the nearest with an IATA code, and scheduledFlights is null. Null when there is none. */
                nearestAirport?: components["schemas"]["Airport"] | null;
                /** @description Services: Nearest convenience store (supérette, épicerie) within 50 km. Null when there is none. Places that are only known to be in a commune are left out. */
                nearestConvenience?: components["schemas"]["Shop"] | null;
                /** @description Mobility and networks: Nearest passenger station of SNCF within 50 km: stops of metro, tram and bus are none. Null when there is none, and in Corsica, whose stations SNCF does not list. */
                nearestGare?: components["schemas"]["Station"] | null;
                /** @description Mobility and networks: Nearest station within 200 km served by high-speed trains. Null when there is none, or when no list of such stations is loaded. */
                nearestGareTgv?: components["schemas"]["Station"] | null;
                /** @description Services: Nearest hospital within 100 km: general and regional hospitals by their category (FINESS 101, 355) and name, without their outposts (day hospitals, dental, psychiatric and geriatric units). Local and psychiatric hospitals and private clinics are none. Where INSEE's inventory of facilities is loaded, the nearest with an emergency department. Null when there is none. Where only an extract is loaded, the nearest in it. */
                nearestHospital?: components["schemas"]["Hospital"] | null;
                /** @description Services: Nearest hypermarket within 50 km. Null when there is none. Places that are only known to be in a commune are left out. */
                nearestHypermarket?: components["schemas"]["Shop"] | null;
                /** @description Mobility and networks: Nearest charging station for electric vehicles within 20 km, with what is known of all its points. Null when there is none. */
                nearestIrve?: components["schemas"]["ChargingStation"] | null;
                /** @description Services: Nearest marketplace within 50 km. Null when there is none. */
                nearestMarketplace?: components["schemas"]["Shop"] | null;
                /** @description Mobility and networks: Nearest support with active mobile antennas within 20 km, with all operators and generations on it. Null when there is none. */
                nearestMobile?: components["schemas"]["MobileMast"] | null;
                /** @description Services: Nearest multi-professional health centre (603) within 50 km. Null when there is none. */
                nearestMsp?: components["schemas"]["HealthPlace"] | null;
                /** @description Services: Nearest pharmacy (620) within 50 km. Null when there is none. */
                nearestPharmacy?: components["schemas"]["HealthPlace"] | null;
                /** @description Land and nature: The three nearest stations where the quality of rivers is measured, within 20 km, nearest first. */
                nearestRiverWater?: components["schemas"]["RiverStation"][] | null;
                /** @description Services: Nearest supermarket within 50 km. Null when there is none. Places that are only known to be in a commune are left out. */
                nearestSupermarket?: components["schemas"]["Shop"] | null;
                /** @description Cadastre: Parcels that share a border with the parcel, the longest border first, at most 100. Streets and water have no parcel. Outlines share what runs along both within 0.1 m; parcels that touch at a corner are no neighbours. Null within 50 m of a commune whose parcels are not all loaded. */
                neighbours?: components["schemas"]["Neighbour"][] | null;
                /** @description Other: The historic aerial photographs whose extent touches the parcel. Null where there are none. */
                old?: components["schemas"]["OldImagery"] | null;
                /** @description Planning: Permits on the parcel, newest first, 50 at most. Only granted permits that create dwellings or floor area, and permits to develop (PA) and to demolish (PD), are listed: nothing that was refused or is under way. The files name parcels without the prefix of the section: a permit is given only where exactly one parcel fits; leftOut of its state counts those of the commune that could not be placed. */
                permits?: components["schemas"]["Permit"][] | null;
                /** @description Land and nature: The nearest lake, pond, basin or other standing water within 5 km. One with a name is preferred when it is at most twice as far as the nearest of all. Null when there is none. */
                planEau?: components["schemas"]["WaterBody"] | null;
                /** @description Risks: Former industrial sites within 500 m of the parcel, nearest first, at most 20. They indicate a past activity, not confirmed pollution. Sites located only to the commune are left out. */
                pollutedSites?: components["schemas"]["PollutedSite"][] | null;
                /** @description Cadastre: Parcels that are gone in whose place the parcel is, the one that covers most of it first, at most 50: those that overlap it by a twentieth or more of one of the two, so that a small part of a large former parcel has that one, too. They are known from the earlier editions of the cadastre that were loaded here; null in a commune of which no parcel is known as gone. */
                predecessors?: components["schemas"]["Predecessor"][] | null;
                /** @description Land and nature: The protected areas that the parcel lies in, the strongest protection first, then the one that covers most of it, 50 at most. Only of the kinds that are loaded for the place, which the loads of the report name; the list is empty only where all kinds that the INPN publishes are loaded, else null. Classified and listed sites are in the list where they are loaded, and an empty list does not speak of them. Overlaps of less than 1 m² that are also less than 0.5 % of the parcel are left out. */
                protectedAreas?: components["schemas"]["ProtectedArea"][] | null;
                /** @description Planning: The priority district of 2024 that the parcel lies in; of several, the one that covers most of it. Null outside of them. Overlaps of less than 1 m² that are also less than 0.5 % of the parcel are left out. */
                qpv?: components["schemas"]["District"] | null;
                /** @description Risks: Radon potential of the commune, or of the arrondissement. A merged commune has the class of the former commune whose code it kept, else the highest of its former communes. */
                radon?: components["schemas"]["Radon"] | null;
                /** @description Risks: Exposure to clay shrinkage and swelling under the parcel, from the newest map of the place. Null where the parcel is in none of the levels, and where the map is not loaded. */
                rga?: components["schemas"]["Rga"] | null;
                /** @description Risks: Risk-prevention plans of the commune, and plans whose map covers the parcel, with the zones it lies in: those in force first, at most 30. Empty only where the procedures of all three kinds are loaded. */
                riskPlans?: components["schemas"]["RiskPlan"][] | null;
                /** @description Mobility and networks: Annual average daily traffic of the nearest counted road of the national network within 500 m, newest count. Null when no counted road is that near. */
                roadTraffic?: components["schemas"]["Traffic"] | null;
                /** @description Land and nature: The crops declared on the parcel, the field that covers most of it first, 30 at most. Of the newest year loaded. Land that was not declared is missing. Overlaps of less than 1 m² that are also less than 0.5 % of the parcel are left out. */
                rpg?: components["schemas"]["Field"][] | null;
                /** @description Land and nature: Whether the parcel is declared as organic: the stage that covers most of it, of the newest year loaded. Null where no organic field is declared. Overlaps of less than 1 m² that are also less than 0.5 % of the parcel are left out. */
                rpgBio?: components["schemas"]["Organic"] | null;
                /** @description Services: Schools within 2 km by distance, at most 10, with at least one of each level when there is one. Where the directory of schools is not loaded: schools of the commune (arrondissement in Paris, Lyon and Marseille) that have an index of social position, without a distance, by level and name. */
                schools?: components["schemas"]["School"][] | null;
                /** @description Risks: Regulatory seismic zone of the commune. A merged commune has the zone of the former commune whose code it kept, else the highest of its former communes. */
                seisme?: components["schemas"]["Seisme"] | null;
                /** @description Heritage and economy: Active business establishments within 50 m, by distance, 25 at most. Those that keep their address to themselves, and those that are only known to be in a commune, are left out. */
                sirene?: components["schemas"]["Establishment"][] | null;
                /** @description Heritage and economy: How many active business establishments there are within 50 m, counted as for sirene. */
                sireneTotal?: number | null;
                /** @description Land and nature: pH of the soil under the parcel at 0–5 cm and 5–15 cm: the mean of the cells of the grid whose centres lie in it, else the cell under a point of it. Modelled, not measured. Null where the grid has no value: towns and water. */
                soilPh?: components["schemas"]["SoilPh"] | null;
                /** @description Planning: The public-utility easements that weigh on the parcel, the one that covers most of it first, 50 at most. Only of the categories that are loaded for the place, which the loads of the report name: an empty list says nothing about the others. Repealed easements are left out. Overlaps of less than 1 m² that are also less than 0.5 % of the parcel are left out. */
                sup?: components["schemas"]["Easement"][] | null;
                /** @description Mobility and networks: Travel times of the commune to Paris and to the préfecture, in minutes. Null where they have not been computed. */
                travelTime?: components["schemas"]["TravelTime"] | null;
                /** @description Risks: Flooded areas of the territories of major flood risk that the parcel lies in, the most frequent flood first, then the territories themselves; at most 30. */
                tris?: components["schemas"]["Tri"][] | null;
                /** @description Land and nature: Sanitary control of the tap water of the commune. A commune can have several networks: the figures are those of the one with the most samples in the last 12 months of the data, which need not be the one that serves the parcel; the others are named. Null when no network is known. */
                waterQuality?: components["schemas"]["TapWater"] | null;
                /** @description Land and nature: What grows on the parcel, by kind, the largest area first. Areas lie in one another, a hedge in a wood: shares may add up to more than 100 %. Overlaps of less than 1 m² that are also less than 0.5 % of the parcel are left out. */
                zonesVegetation?: components["schemas"]["Vegetation"][] | null;
            };
            /**
             * @description Reference of the parcel.
             * @example 930100000J0236
             */
            idu: string;
            /** @description Of each key that is a list, how many items there are and how many of them are given. The order is that of the key. */
            lists: {
                [key: string]: components["schemas"]["Length"];
            };
            /** @description The parcel itself, as in its own answer. */
            parcel: components["schemas"]["ParcelleAttributes"];
            /** @description Only where the reference was written with words that may mean something else: as what it was read, and what else it may be. Of communes of one name it is read as the only one with parcels on this server. */
            readings?: string[];
            /** @description What the report was made from: every load that speaks for the place of the parcel, with the keys that were looked for in it. */
            sources: components["schemas"]["ReportSource"][];
            /** @description Of each key of enrichments, why it has a value or none. */
            states: {
                [key: string]: components["schemas"]["KeyState"];
            };
        };
        Error: {
            error: components["schemas"]["ErrorDetail"];
        };
        ErrorDetail: {
            /**
             * @description What went wrong, for programs.
             * @example invalid_parameter
             */
            code: string;
            /** @description Address of the section that explains this code. */
            documentation: string;
            /** @description What went wrong and what was expected, for people. */
            message: string;
        };
        Establishment: {
            /**
             * Format: int64
             * @description metres from the parcel
             */
            distanceM: number;
            /**
             * @description code of the range of employees
             * @example 12
             */
            employees: string | null;
            /** @description Whether it is the head office of its company. */
            headOffice: boolean | null;
            /** @description name of the activity; null while no table of names is loaded */
            label: string | null;
            /**
             * @description code of the activity
             * @example 47.11D
             */
            naf: string | null;
            /** @description name of the company; null for sole traders */
            name: string | null;
            /**
             * @description SIRET number.
             * @example 12345678900011
             */
            siret: string;
        };
        Fibre: {
            /**
             * @description Identifier of the building.
             * @example IMB/93010/X/0001
             */
            buildingId: string;
            /** @description date on which the zone was completed */
            completedOn: string | null;
            /**
             * Format: int64
             * @description metres from the parcel
             */
            distanceM: number;
            /**
             * @description as the source words it
             * @example pavillon
             */
            kind: string | null;
            /**
             * @description point de mutualisation that serves the building
             * @example FI-93010-0001
             */
            node: string | null;
            /** @description State of its connection point, in the words of the producer. */
            nodeStatus: string | null;
            /**
             * @description code of the operator of the building
             * @example ORAN
             */
            operator: string | null;
            /**
             * @description as the source words it: deploye, en cours de deploiement, raccordable demande, signe, cible (planned: no line can be ordered yet), abandonne
             * @example deploye
             */
            status: string;
        };
        Field: {
            /**
             * Format: double
             * @description Area of the whole declared field, as declared, in hectares.
             * @example 1.23
             */
            areaHa: number | null;
            /**
             * @description Its name; null for a code missing from the table of names.
             * @example Prairie permanente
             */
            crop: string | null;
            /**
             * @description Code of the crop in the nomenclature of the RPG.
             * @example PPH
             */
            cropCode: string;
            /**
             * @description Its name.
             * @example Prairies permanentes
             */
            group: string | null;
            /**
             * @description Number of the group of crops, 1 to 28.
             * @example 18
             */
            groupCode: string | null;
            /**
             * Format: double
             * @description Share of the cadastral parcel inside the field, in percent.
             * @example 61
             */
            sharePct: number;
            /**
             * Format: int64
             * @description Year of the declaration.
             * @example 2024
             */
            year: number;
        };
        FloodMarker: {
            /**
             * @description Day of the flood; null when it is not known to the day
             * @example 1997-12-18
             */
            date: string | null;
            /**
             * @description Date as the source writes it
             * @example 1982/??/??
             */
            dateText: string;
            /**
             * Format: int64
             * @description Metres from the parcel
             */
            distanceM: number;
            /**
             * Format: double
             * @description Ground level, in metres above sea level (NGF)
             */
            groundM: number | null;
            /**
             * @description Sheet and number of the mark
             * @example 34003-001/1
             */
            id: string;
            /**
             * Format: double
             * @description Water level, in metres above sea level (NGF)
             */
            levelM: number | null;
            /** @description Where it is, in words. */
            place: string | null;
            /**
             * Format: int64
             * @description Year of the flood.
             * @example 1982
             */
            year: number | null;
        };
        Forest: {
            /**
             * @description Code of the type of formation (TFV).
             * @example FF1-00
             */
            code: string | null;
            /**
             * @description Its name.
             * @example Forêt fermée à mélange de feuillus
             */
            label: string | null;
            /**
             * Format: double
             * @description Share of the parcel inside it, in percent.
             * @example 40
             */
            sharePct: number;
            /**
             * @description The species, or group of species.
             * @example Feuillus
             */
            species: string | null;
            /**
             * Format: int64
             * @description Year of the edition of the département.
             * @example 2014
             */
            year: number;
        };
        FormerCommune: {
            /**
             * @description Its code of INSEE at that time.
             * @example 74011
             */
            code: string;
            /**
             * @description Day on which it became part of another commune.
             * @example 2017-01-01
             */
            date: string;
            /**
             * @description Code of the commune that it became part of, where that is not the code of this one: it has changed since, or that commune became part of this one later. Else null.
             * @example 74010
             */
            into: string | null;
            /**
             * @description merger: fusion simple. newCommune: creation of a commune nouvelle. association: fusion-association. division: it was dissolved, its territory divided among others.
             * @example newCommune
             * @enum {string}
             */
            kind: "merger" | "newCommune" | "association" | "division";
            /**
             * @description Its name at that time.
             * @example Annecy-le-Vieux
             */
            name: string;
        };
        FoundPlace: {
            /**
             * @description Only in Paris, Lyon and Marseille, of an arrondissement and of what lies in one: its code, as in codes of parcels.
             * @example 75118
             */
            codeArrondissement?: string;
            /**
             * @description Code of the commune of today, as in /communes/{code}; not the postcode. In an arrondissement it is that of the city: see codeArrondissement.
             * @example 93010
             */
            codeInsee: string;
            /**
             * @description Name of the commune of today.
             * @example Bondy
             */
            commune: string;
            /**
             * @description Code of its département.
             * @example 93
             */
            deptCode: string;
            /**
             * Format: int64
             * @description Metres from the point of a housenumber to the parcel of idu; 0 where it lies inside. The farther, the less sure: look at a parcel that is not next to the point before you take it. Null for all others.
             * @example 3
             */
            distanceM: number | null;
            /**
             * @description True where a word of the query is spelt otherwise in the answer, or only the beginning of one: a guess. Such words are in unmatched.
             * @example false
             */
            fuzzy: boolean;
            /**
             * @description Number with its suffix, of a housenumber; null for all others. A suffix (bis, ter…) that is not known gives the number without it.
             * @example 12
             */
            housenumber: string | null;
            /**
             * @description Reference of the parcel: of a parcel, and of a housenumber that of the parcel that its point lies in, else of the nearest one within 50 m: see distanceM. Null for all others, and where no parcel is loaded there.
             * @example 930100000J0236
             */
            idu: string | null;
            /**
             * @description What was found. A parcel is one whose reference was asked for. A street whose number is not known is a street; a street that is not known is the commune it was asked in.
             * @example housenumber
             * @enum {string}
             */
            kind: "housenumber" | "street" | "locality" | "commune" | "parcel";
            /**
             * @description The whole address or place in one line, to be shown.
             * @example 12 Allee des Roses, 93140 Bondy
             */
            label: string;
            /**
             * Format: double
             * @description WGS84 latitude in decimal degrees: of the number, of a point on the street, or inside the commune. Null where it is not known.
             * @example 48.908793
             */
            lat: number | null;
            /**
             * Format: double
             * @description WGS84 longitude in decimal degrees, likewise.
             * @example 2.479006
             */
            lon: number | null;
            /**
             * @description The words of the query that this answer has, as written or by a known variant; in lower case without accents, abbreviations as they were written.
             * @example [
             *       "12",
             *       "allee",
             *       "des",
             *       "roses",
             *       "bondy"
             *     ]
             */
            matched: string[];
            /**
             * @description Null where there is none or not a single one.
             * @example 93140
             */
            postcode: string | null;
            /**
             * @description All postcodes of the commune, or of the arrondissement that was found, sorted; of a street that of postcode alone.
             * @example [
             *       "93140"
             *     ]
             */
            postcodes: string[];
            /**
             * Format: double
             * @description How well it fits the query, comparable between answers. Above 0.8 every word of the query was found as written or by a known variant (st for saint, bd for boulevard), and one place alone is called so; a guess (typing errors, words by their sound, words left out), an answer without a part of what was asked for and one of several that are called so have 0.8 at most; a street that was asked for without its commune or postcode has 0.79 at most where the streets of other communes are not loaded.
             * @example 0.9868
             */
            score: number;
            /**
             * @description Name of the street or locality; null for a commune.
             * @example Allee des Roses
             */
            street: string | null;
            /** @description The words of the query that this answer does not have: the number, the street or the place that was not found, and words that it has spelt otherwise. Empty when all were found. */
            unmatched: string[];
        };
        FoundPlaces: {
            /**
             * @description True where several places are called so as the query says, or large ones begin so: ask which is meant, or add a département or a postcode. Where they are called so equally the greatest comes first, and no score is above 0.8.
             * @example false
             */
            ambiguous: boolean;
            /**
             * Format: int64
             * @description Number of answers in data; 0 when nothing was found.
             * @example 1
             */
            count: number;
            /** @description The answers, best first. */
            data: components["schemas"]["FoundPlace"][];
            /**
             * @description Where to ask instead, when the query is the name or code of a département, the name of a région (also of one that was merged in 2016), coordinates or a cadastral reference, for which there are other operations; or why the first answer is less than was asked for: the streets of its commune or its house number are not loaded, the commune has no street of the kind (rue, avenue), no commune was named and the streets of few are loaded, a grouping of communes was asked for, or nothing is called so; or why there is none. Else null.
             * @example Corrèze is a département: GET /departements/19 (tool get_departement).
             */
            hint: string | null;
            /**
             * Format: int64
             * @description How many places are called so, the first answer included: the communes that have the name today, with those that only begin so or had it until they were renamed where they are larger or have 2 000 inhabitants and more, and where one alone has it, those that one of the name became part of; or the streets that were found. 1 where there is only that one, 0 when nothing was found.
             * @example 1
             */
            namesakes: number;
            /**
             * @description The query as it was searched, without blanks around it.
             * @example 12 allée des Roses, Bondy
             */
            query: string;
            /**
             * @description True where more answers fit than limit allows. How many is not known: a search does not go through all.
             * @example false
             */
            truncated: boolean;
        };
        Geography: {
            /**
             * Format: int64
             * @description Metres to the coast
             * @example 9800
             */
            coastDistanceM: number | null;
            /**
             * Format: double
             * @description Mean height above sea level in metres, with one decimal
             * @example 57.3
             */
            elevationM: number | null;
            /**
             * Format: double
             * @description Side of a cell of the elevation model in metres
             * @example 25
             */
            elevationResolutionM: number | null;
            /**
             * @description The massif that the parcel lies in; null outside
             * @example Massif central
             */
            massif: string | null;
            /**
             * Format: int64
             * @description Metres to the nearest area classed as mountain; 0 inside
             * @example 41000
             */
            mountainDistanceM: number | null;
        };
        GroundMovement: {
            /**
             * @description Date, with the precision given by datePrecision; null when unknown
             * @example 1974-02-01
             */
            date: string | null;
            /**
             * @description How exact the date is.
             * @example Mois
             */
            datePrecision: string | null;
            /**
             * Format: int64
             * @description Metres from the parcel
             */
            distanceM: number;
            /**
             * @description Identifier of the producer.
             * @example 63300062
             */
            id: string;
            /**
             * @description How exact the position is.
             * @example Hectomètre
             */
            positionPrecision: string | null;
            /**
             * @description Reliability of the type: Fort, Moyen or Faible
             * @example Fort
             */
            reliability: string | null;
            /**
             * @description Kind of movement, in the words of the producer.
             * @example Chute de blocs / Eboulement
             */
            type: string | null;
        };
        HealthPlace: {
            /**
             * @description FINESS category: 101 or 355 hospital, 603 health centre, 620 pharmacy.
             * @example 355
             */
            category: string;
            /**
             * Format: int64
             * @description Distance from the parcel, in metres.
             */
            distanceM: number;
            /**
             * @description FINESS number.
             * @example 340780055
             */
            finess: string;
            /** @description Name, where the register has it. */
            name: string | null;
        };
        Hospital: {
            /**
             * @description FINESS category: 101 or 355 hospital, 603 health centre, 620 pharmacy.
             * @example 355
             */
            category: string;
            /**
             * Format: int64
             * @description Distance from the parcel, in metres.
             */
            distanceM: number;
            /** @description True where INSEE's inventory of facilities has an emergency department within 500 m of it, as it then has for every hospital that is given; null where that inventory is not loaded: the hospital may have none. */
            emergencies: boolean | null;
            /**
             * @description FINESS number.
             * @example 340780055
             */
            finess: string;
            /** @description Name, where the register has it. */
            name: string | null;
        };
        Icpe: {
            /** @description Whether it is in operation */
            active: boolean | null;
            /** @description Address, as the file has it */
            address: string | null;
            /**
             * Format: int64
             * @description Metres from the parcel
             */
            distanceM: number;
            /**
             * @description AIOT code
             * @example 0063.03511
             */
            id: string;
            /** @description Name of the establishment; null where the file has none, and where it is, or may be, that of a person */
            name: string | null;
            /**
             * @description Legal regime, in the words of the producer.
             * @example Autorisation
             */
            regime: string | null;
            /**
             * @description Seveso status, in the words of the producer.
             * @example Non Seveso
             */
            seveso: string | null;
            /**
             * @description State of the activity
             * @example En exploitation avec titre
             */
            status: string | null;
        };
        Index: {
            authentication: components["schemas"]["Authentication"];
            /** @description Always false: all data is real. Kept because the fields of v1 stay. */
            demonstration: boolean;
            /** @description What the service is. */
            description: string;
            /**
             * Format: uri
             * @description Address of the documentation.
             */
            documentation: string;
            /** @description All endpoints. */
            endpoints: components["schemas"]["Endpoint"][];
            /** @description Licence of the data and how to credit it. */
            licence: string;
            /**
             * Format: uri
             * @description Address of the assistant-tool server (Model Context Protocol).
             */
            mcp: string;
            /**
             * @description Name of the service.
             * @example Arpent
             */
            name: string;
            /** @description What a user should know before relying on the answers; null when there is nothing. */
            notice: string | null;
            /**
             * Format: uri
             * @description Address of the OpenAPI 3.1 document.
             */
            openapi: string;
            /** @description The plans, the smallest first. */
            plans: components["schemas"]["IndexPlan"][];
            /**
             * @description Version of the interface; also in the path.
             * @enum {string}
             */
            version: "v1";
        };
        IndexPlan: {
            /** @description Whether commercial use is allowed. */
            commercial: boolean;
            /**
             * Format: int64
             * @description Parcel reports in any 60 seconds.
             * @example 20
             */
            enrichmentsPerMinute: number;
            /**
             * @description Name of the plan.
             * @example standard
             */
            name: string;
            /**
             * Format: int64
             * @description Requests a day of Europe/Paris.
             * @example 2000
             */
            perDay: number;
            /**
             * Format: int64
             * @description Requests in any 60 seconds.
             * @example 60
             */
            perMinute: number;
            /**
             * Format: int64
             * @description Euros a month, excluding VAT.
             * @example 19
             */
            priceEurosPerMonth: number;
        };
        Inhabitants: {
            /**
             * Format: int64
             * @description Municipal population, inhabitants, newest; null where none is loaded.
             * @example 1704316
             */
            municipal: number | null;
            /**
             * Format: int64
             * @description Its census year.
             * @example 2023
             */
            year: number | null;
        };
        KeyState: {
            /** @description Only with not_covered, in reports of parcels: what is loaded of the value, which is not all of it. */
            known?: components["schemas"]["Known"];
            /** @description Only of permits: those of the commune that are not listed, since it is not certain of which parcel they are. */
            leftOut?: components["schemas"]["LeftOut"];
            /**
             * Format: int64
             * @description Of a key that is looked for around the place: the radius in metres. none: there is nothing within it. Absent where nothing was looked for, or in the place alone.
             * @example 500
             */
            radiusM?: number;
            /** @description The same in a sentence. Of a value: what no loaded file has of it, or that it is of before the commune merged or was divided; else absent. */
            reason?: string;
            /**
             * @description Only with not_loaded: a source that would fill the key, by its name on the page of sources.
             * @example icpe
             */
            source?: string;
            /**
             * @description Why the key has a value or none.
             * @enum {string}
             */
            state: "value" | "none" | "not_loaded" | "not_covered" | "secret" | "not_applicable";
            /**
             * @description Edition of what the value is from, of several sources the newest; without a value, of what was looked in. Absent where the files do not say, or nothing is loaded. A part of the value that names a source of its own can be of another edition.
             * @example 2021
             */
            vintage?: string;
        };
        Known: {
            /**
             * Format: int64
             * @description Of a key that is a list or a number: how many are loaded. There may be more.
             * @example 12
             */
            atLeast?: number;
            /**
             * Format: int64
             * @description Up to this distance from the parcel, in metres, all is loaded: what lies nearer is complete. Absent for keys without a radius, and at 0.
             * @example 312
             */
            completeWithinM?: number;
            /** @description In the form of the key, made from what is loaded alone: lists are cut to five items, in the order of the key, unless fields or theme names the key; of what is nearest the nearest that is loaded. Null, or an empty list: nothing that is loaded applies. */
            value: unknown;
        };
        LandCover: {
            /**
             * @description Class of Corine Land Cover, third level.
             * @example 211
             */
            code: string;
            /**
             * @description Its name in French.
             * @example Terres arables hors périmètres d'irrigation
             */
            label: string | null;
            /**
             * Format: double
             * @description Share of the parcel inside it, in percent.
             * @example 88
             */
            sharePct: number;
            /**
             * Format: int64
             * @description Year of the edition; null where it is read from the raster, whose edition is given by the sources.
             * @example 2018
             */
            year: number | null;
        };
        LargeParcel: {
            /**
             * Format: int64
             * @description Recorded area, in m²; null where none is recorded.
             * @example 50320
             */
            contenance: number | null;
            /** @description True where the recorded area and that of the outline differ by more than a factor of 2: the file has another figure than its plan. Else absent. */
            contenanceDiffers?: boolean;
            /**
             * @description Reference of the parcel.
             * @example 930100000H0234
             */
            idu: string;
            /**
             * Format: double
             * @description Area of the outline as it is drawn on the plan, in m², one decimal.
             * @example 50298.4
             */
            outlineAreaM2: number;
        };
        LeftOut: {
            /**
             * Format: int64
             * @description Permits of the commune with a reference that several parcels fit, when the file was loaded.
             */
            ambiguous: number;
            /**
             * Format: int64
             * @description Permits of the commune with a reference that no parcel has any more, mostly because it was divided.
             */
            gone: number;
            /**
             * Format: int64
             * @description Permits of the commune without a reference of a parcel.
             */
            unreferenced: number;
        };
        LegalOwner: {
            /**
             * @description Legal form, in the words of the producer.
             * @example Commune
             */
            form: string | null;
            /**
             * @description Group: 1 State, 2 région, 3 département, 4 commune, 5 social housing, 7 condominium, 9 public body; 0, 6 and 8 companies and other legal persons.
             * @enum {string}
             */
            group: "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9";
            /**
             * @description The same in the words of the producer; null in editions before 2025.
             * @example Commune
             */
            groupLabel: string | null;
            /**
             * @description Its name; null where the file has none, or one that may be that of a natural person.
             * @example COMMUNE DE BONDY
             */
            name: string | null;
            /**
             * @description Code of the right on the parcel: P is the owner; the producer's documentation names the others.
             * @example P
             */
            right: string | null;
            /**
             * @description The same in the words of the producer; null in editions that give the code alone.
             * @example Propriétaire
             */
            rightLabel: string | null;
            /**
             * @description SIREN number; null where it has none.
             * @example 219300100
             */
            siren: string | null;
        };
        Length: {
            /** @description Which are not counted: those that the loaded files have without a position, and those beyond the radius. */
            note?: string;
            /**
             * Format: int64
             * @description Of a list of what lies around the place: the radius in metres.
             * @example 1000
             */
            radiusM?: number;
            /**
             * Format: int64
             * @description How many of them are given, in the order that the key states.
             */
            returned: number;
            /**
             * Format: int64
             * @description How many there are of what the key lists.
             */
            total: number;
            /** @description True where there are more than are given. */
            truncated: boolean;
        };
        MobileMast: {
            /**
             * Format: int64
             * @description Distance from the parcel, in metres.
             */
            distanceM: number;
            /** @description Active generations on it: 2G to 5G. */
            generations: string[];
            /**
             * Format: double
             * @description Height of the support, in metres.
             */
            heightM: number | null;
            /** @description Operators on it, in alphabetical order. */
            operators: string[];
            /** @description Number of the support. */
            supportId: string;
        };
        Monument: {
            /** @description true: several monuments of the commune share this position, which is likely its centre */
            approximate: boolean;
            /** @description Name of its commune. */
            commune: string | null;
            /**
             * Format: int64
             * @description metres from the parcel
             */
            distanceM: number;
            /**
             * @description reference in the Mérimée base
             * @example PA00118092
             */
            id: string;
            /**
             * @description Name of the monument.
             * @example Hôtel de ville
             */
            name: string | null;
            /**
             * @description day of the first protection
             * @example 1981-10-29
             */
            protectedOn: string | null;
            /**
             * @description How it is protected, in the words of the producer.
             * @example classé MH
             */
            protection: string | null;
        };
        NamedBody: {
            /**
             * @description Its code of nine digits (SIREN).
             * @example 200054781
             */
            code: string;
            /**
             * Format: int64
             * @description How many communes it has.
             * @example 130
             */
            communes: number;
            /**
             * @description Its name, as listed.
             * @example Métropole du Grand Paris
             */
            name: string;
            /** @description Its inhabitants. Null where the number of one of its communes is not known of the newest census. */
            population: components["schemas"]["BodyPopulation"];
        };
        NamedCommune: {
            /** @description Its code (not the postcode). */
            codeInsee: string;
            /** @description Its name. */
            name: string;
        };
        NearbySale: {
            /**
             * Format: double
             * @description m²
             */
            builtM2: number;
            /**
             * @description Day of the sale.
             * @example 2023-05-12
             */
            date: string;
            /**
             * Format: int64
             * @description metres from the parcel
             */
            distanceM: number;
            /** @description Identifier of the sale. */
            id: string;
            /**
             * Format: double
             * @description m²
             */
            landM2: number | null;
            /**
             * Format: double
             * @description euros
             */
            priceEur: number;
            /**
             * Format: int64
             * @description euros per m² of built area
             */
            pricePerM2: number;
            /**
             * Format: int64
             * @description Number of main rooms.
             */
            rooms: number | null;
            /**
             * @description What was sold.
             * @enum {string}
             */
            type: "Maison" | "Appartement";
        };
        NearbyServices: {
            /** @description Facilities by domain (A to G). */
            counts: components["schemas"]["ServiceCounts"];
            /**
             * Format: int64
             * @description Radius, in metres.
             */
            radiusM: number;
            /**
             * Format: int64
             * @description All facilities.
             */
            total: number;
        };
        Neighbour: {
            /**
             * Format: double
             * @description Length of the border that both share, in metres.
             * @example 24.7
             */
            borderM: number;
            /**
             * @description Its reference.
             * @example 930100000A0225
             */
            idu: string;
        };
        Neighbours: {
            /** @description The communes whose outline has a point in common with that of the commune, by name; of an arrondissement also the arrondissements of its city. Empty: it touches none, as an island. Null where count is. */
            communes: components["schemas"]["NamedCommune"][] | null;
            /**
             * Format: int64
             * @description How many they are; null where no outline of the commune is loaded.
             * @example 8
             */
            count: number | null;
            /** @description Why there are none, or some may be missing, in a sentence. */
            reason?: string;
            /**
             * @description Whether they are known, or why not.
             * @enum {string}
             */
            state: "value" | "none" | "not_loaded";
        };
        OldImagery: {
            /**
             * Format: int64
             * @description Year of the first.
             * @example 1944
             */
            firstYear: number | null;
            /**
             * Format: int64
             * @description Year of the last.
             * @example 1998
             */
            lastYear: number | null;
            /**
             * Format: int64
             * @description Number of flights; null where they are not loaded.
             * @example 12
             */
            missions: number | null;
            /** @description Whether the orthophoto of 1950 to 1965 shows the place; null where its extent is not loaded. */
            orthophoto1950: boolean | null;
            /** @description Years with at least one flight, ascending; null where they are not loaded. */
            years: number[];
        };
        Organic: {
            /** @description True: certified; false: in conversion; null: not stated in the file. */
            certified: boolean | null;
            /**
             * Format: double
             * @description Share of the cadastral parcel at that stage, in percent.
             * @example 100
             */
            sharePct: number;
            /**
             * @description AB (certified), C1, C2 or C3 (year of conversion).
             * @example AB
             */
            stage: string | null;
            /**
             * Format: int64
             * @description Year of the declaration.
             * @example 2024
             */
            year: number;
        };
        OutlineOrigin: {
            /**
             * @description Year of the outline, of one that is made of several their years; null where the file does not say.
             * @example 2025
             */
            edition: string | null;
            /**
             * Format: int64
             * @description By how many metres the outline was generalised: a border may be as far from where it is drawn, or somewhat farther. Null where no outline is loaded.
             * @example 20
             */
            precisionM: number | null;
            /**
             * @description Producer and title of the outlines.
             * @example IGN; Etalab, Contours administratifs : communes, départements et régions
             */
            source: string;
        };
        ParcelSale: {
            /**
             * Format: double
             * @description built area of these units, m²
             */
            builtM2: number | null;
            /**
             * @description Day of the sale.
             * @example 2022-10-27
             */
            date: string;
            /**
             * @description identifier of the mutation in this edition of the data; it changes with each edition
             * @example 2022-1293405
             */
            id: string;
            /**
             * Format: double
             * @description land of this parcel that was sold, m²
             */
            landM2: number | null;
            /**
             * Format: int64
             * @description lots of a co-ownership that were sold on this parcel
             */
            lots: number | null;
            /**
             * @description Nature of the transfer, in the words of the producer.
             * @example Vente
             */
            nature: string | null;
            /**
             * @description references of the other parcels that the price covers, 10 at most: their land is not in landM2
             * @example [
             *       "93010000AY0085"
             *     ]
             */
            otherParcels: string[];
            /**
             * Format: int64
             * @description number of parcels covered by the price
             */
            parcels: number;
            /**
             * Format: double
             * @description euros, of the whole mutation: all its parcels and units
             */
            priceEur: number | null;
            /**
             * Format: int64
             * @description main rooms of these units
             */
            rooms: number | null;
            /**
             * @description type of the largest unit on this parcel; null for land alone
             * @example Maison
             */
            type: string | null;
            /**
             * Format: int64
             * @description units on this parcel, outbuildings not counted
             */
            units: number;
        };
        Parcelle: {
            /** @description Only with include=bbox: the bounding box of the whole outline in WGS84, west, south, east, north (RFC 7946). Null where no outline is loaded. */
            bbox?: number[] | null;
            /** @description Only with include=centre: a position inside the outline, or on it: the centroid of its largest part where that is inside. Null where no outline is loaded. */
            centre?: components["schemas"]["Position"] | null;
            /**
             * @description Arrondissement, in Paris, Lyon and Marseille only.
             * @example 118
             */
            codeArr: string | null;
            /**
             * @description Commune code without that of the département.
             * @example 010
             */
            codeCom: string;
            /**
             * @description Code of the département, three characters overseas.
             * @example 93
             */
            codeDep: string;
            /**
             * @description Code of the commune.
             * @example 93010
             */
            codeInsee: string;
            /**
             * @description Name of the commune.
             * @example Bondy
             */
            commune: string;
            /**
             * Format: int32
             * @description Recorded cadastral area in m²; null where no loaded source has it, or has 0.
             * @example 412
             */
            contenance: number | null;
            /**
             * @description True where the recorded area and the area of the outline differ by more than a factor of 2: the file has another figure than its plan. Null where no area is recorded.
             * @example false
             */
            contenanceDiffers: boolean | null;
            /**
             * Format: int64
             * @description Metres from the point asked for to the parcel, 0 inside. Absent where the parcel was asked for by its reference.
             * @example 4
             */
            distanceM?: number;
            /**
             * Format: int32
             * @description Sheet of the plan; null where no loaded source has it.
             * @example 1
             */
            feuille: number | null;
            /** @description Outline in WGS84 (GeoJSON geometry, longitude first, at most 7 decimals). */
            geometry?: {
                coordinates: number[][][];
                /** @enum {string} */
                type: "Polygon";
            } | {
                coordinates: number[][][][];
                /** @enum {string} */
                type: "MultiPolygon";
            } | null;
            /**
             * @description Cadastral reference.
             * @example 930100000J0236
             */
            idu: string;
            /**
             * @description Kind of object.
             * @enum {string}
             */
            kind: "parcelle";
            /**
             * @description How the parcel matches the point asked for: inside, it covers the point; nearest, no parcel does, and this is the nearest one within maxDistance. Absent where the parcel was asked for by its reference.
             * @enum {string}
             */
            match?: "inside" | "nearest";
            /**
             * @description Number in the section, four digits.
             * @example 0224
             */
            numero: string;
            /**
             * Format: double
             * @description Area of the outline as it is drawn on the plan, on the ellipsoid, in m², one decimal; contenance is the recorded one, which need not be measured on the plan.
             * @example 414.2
             */
            outlineAreaM2: number;
            /** @description Only where the reference was written with words that may mean something else: as what it was read, and what else it may be. Of communes of one name it is read as the only one with parcels on this server. */
            readings?: string[];
            /**
             * @description Section, two characters.
             * @example 0A
             */
            section: string;
            /**
             * @description Edition of the cadastre that the parcel is from, a day; null where the file does not say.
             * @example 2025-01-01
             */
            vintage: string | null;
        };
        ParcelleAttributes: {
            /**
             * Format: int32
             * @description Recorded cadastral area in m²; null where no loaded source has it, or has 0.
             * @example 412
             */
            contenance: number | null;
            /**
             * @description True where the recorded area and the area of the outline differ by more than a factor of 2: the file has another figure than its plan. Null where no area is recorded.
             * @example false
             */
            contenanceDiffers: boolean | null;
            /**
             * Format: int32
             * @description Sheet of the plan; null where no loaded source has it.
             * @example 1
             */
            feuille: number | null;
            /**
             * @description Number in the section, four digits.
             * @example 0224
             */
            numero: string;
            /**
             * Format: double
             * @description Area of the outline as it is drawn on the plan, on the ellipsoid, in m², one decimal; contenance is the recorded one, which need not be measured on the plan.
             * @example 414.2
             */
            outlineAreaM2: number;
            /**
             * @description Section, two characters.
             * @example 0A
             */
            section: string;
            /**
             * @description Edition of the cadastre that the parcel is from, a day; null where the file does not say.
             * @example 2025-01-01
             */
            vintage: string | null;
        };
        Permit: {
            /**
             * @description Who applied, where that is a legal person; null for natural persons.
             * @example COMMUNE DE BONDY
             */
            applicant: string | null;
            /**
             * @description SIREN number of an applicant that is a legal person.
             * @example 219300100
             */
            applicantSiren: string | null;
            /**
             * @description Day on which it was granted.
             * @example 2024-05-10
             */
            date: string | null;
            /**
             * Format: double
             * @description Floor area of dwellings that it creates, m².
             */
            dwellingAreaM2: number | null;
            /**
             * Format: int64
             * @description Dwellings that it creates; null where it creates none or the file does not say.
             */
            dwellings: number | null;
            /**
             * @description Number of the permit; PC and DP share theirs, PA and PD have their own.
             * @example 09301024A0012
             */
            number: string;
            /**
             * Format: double
             * @description Floor area that it creates for other uses, m².
             */
            premisesAreaM2: number | null;
            /**
             * @description Last state that was reported. One start of works in seven, a third of the completions, half of the cancellations and nearly all demolitions are never reported.
             * @enum {string}
             */
            state: "authorised" | "cancelled" | "begun" | "finished";
            /**
             * @description PC building permit, DP prior declaration, PA development permit, PD demolition permit.
             * @enum {string}
             */
            type: "PC" | "DP" | "PA" | "PD";
        };
        PlanPrescription: {
            /**
             * @description Name of the planning document.
             * @example 30014_PLU_20171013
             */
            document: string | null;
            /** @description Its name, as in the plan. */
            label: string | null;
            /**
             * @description File of the written rules, as the plan names it: what may be built is there, the drawing names the zone alone. Null where the plan names none.
             * @example 30014_reglement_20171013.pdf
             */
            regulation: string | null;
            /**
             * @description Address of that file, where the plan gives one.
             * @example https://data.geopf.fr/annexes/gpu/documents/30014_reglement_20171013.pdf
             */
            regulationUrl: string | null;
            /**
             * Format: double
             * @description Share of the parcel inside it, in percent.
             * @example 12
             */
            sharePct: number;
            /**
             * @description Code of its subtype; null in the model of 2013.
             * @example 03
             */
            subtype: string | null;
            /**
             * @description Code of its type in the CNIG model, two digits.
             * @example 16
             */
            type: string | null;
        };
        PlanRisk: {
            /** @description Code of the risk. */
            code: string | null;
            /** @description Name of the risk. */
            label: string;
        };
        PlanZone: {
            /**
             * @description Name of the planning document.
             * @example 30014_PLU_20171013
             */
            document: string | null;
            /** @description Long name of the zone. */
            label: string | null;
            /**
             * @description File of the written rules, as the plan names it: what may be built is there, the drawing names the zone alone. Null where the plan names none.
             * @example 30014_reglement_20171013.pdf
             */
            regulation: string | null;
            /**
             * @description Address of that file, where the plan gives one.
             * @example https://data.geopf.fr/annexes/gpu/documents/30014_reglement_20171013.pdf
             */
            regulationUrl: string | null;
            /**
             * Format: double
             * @description Share of the parcel inside it, in percent.
             * @example 92.1
             */
            sharePct: number;
            /**
             * @description Type as in the file: U, AUc, AUs, A or N; older plans have others.
             * @example U
             */
            type: string | null;
            /**
             * @description Day the zone was validated or, where the file lacks it, approved.
             * @example 2017-10-13
             */
            validOn: string | null;
            /**
             * @description Short name of the zone, as in the plan.
             * @example Ucp
             */
            zone: string | null;
        };
        PollutedSite: {
            /** @description What was done there, in the words of the producer. */
            activity: string | null;
            /**
             * @description Codes of the activities in the list of the register: NAF of 2003 behind one or two letters, g50.2 is the repair of vehicles.
             * @example g50.2, g50.5
             */
            activityCodes: string | null;
            /**
             * @description Address, as the file has it
             * @example 17 Allée BECQUEREL
             */
            address: string | null;
            /**
             * Format: int64
             * @description Metres from the parcel
             */
            distanceM: number;
            /**
             * @description Identifier of the producer.
             * @example LRO3400123
             */
            id: string;
            /** @description Name of the site; null where the file has none, and where it is, or may be, that of a person */
            name: string | null;
            /**
             * @description Register: CASIAS, or ADEME for sites managed by the State
             * @example CASIAS
             */
            register: string;
            /**
             * @description State of the site, in the words of the producer.
             * @example En arrêt
             */
            status: string | null;
        };
        Position: {
            /**
             * Format: double
             * @description WGS84 latitude in decimal degrees.
             * @example 48.9024
             */
            lat: number;
            /**
             * Format: double
             * @description WGS84 longitude in decimal degrees.
             * @example 2.4834
             */
            lon: number;
        };
        Predecessor: {
            /**
             * @description Its reference.
             * @example 930100000A0009
             */
            idu: string;
            /**
             * @description Edition of the cadastre that had it last, a day; null where the file did not say.
             * @example 2022-01-01
             */
            lastSeen: string | null;
            /**
             * Format: double
             * @description Share of the parcel that lies on it, in percent.
             * @example 100
             */
            parcelSharePct: number | null;
            /**
             * Format: double
             * @description Share of it that lies on the parcel, in percent.
             * @example 48.2
             */
            sharePct: number | null;
        };
        PriceEstimate: {
            /** @description The same of houses and of flats apart, of the sales within 500 m: of no median two types are mixed. */
            byType: components["schemas"]["TypePrice"][];
            /**
             * Format: int64
             * @description euros per m² of built area
             */
            medianPricePerM2: number;
            /**
             * @description five years before periodTo, or the first day of the data
             * @example 2020-01-01
             */
            periodFrom: string;
            /**
             * @description last day of the data loaded for the département
             * @example 2024-12-31
             */
            periodTo: string;
            /**
             * Format: int64
             * @description first quartile, euros per m²
             */
            q1: number;
            /**
             * Format: int64
             * @description third quartile, euros per m²
             */
            q3: number;
            /**
             * Format: int64
             * @description metres around the parcel
             * @enum {integer}
             */
            radiusM: 500 | 1000;
            /** @description the sales used, of type alone, nearest first, 50 at most */
            sales: components["schemas"]["UsedSale"][];
            /**
             * @description Only where houses and flats were sold near: of which type sales are, and where those of the other type are.
             * @example sales are of type Appartement, as the last sale of the parcel or most sales near it; those of Maison in byType are listed by dvfNearby where fields names it.
             */
            salesNote?: string;
            /**
             * Format: int64
             * @description sales used; at least 5
             */
            sampleSize: number;
            /**
             * @description What was sold in the sales that are compared.
             * @enum {string}
             */
            type: "Maison" | "Appartement";
        };
        ProtectedArea: {
            /**
             * @description Code of the area; for Natura 2000 the European one.
             * @example FR9110042
             */
            code: string | null;
            /**
             * @description What the type means.
             * @example Natura 2000, directive Oiseaux
             */
            label: string;
            /** @description Its name; null where the file has none. */
            name: string | null;
            /**
             * Format: double
             * @description Share of the parcel inside it, in percent.
             * @example 100
             */
            sharePct: number;
            /**
             * Format: int64
             * @description 1 (heart of a national park) to 11 (ZNIEFF of type 2): the smaller, the stronger.
             * @example 6
             */
            strength: number;
            /**
             * @description PN, PN_ADHESION, RNN, RNR, RNC, APB, RB, SC, SI, SIC, ZPS, SCL, SCEN, PNR, RAMSAR, ZNIEFF1 or ZNIEFF2.
             * @example ZPS
             */
            type: string;
            /** @description Its page, where the file has one. */
            url: string | null;
        };
        Radon: {
            /**
             * Format: int64
             * @description Class of the commune, from 1 (low) to 3 (significant)
             */
            category: number;
            /**
             * @description The class in words.
             * @example Potentiel significatif
             */
            label: string;
        };
        Region: {
            /**
             * Format: double
             * @description Land area in km², two decimals: that which INSEE publishes, the sum of its communes; where it is not known of one of them, the area of the outline. Null where neither is loaded.
             * @example 12011.33
             */
            areaKm2: number | null;
            /**
             * @description Producer and title of the land area in areaKm2; null where areaKm2 is that of the outline.
             * @example INSEE, Comparateur de territoires, superficie
             */
            areaSource: string | null;
            /**
             * Format: int64
             * @description Edition of that data set; null where areaSource is.
             * @example 2021
             */
            areaYear: number | null;
            /** @description Only with include=bbox: the bounding box of the whole outline in WGS84, west, south, east, north (RFC 7946). Null where no outline is loaded. */
            bbox?: number[] | null;
            /** @description Only with include=centre: a position inside the outline, or on it: the centroid of its largest part where that is inside. Null where no outline is loaded. */
            centre?: components["schemas"]["Position"] | null;
            /** @description The commune that is its chef-lieu (préfecture). Null where it is not loaded. */
            chefLieu: components["schemas"]["NamedCommune"] | null;
            /**
             * @description Code of the région.
             * @example 11
             */
            code: string;
            /**
             * Format: int64
             * @description How many communes it has.
             * @example 1266
             */
            communeCount: number;
            /**
             * Format: int64
             * @description Metropolitan départements: those of the list of départements.
             * @example 8
             */
            departementCount: number;
            /** @description Only with include=departements. */
            departements?: components["schemas"]["CodeNameList"];
            /** @description Outline in WGS84 (GeoJSON geometry, longitude first, at most 7 decimals). */
            geometry?: {
                coordinates: number[][][];
                /** @enum {string} */
                type: "Polygon";
            } | {
                coordinates: number[][][][];
                /** @enum {string} */
                type: "MultiPolygon";
            } | null;
            /**
             * @description Kind of territory.
             * @enum {string}
             */
            kind: "region";
            /**
             * @description Name of the région.
             * @example Île-de-France
             */
            name: string;
            /** @description Only with include=geometry: what the outline is. */
            outline?: components["schemas"]["OutlineOrigin"];
            /**
             * Format: double
             * @description Geodesic area of the outline in km², two decimals, with lakes, ponds and estuaries; null where no outline is loaded.
             */
            outlineAreaKm2: number | null;
            /** @description Next to stats: for each of its keys why it has a value or none; of a value a part of which comes from sources of its own and is null, also why that is, as key.part. */
            states?: {
                [key: string]: components["schemas"]["KeyState"];
            };
            /** @description Only with include=stats or fields; every key of the level, or those that fields names. */
            stats?: {
                /** @description Births and deaths of a year, by where people lived, oldest first. Where they are not published for the territory, they are the sums of its communes. */
                births?: components["schemas"]["StatsYearBirths"][] | null;
                /** @description Yearly mean temperature against the mean of 1991 to 2020. */
                climateAnomaly?: components["schemas"]["StatsClimateAnomaly"] | null;
                /** @description Offences recorded per 1 000 inhabitants: the sum of eleven series (ten by the labels of 2024) in which no act counts twice (method sum10-v1). sources.crimeRate.definition names them. */
                crimeRate?: number | null;
                /**
                 * @description Year of crimeRate; null where that is. The others may be of other years.
                 * @example 2023
                 */
                crimeRateYear?: number | null;
                /** @description Natural and migratory balance, births and deaths per period between two censuses, oldest first. */
                demography?: components["schemas"]["StatsDemographyPeriod"][] | null;
                /** @description Turnout of elections, and results of the newest of each kind: the sums of the départements, where all of the région have them. */
                election?: components["schemas"]["StatsRegionElections"] | null;
                /** @description Facilities open to the public, all kinds. */
                equipements?: number | null;
                /**
                 * @description Year of equipements; null where that is. The others may be of other years.
                 * @example 2023
                 */
                equipementsYear?: number | null;
                /** @description Accounts of the région, one entry a year, oldest first, in euros. */
                finances?: components["schemas"]["StatsFinanceYear"][] | null;
                /** @description Life expectancy at birth, in years. */
                lifeExpectancy?: components["schemas"]["StatsLifeExpectancy"] | null;
                /** @description Median disposable income per consumption unit, euros a year. */
                medianIncome?: number | null;
                /**
                 * @description Year of medianIncome; null where that is. The others may be of other years.
                 * @example 2023
                 */
                medianIncomeYear?: number | null;
                /** @description Trend of three municipal elections on the same scale. */
                municipalWave?: components["schemas"]["StatsMunicipalWave"] | null;
                /** @description Gross domestic product per year, oldest first. */
                pib?: components["schemas"]["StatsGDPYear"][] | null;
                /** @description Left/right position derived from first rounds of national elections. */
                politicalScore?: components["schemas"]["StatsPoliticalScore"] | null;
                /** @description Municipal population, newest. */
                population?: number | null;
                /** @description Change of the municipal population between two census years, at least five years apart. */
                populationChange?: components["schemas"]["StatsChange"] | null;
                /** @description Inhabitants per census year, oldest first. */
                populationTimeline?: components["schemas"]["StatsYearPopulation"][] | null;
                /**
                 * @description Year of population; null where that is. The others may be of other years.
                 * @example 2023
                 */
                populationYear?: number | null;
                /** @description Share of the inhabitants below 60 % of the national median, in percent. */
                povertyRate?: number | null;
                /**
                 * @description Year of povertyRate; null where that is. The others may be of other years.
                 * @example 2023
                 */
                povertyRateYear?: number | null;
                /** @description Trend of three presidential elections on the same scale, against the nation. */
                presidentialWave?: components["schemas"]["StatsPresidentialWave"] | null;
                /** @description Ranks among the 18 régions. */
                rankings?: components["schemas"]["StatsRankings"] | null;
                /** @description Offences recorded by police and gendarmerie. Those of a région are the sums of its départements where the producer's own are older. */
                securite?: components["schemas"]["StatsSafety"] | null;
                /** @description Where the values are from that are plain numbers or lists, by key. */
                sources: {
                    [key: string]: components["schemas"]["StatsOrigin"];
                };
                /** @description Dwellings, newest census year. */
                totalHousing?: number | null;
                /**
                 * @description Year of totalHousing; null where that is. The others may be of other years.
                 * @example 2023
                 */
                totalHousingYear?: number | null;
                /** @description Localised unemployment rate (ILO), newest quarter, in percent. Where none is loaded rankings.censusUnemploymentRate has that of the census, which is higher. */
                unemploymentRate?: number | null;
                /**
                 * @description Year of unemploymentRate; null where that is. The others may be of other years.
                 * @example 2023
                 */
                unemploymentRateYear?: number | null;
                /** @description Vacant dwellings, newest census year. */
                vacantHousing?: number | null;
                /**
                 * @description Year of vacantHousing; null where that is. The others may be of other years.
                 * @example 2023
                 */
                vacantHousingYear?: number | null;
            };
        };
        ReportSource: {
            /** @description Always false: all data is real. Kept because the fields of v1 stay. */
            demonstration: boolean;
            /** @description Keys of the report that were looked for in it. */
            keys: string[];
            /** @description Licence of the data set. */
            licence: string;
            /** @description Who publishes it. */
            producer: string;
            /**
             * @description Name of the source.
             * @example radon
             */
            source: string;
            /** @description Title of the data set. */
            title: string;
            /** @description Edition, as the producer dates it: a day, a month or a year; null where the files do not say. */
            vintage: string | null;
        };
        Rga: {
            /**
             * @description faible, moyen or fort
             * @example moyen
             */
            label: string;
            /**
             * Format: int64
             * @description Level that covers most of the parcel
             */
            level: number;
            /**
             * Format: int64
             * @description Highest level on the parcel
             */
            maxLevel: number;
            /**
             * Format: double
             * @description Share of the parcel with this level, in percent
             */
            sharePct: number;
        };
        RiskPlan: {
            /**
             * @description Day of its approval.
             * @example 2019-07-16
             */
            approvedOn: string | null;
            /**
             * @description GASPAR reference
             * @example 38DDT20180003
             */
            id: string;
            /**
             * @description PPRN (natural), PPRT (technological) or PPRM (mining)
             * @example PPRN
             */
            kind: string | null;
            /** @description Name of the plan. */
            name: string | null;
            /**
             * @description Main risk of the plan
             * @example Mouvement de terrain
             */
            risk: string | null;
            /** @description All risks of the procedure, families before their details; empty when only the plan's map is loaded */
            risks: components["schemas"]["PlanRisk"][];
            /**
             * @description opposable, prescrit or caduque
             * @example opposable
             */
            state: string | null;
            /**
             * @description Last step of the procedure
             * @example approuvé
             */
            step: string | null;
            /** @description Regulatory zones that the parcel lies in, the largest share first, at most 20; empty when only the procedure is known, and when the parcel lies in none */
            zones: components["schemas"]["RiskPlanZone"][];
        };
        RiskPlanZone: {
            /**
             * @description Code of the zone in the plan's rules
             * @example RF
             */
            code: string | null;
            /**
             * @description Name of the zone.
             * @example interdiction - effondrement
             */
            label: string | null;
            /**
             * @description Kind of rule, by the code of the plan's data model
             * @example 03
             */
            rule: string | null;
            /**
             * Format: double
             * @description Share of the parcel, in percent
             */
            sharePct: number;
        };
        RiverStation: {
            /**
             * Format: int64
             * @description Altitude of the station in metres
             */
            altitudeM: number | null;
            /**
             * Format: int64
             * @description Metres from the parcel
             * @example 2100
             */
            distanceM: number;
            /** @description Date of the last sample; null when the source has none */
            lastSample: string | null;
            /**
             * @description Name of the station.
             * @example Lez à Montpellier
             */
            name: string | null;
            /**
             * @description Code of the station.
             * @example 06188750
             */
            stationId: string;
            /**
             * @description Name of the watercourse.
             * @example Le Lez
             */
            watercourse: string | null;
        };
        School: {
            /**
             * Format: int64
             * @description Distance from the parcel, in metres; null when the location of the school is not known.
             */
            distanceM: number | null;
            /**
             * Format: double
             * @description Social position index (IPS) of its pupils; the national mean is about 105.
             * @example 104.2
             */
            ips: number | null;
            /**
             * @description School year of the index.
             * @example 2022-2023
             */
            ipsSchoolYear: string | null;
            /**
             * @description Level: ecole, college or lycee.
             * @enum {string}
             */
            level: "ecole" | "college" | "lycee";
            /**
             * @description Why it is in the list: distance, or commune where no locations are loaded. The schools of a commune stand by level and name, not by nearness.
             * @enum {string}
             */
            listedBy: "distance" | "commune";
            /** @description Name of the school. */
            name: string;
            /**
             * @description public or private.
             * @enum {string|null}
             */
            sector: "public" | "private" | null;
            /**
             * Format: int64
             * @description Session of the success rate.
             * @example 2024
             */
            session: number | null;
            /**
             * Format: double
             * @description Success rate at the brevet or the baccalauréat, in percent; null for primary schools.
             * @example 86
             */
            successRatePct: number | null;
            /**
             * @description Identifier of the school.
             * @example 0340001A
             */
            uai: string;
        };
        Seat: {
            /**
             * @description Its code.
             * @example 93
             */
            code: string;
            /**
             * @description Kind of territory.
             * @example departement
             * @enum {string}
             */
            kind: "departement" | "region";
            /**
             * @description Its name.
             * @example Seine-Saint-Denis
             */
            name: string;
        };
        SectionParcels: {
            /**
             * Format: int64
             * @description Number of its parcels.
             * @example 120
             */
            parcels: number;
            /**
             * @description Name of the section, behind its prefix where that is not 000; in Paris, Lyon and Marseille behind the arrondissement.
             * @example AB
             */
            section: string;
        };
        Seisme: {
            /**
             * @description très faible, faible, modérée, moyenne or forte
             * @example modérée
             */
            label: string;
            /**
             * Format: int64
             * @description Zone, from 1 to 5
             */
            zone: number;
        };
        ServiceCounts: {
            /**
             * Format: int64
             * @description Schools and universities.
             */
            education: number;
            /**
             * Format: int64
             * @description Health and social action.
             */
            health: number;
            /**
             * Format: int64
             * @description Services to the public: post offices, banks, craftsmen, restaurants.
             */
            services: number;
            /**
             * Format: int64
             * @description Shops.
             */
            shops: number;
            /**
             * Format: int64
             * @description Sports, leisure and culture.
             */
            sports: number;
            /**
             * Format: int64
             * @description Tourism.
             */
            tourism: number;
            /**
             * Format: int64
             * @description Transport.
             */
            transport: number;
        };
        Shop: {
            /**
             * Format: int64
             * @description Distance from the parcel, in metres.
             */
            distanceM: number;
            /** @description Name, where the source has it. */
            name: string | null;
            /**
             * @description Data set: BPE (INSEE) or OpenStreetMap (ODbL, © OpenStreetMap contributors).
             * @enum {string}
             */
            source: "BPE" | "OpenStreetMap";
        };
        SoilPh: {
            /**
             * Format: double
             * @description pH in water at 0 to 5 cm
             * @example 6.4
             */
            ph0to5: number | null;
            /**
             * Format: double
             * @description pH in water at 5 to 15 cm
             * @example 6.5
             */
            ph5to15: number | null;
            /**
             * Format: int64
             * @description Side of a cell in metres
             * @example 250
             */
            resolutionM: number | null;
            /**
             * @description Name of the model
             * @example SoilGrids
             */
            source: string;
        };
        Station: {
            /**
             * Format: int64
             * @description Distance from the parcel, in metres.
             */
            distanceM: number;
            /**
             * @description Name of the station.
             * @example Montpellier Saint-Roch
             */
            name: string;
            /**
             * @description UIC code, the first where it has several.
             * @example 87773002
             */
            uic: string;
        };
        StatsAirQuality: {
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /**
             * @description modelled: estimated for the commune from models and stations; nearestStation: measured at the nearest station.
             * @enum {string}
             */
            method: "modelled" | "nearestStation";
            /** @description Nitrogen dioxide. */
            no2: components["schemas"]["StatsPollutant"] | null;
            /** @description Ozone in the peak season; null where only other ozone indicators are known, none of which is a substitute. */
            o3: components["schemas"]["StatsOzone"] | null;
            /** @description Particles of at most 10 µm. */
            pm10: components["schemas"]["StatsPollutant"] | null;
            /** @description Particles of at most 2.5 µm. */
            pm25: components["schemas"]["StatsPollutant"] | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsArrondissement: {
            /** @description Codes of the arrondissements that have it. */
            codes: string[];
            /**
             * Format: int64
             * @description Category (radon) or zone (seisme).
             * @example 1
             */
            value: number;
        };
        StatsBlocShares: {
            /**
             * Format: double
             * @description Percent of the votes expressed.
             * @example 27.9
             */
            centrePct: number;
            /**
             * Format: double
             * @description Percent of the votes expressed.
             * @example 1.7
             */
            farLeftPct: number;
            /**
             * Format: double
             * @description Percent of the votes expressed.
             * @example 28.8
             */
            farRightPct: number;
            /**
             * Format: double
             * @description Percent of the votes expressed.
             * @example 30.1
             */
            leftPct: number;
            /**
             * Format: double
             * @description Percent of the votes expressed: candidates and lists without a place on the scale.
             * @example 3.1
             */
            otherPct: number;
            /**
             * Format: double
             * @description Percent of the votes expressed.
             * @example 8.4
             */
            rightPct: number;
        };
        StatsBody: {
            /**
             * @description Its code of nine digits (SIREN).
             * @example 200054781
             */
            code: string;
            /**
             * Format: int64
             * @description How many communes it has.
             * @example 130
             */
            communes: number;
            /**
             * @description Its name, as listed.
             * @example Métropole du Grand Paris
             */
            name: string;
            /** @description Its inhabitants. Null where the number of one of its communes is not known of the newest census. */
            population: components["schemas"]["StatsBodyPopulation"] | null;
        };
        StatsBodyPopulation: {
            /**
             * Format: int64
             * @description Municipal population, inhabitants: the sum of those of its communes, all of one census year.
             * @example 7096258
             */
            municipal: number;
            /** @description What the number is. */
            note: string;
            /**
             * @description Producer and title of the populations of the communes.
             * @example INSEE, Populations légales
             */
            source: string;
            /**
             * Format: int64
             * @description Census year.
             * @example 2023
             */
            year: number;
        };
        StatsBuildPeriod: {
            /**
             * Format: int64
             * @description Number built before 1919.
             * @example 400
             */
            before1919: number | null;
            /**
             * Format: int64
             * @description Number built since 2006.
             * @example 900
             */
            since2006: number | null;
            /**
             * Format: int64
             * @description Number built from 1919 to 1945.
             * @example 300
             */
            y1919to1945: number | null;
            /**
             * Format: int64
             * @description Number built from 1946 to 1970.
             * @example 700
             */
            y1946to1970: number | null;
            /**
             * Format: int64
             * @description Number built from 1971 to 1990.
             * @example 1500
             */
            y1971to1990: number | null;
            /**
             * Format: int64
             * @description Number built from 1991 to 2005.
             * @example 1100
             */
            y1991to2005: number | null;
        };
        StatsCandidate: {
            /**
             * Format: double
             * @description Only of presidential candidates: sharePct in the 101 départements together, from their counts, to compare with. It is not that of France as it is announced, which has the overseas collectivities and the French abroad too. Absent where the results of a département are not loaded.
             * @example 21.95
             */
            allDepartementsSharePct?: number;
            /**
             * @description farLeft, left, centre, right or farRight in the published table; null for what has no place in it.
             * @example left
             */
            bloc: string | null;
            /**
             * Format: double
             * @description Only of presidential candidates: sharePct in all of France, the overseas collectivities and the French abroad among it. Absent where the loaded files lack these.
             * @example 21.95
             */
            franceSharePct?: number;
            /**
             * @description Only of presidential candidates and of votes by nuance: the surname or the code of the nuance in letters and digits, by which fields and sort name one of the results, such as election.presidential.round2.results.LEPEN.sharePct.
             * @example MELENCHON
             */
            key?: string;
            /**
             * @description Candidate, or title of the list; null where votes are published by nuance.
             * @example Jean-Luc MÉLENCHON
             */
            name: string | null;
            /**
             * @description Political label assigned by the ministry, as its code; null where it assigned none, as for presidential candidates.
             * @example RN
             */
            nuance: string | null;
            /**
             * @description Party, or the meaning of the nuance; null if not known.
             * @example La France insoumise
             */
            party: string | null;
            /**
             * Format: double
             * @description Votes in percent of those expressed; null for all of them where a provisional file has more votes than were expressed.
             * @example 34.49
             */
            sharePct: number | null;
            /**
             * Format: int64
             * @description Votes.
             * @example 6055
             */
            votes: number;
        };
        StatsCatnat: {
            /** @description The orders by kind of disaster, the most frequent first. */
            byRisk: components["schemas"]["StatsCatnatCount"][];
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description The newest orders, newest event first, at most 5 of total. The report of a parcel of the commune lists up to 100. */
            orders: components["schemas"]["CatnatOrder"][];
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Number of orders for the commune; those for a former commune count for the current one.
             * @example 12
             */
            total: number;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsCatnatCount: {
            /**
             * @description First day of the newest event; null where the file has none.
             * @example 2021-06-19
             */
            newest: string | null;
            /**
             * Format: int64
             * @description Number of orders.
             * @example 7
             */
            orders: number;
            /**
             * @description Kind of disaster, in the words of the orders.
             * @example Inondations et/ou Coulées de Boue
             */
            risk: string;
        };
        StatsChange: {
            /**
             * Format: int64
             * @description Inhabitants of the last year minus those of the first: negative where it shrank.
             * @example 1290
             */
            number: number;
            /**
             * Format: double
             * @description The same in percent of those of the first year, over the whole time, not a year.
             * @example 2.45
             */
            percent: number;
            /**
             * Format: int64
             * @description Last census year.
             * @example 2023
             */
            periodEnd: number;
            /**
             * Format: int64
             * @description First census year.
             * @example 2016
             */
            periodStart: number;
            /** @description True where there were fewer than 200 inhabitants in the first year. */
            smallBase?: boolean;
        };
        StatsClimateAnomaly: {
            /**
             * Format: double
             * @description Mean temperature of the year minus the normal, in degrees Celsius.
             * @example 0.84
             */
            anomalyC: number | null;
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /**
             * Format: double
             * @description Mean anomaly of the ten years up to this one, in degrees Celsius; null if fewer than eight of them are known.
             */
            decadeAnomalyC: number | null;
            /**
             * Format: double
             * @description Mean temperature of the year at the station, in degrees Celsius; null for départements and régions, whose temperatures are not averaged.
             */
            meanC: number | null;
            /**
             * Format: double
             * @description Mean temperature of the reference period at the station, in degrees Celsius; null for départements and régions.
             */
            normalC: number | null;
            /**
             * @description Years whose mean is the normal temperature.
             * @example 1991-2020
             */
            referencePeriod: string;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /** @description Nearest station with a normal and this year, at most 40 km away; null for départements and régions. */
            station: components["schemas"]["StatsClimateStation"] | null;
            /**
             * Format: int64
             * @description For départements and régions: number of stations averaged for the anomaly of the year; null for communes.
             */
            stations: number | null;
            /** @description By year since 1950, oldest first; only years with all twelve months. */
            timeline: components["schemas"]["StatsClimateYear"][];
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsClimateStation: {
            /**
             * Format: double
             * @description Metres above sea level. A commune at another altitude is warmer or colder, but its anomaly is much the same.
             */
            altitudeM: number | null;
            /**
             * Format: double
             * @description Distance from the middle of the commune, in kilometres.
             */
            distanceKm: number | null;
            /**
             * @description Number at Météo-France.
             * @example 64024001
             */
            id: string;
            /**
             * @description Its name at Météo-France.
             * @example BIARRITZ-PAYS-BASQUE
             */
            name: string;
        };
        StatsClimateYear: {
            /**
             * Format: double
             * @description Degrees Celsius above (or below) the normal.
             */
            anomalyC: number | null;
            /**
             * Format: int64
             * @description Year of the anomaly.
             */
            year: number;
        };
        StatsCommuneDistricts: {
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description All of them, by code. */
            districts: components["schemas"]["StatsPriorityDistrict"][];
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Number of priority districts that lie in the commune, as a whole or in part.
             * @example 5
             */
            total: number;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsCommuneInstallation: {
            /** @description Whether it is in operation. */
            active: boolean | null;
            /** @description Address, as the file has it. */
            address: string | null;
            /**
             * @description AIOT code.
             * @example 0006516611
             */
            id: string;
            /** @description Name of the establishment; null where the file has none, and where it is, or may be, that of a person. */
            name: string | null;
            /**
             * @description Legal regime, in the words of the producer.
             * @example Autorisation
             */
            regime: string | null;
            /**
             * @description Seveso status, in the words of the producer.
             * @example Non Seveso
             */
            seveso: string | null;
            /**
             * @description State of the activity.
             * @example En exploitation avec titre
             */
            status: string | null;
        };
        StatsCommuneRank: {
            /**
             * Format: double
             * @description Only where the value is of most communes: the share of the inhabitants (0 to 1) that live in these.
             * @example 0.9998
             */
            coverage?: number;
            /** @description Among the communes of its département. */
            departement: components["schemas"]["StatsPosition"] | null;
            /**
             * @description desc: the highest value has rank 1; asc: the lowest.
             * @enum {string}
             */
            direction: "desc" | "asc";
            /** @description The figure for France to compare the value with, of the same period; null where none can be said, as for medians whose producer's national figure is not loaded. */
            france: components["schemas"]["StatsFrance"] | null;
            /** @description The years of the figures that the value is computed from, where they are of several: inhabitants of 2023 on the land area of 2021. */
            mixedYears?: number[];
            /** @description Among all communes. */
            national: components["schemas"]["StatsPosition"];
            /**
             * @description Period of the values as named by the producer, where it is not a year: a quarter, or the first and last year of a change.
             * @example 2016-2023
             */
            period?: string;
            /** @description True where the value is a share of fewer than 200 persons, dwellings or inhabitants: one more or less moves it and the rank. Of fewer than 200 INSEE advises not to use census counts. */
            smallBase?: boolean;
            /** @description Producer and title of the data set. */
            source: string;
            /**
             * @description What value and the figure for France are counted in.
             * @example percent per year
             */
            unit: string;
            /**
             * Format: double
             * @description Ranked value, in unit.
             * @example 0.61
             */
            value: number;
            /**
             * Format: int64
             * @description Year of the values, the same for all that are ranked: those without a value of it have no rank.
             * @example 2021
             */
            year: number | null;
        };
        StatsCommuneRankings: {
            /** @description Accessibility of general practitioners, consultations a year per standardised inhabitant, highest first. */
            apl: components["schemas"]["StatsCommuneRank"] | null;
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description Debt of the authority per inhabitant, euros, lowest first. */
            debtPerInhabitant: components["schemas"]["StatsCommuneRank"] | null;
            /** @description What the ranks are. */
            definition: components["schemas"]["StatsDefinition"] | null;
            /** @description Inhabitants per km² of land, as INSEE publishes it, highest first. */
            density: components["schemas"]["StatsCommuneRank"] | null;
            /** @description Facilities per 10 000 inhabitants, highest first, counted over the loaded facilities, with the population of the census nearest to their year: in Mayotte that of 2017. */
            equipmentPer10000: components["schemas"]["StatsCommuneRank"] | null;
            /** @description Change of the population, in percent a year, highest first. */
            growth: components["schemas"]["StatsCommuneRank"] | null;
            /** @description Median disposable income per consumption unit, euros a year, highest first. */
            medianIncome: components["schemas"]["StatsCommuneRank"] | null;
            /** @description Municipal population, highest first. */
            population: components["schemas"]["StatsCommuneRank"] | null;
            /** @description Share of the inhabitants below 60 % of the national median, in percent, lowest first. */
            povertyRate: components["schemas"]["StatsCommuneRank"] | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /** @description Second homes in percent of all dwellings (census), highest first. */
            secondaryHomeRate: components["schemas"]["StatsCommuneRank"] | null;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /** @description Unemployment in percent, lowest first: census rate for communes, localised rate (ILO) for départements and régions. The two are not comparable. */
            unemploymentRate: components["schemas"]["StatsCommuneRank"] | null;
            /** @description Vacant dwellings in percent of all (census), lowest first. */
            vacancyRate: components["schemas"]["StatsCommuneRank"] | null;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsCommuneRisks: {
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description Families (two digits) first, then their details. */
            risks: components["schemas"]["CommuneRisk"][];
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsCommuneSite: {
            /** @description What was done there, in the words of the producer. */
            activity: string | null;
            /**
             * @description Codes of the activities in the list of the register: NAF of 2003 behind one or two letters, g50.2 is the repair of vehicles.
             * @example g50.2, g50.5
             */
            activityCodes: string | null;
            /**
             * @description Address, as the file has it.
             * @example 17 Allée BECQUEREL
             */
            address: string | null;
            /**
             * @description Identifier of the producer.
             * @example IDF9303349
             */
            id: string;
            /**
             * @description Name of the site; null where the file has none, and where it is, or may be, that of a person.
             * @example GARAGE BECQUEREL
             */
            name: string | null;
            /**
             * @description Register: CASIAS, or ADEME for sites managed by the State.
             * @example CASIAS
             */
            register: string | null;
            /**
             * @description State of the site, in the words of the producer.
             * @example Activité terminée
             */
            status: string | null;
        };
        StatsCommuneStation: {
            /**
             * Format: int64
             * @description Great-circle distance from a point in the middle of the commune, in metres.
             * @example 690
             */
            distanceM: number;
            /**
             * @description Name of the station.
             * @example Bondy
             */
            name: string | null;
            /**
             * @description UIC code, the first where it has several.
             * @example 87113712
             */
            uic: string;
        };
        StatsContest: {
            /** @description True where the file says that its numbers are provisional: those of the night of the vote, before they were checked. Absent where it does not say so. */
            provisional?: boolean;
            /** @description First round; null if not known. */
            round1: components["schemas"]["StatsRound"] | null;
            /** @description Second round; null where it was not held, and where its results are not loaded. */
            round2: components["schemas"]["StatsRound"] | null;
            /**
             * @description Producer and title of the data set.
             * @example Ministère de l'Intérieur, Élection présidentielle 2022
             */
            source: string;
            /**
             * Format: int64
             * @description Year of the election.
             * @example 2022
             */
            year: number;
        };
        StatsDefinition: {
            /**
             * @description Path, on this service, of the public page that explains how it is computed. It stays the same.
             * @example /methods#crime
             */
            link: string;
            /** @description What the figure is, in a sentence. */
            text: string;
        };
        StatsDemographyPeriod: {
            /**
             * Format: double
             * @description Births per 1 000 inhabitants a year.
             */
            birthRatePer1000: number | null;
            /**
             * Format: double
             * @description Deaths per 1 000 inhabitants a year.
             * @example 6.1
             */
            deathRatePer1000: number | null;
            /**
             * Format: int64
             * @description Mean of the inhabitants at the two censuses, of which the rates are; null where not both are loaded.
             * @example 1660000
             */
            meanPopulation: number | null;
            /**
             * Format: int64
             * @description The rest of the change over the whole period, in inhabitants: arrivals minus departures.
             */
            migratoryBalance: number | null;
            /**
             * Format: double
             * @description Migratory balance, in percent of the mean population a year.
             */
            migratoryPctPerYear: number | null;
            /**
             * Format: int64
             * @description Births minus deaths over the whole period. Null unless known for each year.
             */
            naturalBalance: number | null;
            /**
             * Format: double
             * @description Natural balance, in percent of the mean population a year.
             */
            naturalPctPerYear: number | null;
            /**
             * Format: int64
             * @description Census year at the end of the period.
             * @example 2018
             */
            periodEnd: number;
            /**
             * Format: int64
             * @description Census year at the start of the period.
             * @example 2013
             */
            periodStart: number;
        };
        StatsDoctors: {
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /**
             * Format: double
             * @description Accessible consultations per standardised inhabitant per year. For a département: the mean of its communes, weighted by their standardised population.
             * @example 3.2
             */
            generalPractitioners: number | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * Format: double
             * @description For départements: inhabitants of communes below 2.5 consultations, in percent of those of all communes with a figure; null for communes.
             */
            shareUnderservedPct: number | null;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /** @description By year, oldest first. */
            timeline: components["schemas"]["StatsDoctorsYear"][];
            /**
             * Format: double
             * @description The same, for practitioners aged 60 or less only.
             */
            under60: number | null;
            /**
             * Format: double
             * @description The same, for practitioners aged 62 or less only.
             */
            under62: number | null;
            /**
             * Format: double
             * @description The same, for practitioners aged 65 or less only.
             */
            under65: number | null;
            /** @description Whether there are fewer than 2.5 consultations, the threshold of DREES. */
            underserved: boolean | null;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsDoctorsYear: {
            /**
             * Format: double
             * @description Accessible consultations per standardised inhabitant per year.
             */
            generalPractitioners: number | null;
            /**
             * Format: int64
             * @description Year of the figure.
             */
            year: number;
        };
        StatsEPCI: {
            /**
             * @description Its code of nine digits (SIREN).
             * @example 200054781
             */
            code: string;
            /**
             * Format: int64
             * @description How many communes it has.
             * @example 130
             */
            communes: number;
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /**
             * @description Kind of body, by its name; metropole also for the Métropole de Lyon, which is a collectivity of its own.
             * @example metropole
             * @enum {string}
             */
            kind: "communauteDeCommunes" | "communauteDAgglomeration" | "communauteUrbaine" | "metropole";
            /**
             * @description Its name, as listed.
             * @example Métropole du Grand Paris
             */
            name: string;
            /** @description Its inhabitants. Null where the number of one of its communes is not known of the newest census. */
            population: components["schemas"]["StatsBodyPopulation"] | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /** @description Of communes of the Métropole du Grand Paris the territory (établissement public territorial); null for all others, and for Paris, which is one itself. */
            territory: components["schemas"]["StatsBody"] | null;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsElectionTurnout: {
            /**
             * Format: double
             * @description turnoutPct of the 101 départements together, from their counts, to compare with. It is not that of France as it is announced, which has the overseas collectivities and the French abroad too. Null where the counts of a département are not loaded.
             * @example 73.26
             */
            allDepartementsTurnoutPct: number | null;
            /** @description True where the counts are those before the Constitutional Council struck some votes: the result that it declared has slightly fewer. */
            beforeAnnulments?: boolean;
            /**
             * @description Year, kind (pres, legi, euro, muni) and round.
             * @example 2022_pres_t1
             */
            electionId: string;
            /** @description True where the file says that its numbers are provisional: those of the night of the vote, before they were checked. Absent where it does not say so. */
            provisional?: boolean;
            /**
             * Format: int64
             * @description Registered voters.
             * @example 5730461
             */
            registered: number | null;
            /**
             * @description Producer and title of the data set.
             * @example Ministère de l'Intérieur, Élection présidentielle 2022
             */
            source: string;
            /**
             * Format: double
             * @description Voters in percent of the registered.
             * @example 76.38
             */
            turnoutPct: number | null;
            /**
             * Format: int64
             * @description Number who voted.
             * @example 4376853
             */
            voters: number | null;
            /**
             * Format: int64
             * @description Year of the election.
             * @example 2022
             */
            year: number;
        };
        StatsElections: {
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description The newest European election whose results are loaded for the place, which has one round; null where its results are not known. */
            european: components["schemas"]["StatsContest"] | null;
            /** @description The newest legislative election whose results are loaded for the place, by nuance in départements and régions; null where its results are not known. */
            legislative: components["schemas"]["StatsContest"] | null;
            /** @description The newest municipal election whose results are loaded for the place; null where its results are not known. */
            municipal: components["schemas"]["StatsMunicipalContest"] | null;
            /** @description Elections that are newer than those given, or of a kind that is not given, and that no source is loaded of on this server; empty where all of the newest are. */
            notLoaded: components["schemas"]["StatsMissingElection"][];
            /** @description The newest presidential election whose results are loaded for the place; null where its results are not known. */
            presidential: components["schemas"]["StatsContest"] | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsEmployment: {
            /**
             * Format: int64
             * @description Number of inhabitants aged 15 to 64 who work or look for work.
             * @example 25700
             */
            active1564: number | null;
            /**
             * Format: double
             * @description Active in percent of the inhabitants aged 15 to 64.
             * @example 73.85
             */
            activityRatePct: number | null;
            /**
             * Format: double
             * @description Unemployed in percent of the active, as defined by the census: not comparable with localised (ILO) rates.
             * @example 15.95
             */
            censusUnemploymentRatePct: number | null;
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /**
             * Format: int64
             * @description Number of inhabitants aged 15 to 64 who work.
             * @example 21600
             */
            employed1564: number | null;
            /**
             * Format: double
             * @description Employed in percent of the inhabitants aged 15 to 64.
             * @example 62.07
             */
            employmentRatePct: number | null;
            /** @description The zone d'emploi of the commune; null for départements and régions. */
            employmentZone: components["schemas"]["StatsEmploymentZone"] | null;
            /**
             * Format: int64
             * @description Number of jobs located in the territory, wherever the workers live.
             * @example 15900
             */
            jobsAtWorkplace: number | null;
            /**
             * Format: int64
             * @description Number of inhabitants aged 15 to 64.
             * @example 34800
             */
            population1564: number | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /** @description True where fewer than 200 are active: one more or less moves the rates, and INSEE advises not to use census counts of so few. */
            smallBase?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Number of inhabitants aged 15 to 64 who declare themselves unemployed.
             * @example 4100
             */
            unemployed1564: number | null;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsEmploymentZone: {
            /**
             * @description Code of the zone d'emploi of 2020.
             * @example 1109
             */
            code: string;
            /**
             * @description Its name; null where no source has it.
             * @example Paris
             */
            name: string | null;
            /**
             * @description That quarter.
             * @example 2025-T4
             */
            quarter: string | null;
            /** @description Producer and title of the data set of the rates. */
            source: string | null;
            /** @description The rate of each quarter, oldest first. */
            timeline: components["schemas"]["StatsQuarterlyRate"][];
            /**
             * Format: double
             * @description Localised unemployment rate of the whole zone (ILO, seasonally adjusted), newest quarter, in percent.
             * @example 6.9
             */
            unemploymentRatePct: number | null;
        };
        StatsFacilities: {
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description Numbers by family, from the newest complete edition. */
            families: components["schemas"]["StatsFacilityFamilies"] | null;
            /** @description Numbers of further types (hotels, campsites, restaurants, dentists …), from the newest edition that has them, which may be much older than that of selected. */
            others: components["schemas"]["StatsOtherFacilities"] | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /** @description Numbers of some types. */
            selected: components["schemas"]["StatsSelectedFacilities"] | null;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Number of all facilities in the year of the block; null when the newest complete edition is older: its number is in families.
             * @example 1339
             */
            total: number | null;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsFacilityFamilies: {
            /**
             * Format: int64
             * @description Number of educational facilities (C).
             * @example 12
             */
            education: number | null;
            /**
             * Format: int64
             * @description Number of health and social care facilities (D).
             * @example 157
             */
            health: number | null;
            /**
             * Format: int64
             * @description Number of sports, leisure and cultural facilities (F).
             * @example 18
             */
            leisure: number | null;
            /**
             * Format: int64
             * @description Number of personal and public services (domain A).
             * @example 810
             */
            services: number | null;
            /**
             * Format: int64
             * @description Number of shops (B).
             * @example 270
             */
            shops: number | null;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Base permanente des équipements 2013
             */
            source: string;
            /**
             * Format: int64
             * @description Number of facilities of all families.
             * @example 1339
             */
            total: number | null;
            /**
             * Format: int64
             * @description Number of tourism facilities (G).
             * @example 66
             */
            tourism: number | null;
            /**
             * Format: int64
             * @description Number of transport facilities, including taxis (E).
             * @example 6
             */
            transport: number | null;
            /**
             * Format: int64
             * @description Year of the edition. Types change between editions, which are not comparable.
             * @example 2013
             */
            year: number | null;
        };
        StatsFacilityPer10k: {
            /**
             * Format: double
             * @description General practitioners per 10 000 inhabitants.
             * @example 13.2
             */
            gp: number | null;
            /**
             * Format: double
             * @description Nurses in private practice per 10 000 inhabitants.
             * @example 34.7
             */
            nurse: number | null;
            /**
             * Format: double
             * @description Pharmacies per 10 000 inhabitants.
             * @example 3.3
             */
            pharmacy: number | null;
            /**
             * Format: int64
             * @description Year of the population.
             * @example 2023
             */
            populationYear: number | null;
        };
        StatsFacilityTypes: {
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description Number of educational facilities by type: nursery schools are École maternelle. */
            education: {
                [key: string]: number;
            };
            /** @description Number of health and social care facilities by type, specialists among them. */
            health: {
                [key: string]: number;
            };
            /** @description Number of sports, leisure and cultural facilities by type. */
            leisure: {
                [key: string]: number;
            };
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /** @description Number of personal and public services by type. */
            services: {
                [key: string]: number;
            };
            /** @description Number of shops by type. */
            shops: {
                [key: string]: number;
            };
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Number of facilities of all types.
             */
            total: number;
            /** @description Number of tourism facilities by type. */
            tourism: {
                [key: string]: number;
            };
            /** @description Number of transport facilities by type. */
            transport: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsFinancePerInhabitant: {
            /**
             * Format: double
             * @description Euros per inhabitant.
             */
            debt: number | null;
            /**
             * Format: double
             * @description Euros per inhabitant.
             */
            grossSaving: number | null;
            /**
             * Format: double
             * @description Euros per inhabitant.
             */
            investmentExpenditure: number | null;
            /**
             * Format: double
             * @description Euros per inhabitant.
             */
            localTaxes: number | null;
            /**
             * Format: double
             * @description Euros per inhabitant.
             */
            operatingExpenditure: number | null;
            /**
             * Format: double
             * @description Euros per inhabitant.
             */
            operatingRevenue: number | null;
            /**
             * Format: double
             * @description Euros per inhabitant.
             */
            staffCosts: number | null;
        };
        StatsFinanceYear: {
            /**
             * Format: int64
             * @description Encours de dette, in euros.
             */
            debt: number | null;
            /**
             * Format: double
             * @description Years of gross saving needed to repay the debt; null where there is no saving.
             */
            debtCapacityYears: number | null;
            /**
             * Format: int64
             * @description Annuité de la dette, in euros.
             */
            debtService: number | null;
            /**
             * Format: int64
             * @description Épargne brute, in euros.
             */
            grossSaving: number | null;
            /**
             * Format: int64
             * @description Dépenses d'investissement, in euros.
             */
            investmentExpenditure: number | null;
            /**
             * Format: int64
             * @description Impôts locaux, in euros.
             */
            localTaxes: number | null;
            /**
             * Format: int64
             * @description Épargne nette, in euros.
             */
            netSaving: number | null;
            /**
             * Format: int64
             * @description Dépenses de fonctionnement, in euros.
             */
            operatingExpenditure: number | null;
            /**
             * Format: int64
             * @description Recettes de fonctionnement, in euros.
             */
            operatingRevenue: number | null;
            /** @description The same amounts per inhabitant. */
            perInhabitant: components["schemas"]["StatsFinancePerInhabitant"];
            /**
             * Format: int64
             * @description Population used for the amounts per inhabitant, as published by the producer for that year.
             */
            population: number | null;
            /**
             * Format: double
             * @description Gross saving in percent of operating revenue; null where there is no saving.
             */
            savingRatePct: number | null;
            /**
             * Format: int64
             * @description Frais de personnel, in euros.
             */
            staffCosts: number | null;
            /**
             * Format: int64
             * @description Financial year (exercice).
             */
            year: number;
        };
        StatsFrance: {
            /**
             * @description producer: the national figure that the producer publishes. totals: the same computation from the totals of France, all inhabitants or dwellings together; of accounts, from the totals of all authorities of the level. weighted: the mean weighted as for a département. mean: the mean of the ranked territories, each counted once (population alone).
             * @example totals
             * @enum {string}
             */
            basis: "producer" | "totals" | "weighted" | "mean";
            /**
             * Format: double
             * @description The share of the inhabitants (0 to 1) that live where the figure is known; absent when that is all of them.
             */
            coverage?: number;
            /** @description Producer and title of the data set, where it is not that of the value. */
            source?: string;
            /**
             * Format: double
             * @description With the basis mean: the ranked territories together, as the inhabitants of all of them.
             */
            sum?: number;
            /**
             * Format: double
             * @description The figure for France: always of the period of the ranked values, and by the same definition.
             * @example 106.7
             */
            value: number;
        };
        StatsGDPYear: {
            /**
             * Format: double
             * @description Gross domestic product in current prices, in millions of euros.
             */
            gdpMillionEur: number | null;
            /**
             * Format: int64
             * @description Per inhabitant, in euros, as published.
             */
            gdpPerCapitaEur: number | null;
            /** @description Producer and title of the data set. */
            source: string;
            /**
             * @description Status of the figure; null where the source has none.
             * @enum {string|null}
             */
            status: "final" | "semiFinal" | "provisional" | null;
            /**
             * Format: int64
             * @description Year of the accounts.
             */
            year: number;
        };
        StatsGeography: {
            /** @description Whether the law on the coast (loi Littoral) applies. */
            coastal: boolean | null;
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /**
             * Format: double
             * @description Kilometres to the coast; 0 for a commune on it.
             * @example 9.8
             */
            distanceToCoastKm: number | null;
            /**
             * Format: double
             * @description Kilometres to the nearest commune classed as mountain; 0 inside.
             * @example 41
             */
            distanceToMountainKm: number | null;
            /**
             * Format: double
             * @description Highest point, in metres.
             */
            elevationMaxM: number | null;
            /**
             * Format: double
             * @description Mean elevation above sea level, in metres.
             * @example 57.3
             */
            elevationMeanM: number | null;
            /**
             * Format: double
             * @description Lowest point, in metres.
             */
            elevationMinM: number | null;
            /**
             * @description Massif of the commune; null outside any massif, or where it is not known.
             * @example Massif central
             */
            massif: string | null;
            /** @description How the figures were computed, according to the source. */
            method: string | null;
            /** @description Whether it is classed as mountain (loi Montagne). */
            mountainClassified: boolean | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsHeating: {
            /**
             * Format: double
             * @description Bottled or tank gas, in percent.
             * @example 2.4
             */
            bottledGasPct: number | null;
            /**
             * Format: double
             * @description Electricity, in percent.
             * @example 41
             */
            electricPct: number | null;
            /**
             * Format: double
             * @description Town gas, in percent.
             * @example 35.1
             */
            gasPct: number | null;
            /**
             * Format: double
             * @description Heating oil, in percent.
             * @example 8.8
             */
            oilPct: number | null;
            /**
             * Format: double
             * @description Other fuels, district heating among them, in percent.
             * @example 12.7
             */
            otherPct: number | null;
        };
        StatsHousing: {
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description Vacancy of private dwellings according to the tax files (LOVAC): a different definition from the census, with up to twice as many. */
            privateVacancy: components["schemas"]["StatsPrivateVacancy"] | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /** @description Dwellings per census year, oldest first; null when no census year is known. */
            timeline: components["schemas"]["StatsHousingYear"][] | null;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsHousingYear: {
            /**
             * Format: int64
             * @description Number of flats.
             * @example 4700
             */
            apartments: number | null;
            /**
             * Format: int64
             * @description Number of houses.
             * @example 8100
             */
            houses: number | null;
            /**
             * Format: int64
             * @description Number of main residences.
             * @example 5063
             */
            main: number | null;
            /** @description True where the counts are of a copy that has rounded them; vacancyRatePct is of the exact ones then where the copy publishes it. */
            rounded?: boolean;
            /**
             * Format: int64
             * @description Number of second homes and occasional dwellings.
             * @example 7657
             */
            secondary: number | null;
            /**
             * Format: double
             * @description Second homes in percent of all dwellings.
             * @example 58.96
             */
            secondaryRatePct: number | null;
            /** @description True where there are fewer than 200 dwellings: one more or less moves the shares, and INSEE advises not to use census counts of so few. */
            smallBase?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Recensement de la population, logement
             */
            source: string;
            /**
             * Format: int64
             * @description Number of dwellings.
             * @example 12986
             */
            total: number | null;
            /**
             * Format: double
             * @description Vacant dwellings in percent of all.
             * @example 2.05
             */
            vacancyRatePct: number | null;
            /**
             * Format: int64
             * @description Number of vacant dwellings.
             * @example 266
             */
            vacant: number | null;
            /**
             * Format: int64
             * @description Census year.
             * @example 2021
             */
            year: number | null;
        };
        StatsIcpe: {
            /** @description Their number by legal regime, in the words of the producer, the most frequent first. */
            byRegime: components["schemas"]["StatsSiteCount"][];
            /** @description Their number by Seveso status, of those of which the file has it. */
            bySeveso: components["schemas"]["StatsSiteCount"][];
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description Seveso first, then by regime and name, at most 100. */
            installations: components["schemas"]["StatsCommuneInstallation"][];
            /** @description Which installations are in no commune, and which names are left out. */
            note: string;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * Format: int64
             * @description How many of total are listed.
             */
            shown: number;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Number in the commune: those that the file places in it by its code, else by their position.
             * @example 59
             */
            total: number;
            /** @description True where there are more than are listed. */
            truncated: boolean;
            /**
             * Format: int64
             * @description How many of the file have neither a position nor a commune: some may lie here, and are not in total.
             * @example 368
             */
            unassigned: number;
            /**
             * Format: int64
             * @description How many of total are only known to be in the commune: reports of parcels lack them.
             * @example 0
             */
            withoutPosition: number;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsIncome: {
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /**
             * Format: double
             * @description First decile: upper limit of the income of the poorest tenth, euros a year per consumption unit.
             * @example 11890
             */
            d1: number | null;
            /**
             * Format: double
             * @description Ninth decile: lower limit of the income of the richest tenth, euros a year per consumption unit.
             * @example 36450
             */
            d9: number | null;
            /**
             * Format: double
             * @description Gini index of inequality, from 0 (all have the same) to 1.
             * @example 0.303
             */
            gini: number | null;
            /**
             * Format: double
             * @description D9 divided by D1.
             * @example 3.1
             */
            interdecileRatio: number | null;
            /**
             * Format: double
             * @description Median disposable income per consumption unit, euros a year.
             * @example 22280
             */
            medianIncome: number | null;
            /**
             * Format: double
             * @description Share of the inhabitants below 60 % of the national median, in percent. Published for larger communes only.
             * @example 17
             */
            povertyRate: number | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /** @description Years that start a new series and cannot be compared with earlier ones. */
            seriesBreaks: number[];
            /**
             * Format: double
             * @description Share of social benefits in disposable income, in percent.
             * @example 7
             */
            socialBenefitsPct: number | null;
            /**
             * Format: double
             * @description Share of minimum benefits in disposable income, in percent.
             * @example 3
             */
            socialMinimaPct: number | null;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * @description Why the median of the year is missing, as far as it is known. secret: too few households; merged and split: the producer has not published it for the territory of today. partial: the median is known, but some of the other figures are not.
             * @enum {string|null}
             */
            status: "partial" | "secret" | "unavailable" | "merged" | "split" | null;
            /**
             * Format: double
             * @description Households that pay income tax, in percent.
             * @example 50
             */
            taxedHouseholdsPct: number | null;
            /** @description One entry a year, oldest first. */
            timeline: components["schemas"]["StatsYearIncome"][];
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsLatestPopulation: {
            /**
             * Format: int64
             * @description Municipal population, inhabitants: use this one for comparisons and sums.
             * @example 54055
             */
            municipal: number;
            /** @description Producer and title of the data set, where the block has others too. */
            source?: string;
            /**
             * Format: int64
             * @description Total population, inhabitants, including those who mainly live elsewhere; must not be summed, for it counts these twice. That of Paris, Lyon and Marseille is the sum of the arrondissements, by which alone it is published. Null where it is not published for the current territory.
             * @example 54402
             */
            total: number | null;
            /**
             * Format: int64
             * @description Census year. The figures come into force three years later; Mayotte has censuses of its own.
             * @example 2023
             */
            year: number;
        };
        StatsLead: {
            /**
             * Format: int64
             * @description Number of these below the limit of quantification.
             */
            belowQuantification: number;
            /** @description Whether no result is above the limit. */
            compliant: boolean | null;
            /**
             * Format: double
             * @description Quality limit, in µg/L.
             */
            limitUgL: number;
            /**
             * Format: double
             * @description Highest result in µg/L; null when all are below the limit of quantification.
             */
            maxUgL: number | null;
            /**
             * Format: int64
             * @description Results in the period.
             */
            results: number;
        };
        StatsLifeExpectancy: {
            /**
             * Format: double
             * @description Mean of men and women, in years: official figures are published by sex only.
             */
            both: number | null;
            /** @description True where both has a value: it is computed by this service. */
            computed: boolean;
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /**
             * Format: double
             * @description Years.
             */
            men: number | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: double
             * @description Years.
             */
            women: number | null;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsMainResidences: {
            /** @description Numbers of main residences by building period. */
            buildPeriod: components["schemas"]["StatsBuildPeriod"] | null;
            /**
             * Format: double
             * @description Households without a car, in percent.
             * @example 12.5
             */
            carlessPct: number | null;
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description By main fuel of heating, in percent of the main residences. */
            heating: components["schemas"]["StatsHeating"] | null;
            /**
             * Format: int64
             * @description Number of main residences.
             * @example 5063
             */
            main: number | null;
            /**
             * Format: int64
             * @description Census year of main where the census of the block does not publish it: an older one. The other figures are not computed from it.
             * @example 2021
             */
            mainYear?: number;
            /**
             * Format: double
             * @description Overcrowded main residences in percent, excluding one-room flats with one occupant.
             * @example 4.7
             */
            overcrowdedPct: number | null;
            /** @description Numbers of main residences by rooms. */
            rooms: components["schemas"]["StatsRooms"] | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /** @description True where there are fewer than 200 main residences: one more or less moves the shares, and INSEE advises not to use census counts of so few. */
            smallBase?: boolean;
            /** @description Share of social housing according to the landlords' registers, a different source from the census. Null where it is not known, and where the source has 0, which can mean none or unknown. */
            socialHousing: components["schemas"]["StatsSocialHousingRate"] | null;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /** @description By tenure, in percent of the main residences. */
            tenure: components["schemas"]["StatsTenure"] | null;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsMayorInOffice: {
            /**
             * @description Date of the register: the day on which the newest mayor in it took office.
             * @example 2022-01-27
             */
            asOf: string | null;
            /**
             * Format: int64
             * @description Year of birth. The date is not kept.
             * @example 1951
             */
            birthYear: number | null;
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /**
             * @description First name.
             * @example Daniel
             */
            firstName: string;
            /**
             * @description Day on which the office of mayor began in the mandate that the file has: a mayor who was elected again has held it for longer.
             * @example 2020-05-26
             */
            functionStart: string | null;
            /**
             * @description M or F.
             * @example M
             */
            gender: string | null;
            /**
             * @description Last name.
             * @example BOULON
             */
            lastName: string;
            /**
             * @description Only of mandates that are over: where the result of the vote that followed is.
             * @example election.municipal has the vote of 2026.
             */
            laterVote?: string;
            /** @description The list that won the municipal election of this mandate; null unless it is known to be the mayor's. */
            list: components["schemas"]["StatsMayorList"] | null;
            /**
             * @description Years of the municipal elections at the start and end of the mandate.
             * @example 2020-2026
             */
            mandate: string | null;
            /** @description true: municipal elections took place after this mandate and the loaded register is older, so somebody else may be in office; null if not known. */
            mandateOver: boolean | null;
            /**
             * @description Day on which the mandate in the council began.
             * @example 2020-05-18
             */
            mandateStart: string | null;
            /** @description What functionStart is, and whether municipal elections are newer than the register. */
            note: string;
            /**
             * @description Socio-professional category.
             * @example Ancien cadre
             */
            occupation: string | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsMayorList: {
            /**
             * @description Title of the list.
             * @example TOUS AMBARROIS
             */
            label: string | null;
            /**
             * @description Political label assigned by the ministry, as its code; null where it assigned none.
             * @example LDVG
             */
            nuance: string | null;
        };
        StatsMissingElection: {
            /**
             * @description Kind of election.
             * @enum {string}
             */
            kind: "presidential" | "legislative" | "european" | "municipal";
            /**
             * @description Only of communes and arrondissements whose département has the election: how to ask for it.
             * @example Its département has it: 93 with fields=election.presidential.
             */
            reason?: string;
            /**
             * @description A source that has it, by its name on the page of sources.
             * @example election-agregee-candidats
             */
            source: string;
            /**
             * Format: int64
             * @description Year of the election.
             * @example 2024
             */
            year: number;
        };
        StatsMobileGenerations: {
            /**
             * Format: int64
             * @description Supports with 2G.
             */
            g2: number;
            /**
             * Format: int64
             * @description Supports with 3G.
             */
            g3: number;
            /**
             * Format: int64
             * @description Supports with 4G.
             */
            g4: number;
            /**
             * Format: int64
             * @description Supports with 5G.
             */
            g5: number;
        };
        StatsMobileNetworks: {
            /**
             * Format: date
             * @description Date of the register.
             * @example 2026-08-06
             */
            asOf: string | null;
            /** @description Supports by generation; a support can have several. */
            byGeneration: components["schemas"]["StatsMobileGenerations"];
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description Whether 5G is active on a support in the commune. */
            has5g: boolean;
            /** @description Whether 5G in the 3 500 MHz band is active. */
            has5g3500: boolean;
            /** @description Operators, the one with the most supports first; a support can have several. */
            operators: components["schemas"]["StatsMobileOperator"][];
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Supports (masts, roofs) with active antennas. 0 where the register, which is complete, has none.
             * @example 12
             */
            supports: number;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsMobileOperator: {
            /**
             * @description Operator, as spelled in the register.
             * @example ORANGE
             */
            name: string;
            /**
             * Format: int64
             * @description Supports with its antennas.
             */
            supports: number;
            /**
             * Format: int64
             * @description Of these, with 4G.
             */
            supports4g: number;
            /**
             * Format: int64
             * @description Of these, with 5G.
             */
            supports5g: number;
        };
        StatsMunicipalContest: {
            /**
             * Format: double
             * @description turnoutPct of the 101 départements together, from their counts, to compare with. It is not that of France as it is announced, which has the overseas collectivities and the French abroad too. Null where the counts of a département are not loaded.
             * @example 73.26
             */
            allDepartementsTurnoutPct: number | null;
            /**
             * Format: int64
             * @description Blank votes; null where they were not counted separately from the spoiled ones.
             * @example 386
             */
            blank: number | null;
            /**
             * Format: int64
             * @description Round that decided who won the council: 1 where a list had more than half of the votes or was elected in the first, 2 where there was a second; null where the results at hand do not say, and for départements.
             * @example 1
             */
            decisiveRound: number | null;
            /**
             * Format: int64
             * @description Votes expressed: those that are neither blank nor spoiled.
             * @example 17554
             */
            expressed: number | null;
            /** @description True where the file says that its numbers are provisional: those of the night of the vote, before they were checked. Absent where it does not say so. */
            provisional?: boolean;
            /**
             * Format: int64
             * @description Registered voters.
             * @example 24568
             */
            registered: number | null;
            /** @description Lists, sorted by votes, descending; for départements nuances, with all lists without one counted together. Null if not known. */
            results: components["schemas"]["StatsMunicipalList"][];
            /**
             * Format: int64
             * @description The newest round with known results. For départements the first, in which all communes voted.
             * @example 1
             */
            round: number;
            /** @description True where fewer than 200 votes were expressed: each one moves the shares by half a percent or more. */
            smallBase?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example Ministère de l'Intérieur, Élections municipales 2026
             */
            source: string;
            /**
             * Format: int64
             * @description Spoiled votes.
             * @example 182
             */
            spoiled: number | null;
            /**
             * Format: double
             * @description Voters in percent of the registered.
             * @example 73.76
             */
            turnoutPct: number | null;
            /**
             * Format: int64
             * @description Number who voted.
             * @example 18122
             */
            voters: number | null;
            /**
             * Format: int64
             * @description Year of the election.
             * @example 2026
             */
            year: number;
        };
        StatsMunicipalList: {
            /**
             * @description farLeft, left, centre, right or farRight in the published table; null for what has no place in it.
             * @example centre
             */
            bloc: string | null;
            /** @description Whether the list won the council; null where the source does not say. */
            elected: boolean | null;
            /**
             * @description Title of the list, or the candidate where there were no lists, as in communes of under 1 000 inhabitants until 2020; null for départements.
             * @example TOUS AMBARROIS
             */
            list: string | null;
            /**
             * @description Political label assigned by the ministry, as its code; null where it assigned none, as in most communes of under 3 500 inhabitants.
             * @example LDVC
             */
            nuance: string | null;
            /**
             * Format: int64
             * @description Seats in the municipal council; null while they are not allocated, and for départements.
             * @example 26
             */
            seats: number | null;
            /**
             * Format: double
             * @description Votes in percent of those expressed; null for all of them where a provisional file has more votes than were expressed.
             * @example 54.15
             */
            sharePct: number | null;
            /**
             * Format: int64
             * @description Votes.
             * @example 2210
             */
            votes: number;
        };
        StatsMunicipalStand: {
            /**
             * Format: double
             * @description Share of the votes expressed (0 to 1) that have a place on the scale.
             * @example 0.91
             */
            coverage: number | null;
            /**
             * Format: int64
             * @description Votes expressed in the first round: score and coverage are of these.
             * @example 11200
             */
            expressed: number;
            /**
             * Format: int64
             * @description Registered voters of the first round: turnoutPct is of these.
             * @example 24568
             */
            registered: number | null;
            /**
             * Format: int64
             * @description Last round held, in which the winner was elected. The score is always that of the first round.
             * @example 2
             */
            round: number;
            /**
             * Format: double
             * @description From -1 (all votes far left) to +1 (all far right), of lists with a nuance; null if less than 70 % of the votes have a place on the scale.
             * @example -0.2
             */
            score: number | null;
            /**
             * Format: double
             * @description Voters of the first round in percent of the registered.
             * @example 48.67
             */
            turnoutPct: number | null;
            /**
             * @description Its bloc.
             * @example left
             */
            winnerBloc: string | null;
            /**
             * @description Nuance of the list that won the council; null if not known, if the list has none, and for départements and régions.
             * @example LDVG
             */
            winnerNuance: string | null;
            /**
             * Format: int64
             * @description Year of the election.
             * @example 2026
             */
            year: number;
        };
        StatsMunicipalWave: {
            /**
             * @description Version of the published table of blocs.
             * @example 2026-1
             */
            blocTableVersion: string;
            /**
             * @description Bloc of the winner of the newest election compared with the previous one: same, switchLeft, switchRight or unknown; null for départements and régions.
             * @example same
             */
            continuity: string | null;
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description What the wave is. */
            definition: components["schemas"]["StatsDefinition"] | null;
            /**
             * @description left for a trend of at most -0.03, right for at least 0.03, else stable.
             * @example stable
             * @enum {string}
             */
            direction: "left" | "right" | "stable";
            /** @description The elections that are known, oldest first. */
            elections: components["schemas"]["StatsMunicipalStand"][];
            /**
             * @description Version of the method.
             * @example v1
             */
            method: string;
            /**
             * Format: double
             * @description Share of the inhabitants (0 to 1) in the communes that are summed: those with a score in all three elections. Null for a commune.
             * @example 0.61
             */
            panelPopulationShare: number | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: double
             * @description Change of the score from one election to the next, between the first and the last that have one.
             * @example 0.05
             */
            trendPerElection: number;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsNamedServices: {
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description Nearest hospital within 100 km (general and regional hospitals by their category (FINESS 101, 355) and name, without their outposts: day hospitals, dental, psychiatric and geriatric units. Local and psychiatric hospitals and private clinics are none. Where INSEE's inventory of facilities is loaded, only those with an emergency department within 500 m; else whether there is one is not known). Where only an extract is loaded, the nearest in it. */
            hospital: components["schemas"]["StatsNearHospital"] | null;
            /** @description Services that no loaded list has for this commune: their null does not mean that there is none. In Corsica always the station, for the list is that of the national operator, which runs no trains there. */
            notCovered?: string[];
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /** @description Nearest school of any level within 50 km. */
            school: components["schemas"]["StatsNearSchool"] | null;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /** @description Passenger station of the commune, of several the nearest; where none lies in it, the nearest within 50 km. */
            station: components["schemas"]["StatsNearStation"] | null;
            /** @description Nearest supermarket within 50 km. */
            supermarket: components["schemas"]["StatsNearSupermarket"] | null;
            /** @description Of each service that is null: whether no loaded list has this commune, or which distance was searched. */
            whyNull?: {
                [key: string]: string;
            };
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsNearHospital: {
            /**
             * @description Code of its commune.
             * @example 93010
             */
            communeCode: string | null;
            /**
             * Format: double
             * @description Great-circle distance from a point in the middle of the commune, in kilometres.
             * @example 3.4
             */
            distanceKm: number;
            /**
             * Format: double
             * @description Latitude, in degrees.
             * @example 48.9
             */
            lat: number;
            /**
             * Format: double
             * @description Longitude, in degrees.
             * @example 2.48
             */
            lon: number;
            /** @description Name, where the source has it. */
            name: string | null;
            /** @description Only where another one is nearer, or may be: of another commune than the station, or in a département without a list; and what a list of stations lacks, where none lies in the commune. */
            note?: string;
            /** @description Producer and title of the data set. */
            source: string;
            /**
             * Format: int64
             * @description Year of the list that has it; null where the list has none.
             * @example 2014
             */
            year: number | null;
        };
        StatsNearSchool: {
            /**
             * @description Code of its commune.
             * @example 93010
             */
            communeCode: string | null;
            /**
             * Format: double
             * @description Great-circle distance from a point in the middle of the commune, in kilometres.
             * @example 3.4
             */
            distanceKm: number;
            /**
             * Format: double
             * @description Latitude, in degrees.
             * @example 48.9
             */
            lat: number;
            /**
             * Format: double
             * @description Longitude, in degrees.
             * @example 2.48
             */
            lon: number;
            /** @description Name, where the source has it. */
            name: string | null;
            /** @description Only where another one is nearer, or may be: of another commune than the station, or in a département without a list; and what a list of stations lacks, where none lies in the commune. */
            note?: string;
            /** @description Producer and title of the data set. */
            source: string;
            /**
             * @description Level: ecole, college or lycee.
             * @enum {string|null}
             */
            type: "ecole" | "college" | "lycee" | null;
            /**
             * Format: int64
             * @description Year of the list that has it; null where the list has none.
             * @example 2014
             */
            year: number | null;
        };
        StatsNearStation: {
            /**
             * @description Code of its commune.
             * @example 93010
             */
            communeCode: string | null;
            /**
             * Format: double
             * @description Great-circle distance from a point in the middle of the commune, in kilometres.
             * @example 3.4
             */
            distanceKm: number;
            /** @description Whether high-speed trains stop there; null where no list of such stations is loaded. */
            highSpeed: boolean | null;
            /**
             * Format: double
             * @description Latitude, in degrees.
             * @example 48.9
             */
            lat: number;
            /**
             * Format: double
             * @description Longitude, in degrees.
             * @example 2.48
             */
            lon: number;
            /** @description Name, where the source has it. */
            name: string | null;
            /** @description Only where another one is nearer, or may be: of another commune than the station, or in a département without a list; and what a list of stations lacks, where none lies in the commune. */
            note?: string;
            /** @description Producer and title of the data set. */
            source: string;
            /**
             * Format: int64
             * @description Year of the list that has it; null where the list has none.
             * @example 2014
             */
            year: number | null;
        };
        StatsNearSupermarket: {
            /** @description Brand: null, for the inventory of facilities has none. */
            brand: string | null;
            /**
             * @description Code of its commune.
             * @example 93010
             */
            communeCode: string | null;
            /**
             * Format: double
             * @description Great-circle distance from a point in the middle of the commune, in kilometres.
             * @example 3.4
             */
            distanceKm: number;
            /**
             * Format: double
             * @description Latitude, in degrees.
             * @example 48.9
             */
            lat: number;
            /**
             * Format: double
             * @description Longitude, in degrees.
             * @example 2.48
             */
            lon: number;
            /** @description Name, where the source has it. */
            name: string | null;
            /** @description Only where another one is nearer, or may be: of another commune than the station, or in a département without a list; and what a list of stations lacks, where none lies in the commune. */
            note?: string;
            /** @description Producer and title of the data set. */
            source: string;
            /**
             * Format: int64
             * @description Year of the list that has it; null where the list has none.
             * @example 2014
             */
            year: number | null;
        };
        StatsNearestStation: {
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /**
             * Format: int64
             * @description Great-circle distance from a point in the middle of the commune, in metres.
             * @example 690
             */
            distanceM: number;
            /** @description All stations of the list that lie in the commune, the nearest to its middle first. */
            inCommune: components["schemas"]["StatsCommuneStation"][];
            /**
             * @description Always centre: a point in the middle of the commune, not a parcel.
             * @enum {string}
             */
            measuredFrom: "centre";
            /**
             * @description Name of the station.
             * @example Bondy
             */
            name: string | null;
            /** @description Which stops are no stations of the list, and a station of another commune that is nearer. */
            note: string;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * @description UIC code, the first where it has several.
             * @example 87113712
             */
            uic: string;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsNetworkPopulation: {
            /**
             * Format: int64
             * @description Number of inhabitants.
             * @example 2833
             */
            inhabitants: number;
            /** @description Producer and title of the data set, which gives no year. */
            source: string;
        };
        StatsNitrates: {
            /**
             * Format: int64
             * @description Number of these below the limit of quantification.
             */
            belowQuantification: number;
            /** @description Whether no result is above the limit; null when a limit of quantification was above it. */
            compliant: boolean | null;
            /**
             * Format: double
             * @description Quality limit, in mg/L.
             */
            limitMgL: number;
            /**
             * Format: double
             * @description Highest result in mg/L; null when all are below the limit of quantification.
             */
            maxMgL: number | null;
            /**
             * Format: double
             * @description Mean in mg/L. Results below the limit of quantification count as half of it (directive 2009/90/EC, article 5).
             */
            meanMgL: number;
            /**
             * Format: int64
             * @description Results in the period.
             */
            results: number;
        };
        StatsOrigin: {
            /** @description Only in lists: true where votes are counted that the Constitutional Council struck afterwards. */
            beforeAnnulments?: boolean;
            /** @description What a value that is computed here is; absent for those of a producer. */
            definition?: components["schemas"]["StatsDefinition"];
            /**
             * @description Only in lists, of a rate per 1 000: of what.
             * @enum {string}
             */
            denominator?: "inhabitants" | "dwellings";
            /**
             * @description Only in lists, of a change: its first and its last year; of a rank by a quarter: that quarter.
             * @example 2016-2023
             */
            period?: string;
            /** @description Only in lists: true where the file says that its numbers are provisional. */
            provisional?: boolean;
            /**
             * @description Only in lists, of a figure of a quarter: that quarter.
             * @example 2025-T4
             */
            quarter?: string;
            /** @description True where counts are of a copy that has rounded them, and rates next to them of the exact ones. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * @description Only in lists, of a growth and of a ranked value: what it is counted in.
             * @example percent per year
             */
            unit?: string;
            /**
             * Format: int64
             * @description Year of the value, of a list the newest.
             * @example 2021
             */
            year: number | null;
        };
        StatsOtherFacilities: {
            /**
             * Format: int64
             * @description Number of branches of banks.
             * @example 9
             */
            bank: number | null;
            /**
             * Format: int64
             * @description Number of classified campsites.
             * @example 0
             */
            camping: number | null;
            /**
             * Format: int64
             * @description Number of homes for the elderly.
             * @example 2
             */
            careHome: number | null;
            /**
             * Format: int64
             * @description Number of cinemas.
             * @example 1
             */
            cinema: number | null;
            /**
             * Format: int64
             * @description Number of dentists.
             * @example 18
             */
            dentist: number | null;
            /**
             * Format: int64
             * @description Number of emergency departments.
             * @example 1
             */
            emergencyDepartment: number | null;
            /**
             * Format: int64
             * @description Number of workshops for cars and farm machines.
             * @example 28
             */
            garage: number | null;
            /**
             * Format: int64
             * @description Number of hairdressers.
             * @example 32
             */
            hairdresser: number | null;
            /**
             * Format: int64
             * @description Number of hospitals for long stays.
             * @example 0
             */
            hospitalLongStay: number | null;
            /**
             * Format: int64
             * @description Number of hospitals and clinics for stays of some weeks: follow-up care and rehabilitation.
             * @example 0
             */
            hospitalMediumStay: number | null;
            /**
             * Format: int64
             * @description Number of hospitals and clinics for short stays: medicine, surgery, obstetrics. One on several sites counts on each; the three kinds of stays must not be summed.
             * @example 1
             */
            hospitalShortStay: number | null;
            /**
             * Format: int64
             * @description Number of classified hotels.
             * @example 2
             */
            hotel: number | null;
            /**
             * Format: int64
             * @description Number of medical laboratories.
             * @example 2
             */
            laboratory: number | null;
            /**
             * Format: int64
             * @description Number of maternity wards.
             * @example 1
             */
            maternity: number | null;
            /**
             * Format: int64
             * @description Number of petrol stations.
             * @example 4
             */
            petrolStation: number | null;
            /**
             * Format: int64
             * @description Number of physiotherapists.
             * @example 16
             */
            physiotherapist: number | null;
            /**
             * Format: int64
             * @description Number of police stations and gendarmeries.
             * @example 1
             */
            police: number | null;
            /**
             * Format: int64
             * @description Number of restaurants.
             * @example 60
             */
            restaurant: number | null;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Base permanente des équipements 2013
             */
            source: string;
            /**
             * Format: int64
             * @description Number of taxi businesses.
             * @example 120
             */
            taxi: number | null;
            /**
             * Format: int64
             * @description Number of tourist information offices.
             * @example 0
             */
            touristOffice: number | null;
            /**
             * Format: int64
             * @description Number of veterinary practices.
             * @example 2
             */
            vet: number | null;
            /**
             * Format: int64
             * @description Year of the edition.
             * @example 2013
             */
            year: number | null;
        };
        StatsOzone: {
            /**
             * @description How the figure was obtained.
             * @enum {string}
             */
            method: "modelled" | "nearestStation";
            /**
             * Format: double
             * @description Highest mean over six consecutive months of the daily maximum 8-hour mean, in µg/m³.
             * @example 92.4
             */
            peakSeasonMda8UgM3: number;
            /**
             * @description First and last month of the season.
             * @example 04-09
             */
            season: string | null;
            /** @description Producer and title of the data set. */
            source: string;
            /** @description Whether it exceeds the WHO guideline of 2021, 60 µg/m³. */
            whoExceeded: boolean;
            /**
             * Format: int64
             * @description Year of the season.
             * @example 2024
             */
            year: number | null;
        };
        StatsPermitYear: {
            /**
             * Format: int64
             * @description Permits to demolish (PD).
             */
            demolitionPermits: number | null;
            /**
             * Format: int64
             * @description Permits to develop (PA).
             */
            developmentPermits: number | null;
            /**
             * Format: int64
             * @description Permits (PC and DP) that create dwellings.
             */
            dwellingPermits: number | null;
            /**
             * Format: int64
             * @description Dwellings that they create.
             */
            dwellings: number | null;
            /**
             * Format: double
             * @description Floor area for other uses that they create, m².
             */
            premisesAreaM2: number | null;
            /**
             * Format: int64
             * @description Permits (PC and DP) that create floor area for other uses; one that creates both is counted in dwellingPermits too.
             */
            premisesPermits: number | null;
            /**
             * Format: int64
             * @description Year of the authorisation.
             * @example 2024
             */
            year: number;
        };
        StatsPermits: {
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description How to read the counts. */
            note: string;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
            /** @description By year in which they were granted, oldest first; years without a permit are left out. The newest is not complete. */
            years: components["schemas"]["StatsPermitYear"][];
        };
        StatsPest: {
            /**
             * @description Name in French.
             * @example Moustique tigre
             */
            label: string;
            /**
             * Format: int64
             * @description Year of the last report.
             * @example 2024
             */
            lastYear: number;
            /**
             * Format: int64
             * @description Reports in all known years; null where only the presence is reported.
             */
            reports: number | null;
            /** @description Who observed it. */
            source: string;
            /**
             * @description Scientific name.
             * @example Aedes albopictus
             */
            species: string;
            /**
             * @description colonised: reported as established; reported: it was seen.
             * @enum {string}
             */
            status: "reported" | "colonised";
        };
        StatsPesticides: {
            /**
             * Format: int64
             * @description Number of these below the limit of quantification.
             */
            belowQuantification: number;
            /** @description Whether no result is above the limit. */
            compliant: boolean | null;
            /**
             * Format: int64
             * @description Results above the limit.
             */
            exceedances: number;
            /**
             * Format: double
             * @description Quality limit of the total, in µg/L.
             */
            limitUgL: number;
            /**
             * Format: double
             * @description Highest result in µg/L; null when all are below the limit of quantification.
             */
            maxUgL: number | null;
            /**
             * Format: int64
             * @description Results in the period.
             */
            results: number;
        };
        StatsPoliticalScore: {
            /**
             * @description Version of the published table of blocs.
             * @example 2026-1
             */
            blocTableVersion: string;
            /** @description Weighted shares of the blocs over the elections used. */
            blocs: components["schemas"]["StatsBlocShares"];
            /**
             * Format: double
             * @description Share of the votes expressed (0 to 1) that have a place on the scale, over the elections used.
             * @example 0.98
             */
            confidence: number;
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description What the score is. */
            definition: components["schemas"]["StatsDefinition"] | null;
            /**
             * Format: double
             * @description Value minus nationalValue.
             * @example -0.15
             */
            deviationFromNational: number | null;
            /** @description The newest known first round of each kind, which differs from place to place: scores compare only where the same elections are used. Those without a score are not used. */
            elections: components["schemas"]["StatsScoreElection"][];
            /**
             * @description The value as a word: up to -0.35 left, below -0.12 centre-left, up to 0.12 centre, below 0.35 centre-right, above right.
             * @example centre
             * @enum {string}
             */
            label: "left" | "centre-left" | "centre" | "centre-right" | "right";
            /**
             * @description The bloc with most of the votes in blocs. label is of the mean, not of it: where the left and the far right are strong, label is centre and this is one of the two.
             * @example left
             * @enum {string}
             */
            largestBloc: "farLeft" | "left" | "centre" | "right" | "farRight" | "other";
            /**
             * @description Version of the method.
             * @example v1
             */
            method: string;
            /**
             * Format: double
             * @description The national value for the same elections and weights; null if not known.
             * @example 0.03
             */
            nationalValue: number | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: double
             * @description From -1 (all votes far left) to +1 (all far right).
             * @example -0.12
             */
            value: number;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsPollutant: {
            /**
             * Format: double
             * @description Annual mean, in µg/m³.
             * @example 11.2
             */
            annualMeanUgM3: number;
            /** @description Whether it exceeds the WHO guideline of 2021: 10 (NO2), 15 (PM10) or 5 µg/m³ (PM2.5). */
            whoExceeded: boolean;
        };
        StatsPollutedSites: {
            /** @description Their number by state, in the words of the producer, the most frequent first. */
            byStatus: components["schemas"]["StatsSiteCount"][];
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description What such a site is, which names are left out, and whether only a part of the sites is loaded. */
            note: string;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * Format: int64
             * @description How many of total are listed.
             */
            shown: number;
            /** @description Those with a name first, by name, at most 100. */
            sites: components["schemas"]["StatsCommuneSite"][];
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Number in the commune: those that the file places in it by its code, else by their position.
             * @example 59
             */
            total: number;
            /** @description True where there are more than are listed. */
            truncated: boolean;
            /**
             * Format: int64
             * @description How many of the file have neither a position nor a commune: some may lie here, and are not in total.
             * @example 368
             */
            unassigned: number;
            /**
             * Format: int64
             * @description How many of total are only known to be in the commune: reports of parcels lack them.
             * @example 0
             */
            withoutPosition: number;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsPopulation: {
            /** @description Births and deaths of a year, by where people lived, oldest first. */
            births: components["schemas"]["StatsYearBirths"][];
            /** @description The change over the whole growthPeriod; null where that is. */
            change: components["schemas"]["StatsChange"] | null;
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /**
             * Format: double
             * @description Inhabitants per km² of land, of the newest municipal population, to a tenth, under one to a thousandth. The land area is that which INSEE publishes: without lakes, ponds and glaciers of more than 1 km² and without estuaries, which outlineAreaKm2 contains. The two are of different surveys: without such waters either can be the larger. Null where none is published: Mayotte, and communes that were split since 2025.
             * @example 9882
             */
            density: number | null;
            /**
             * Format: double
             * @description Mean yearly growth of the municipal population, in percent.
             * @example 0.35
             */
            growthPctPerYear: number | null;
            /**
             * @description The two census years that the three rates are for: the newest known, and the newest of those at least five years older. Closer years share surveys, and INSEE advises against comparing them: with 2015, 2016, 2021 and 2023 known the period is 2016-2023. Municipal populations alone are compared, never those of censuses before 2006.
             * @example 2016-2023
             */
            growthPeriod: string | null;
            /** @description True where there were fewer than 200 inhabitants in the first year of the period: one more or less moves the three rates. */
            growthSmallBase?: boolean;
            /**
             * Format: double
             * @description Land area in km² that density is of, as INSEE publishes it; null where none is published.
             * @example 5.5
             */
            landAreaKm2: number | null;
            /**
             * Format: int64
             * @description Edition of that area, which may not be the year of the inhabitants; null where landAreaKm2 is.
             * @example 2021
             */
            landAreaYear: number | null;
            /** @description The newest populations. */
            latest: components["schemas"]["StatsLatestPopulation"] | null;
            /**
             * Format: double
             * @description The rest of the change, in percent of the mean population a year.
             * @example -0.66
             */
            migratoryPctPerYear: number | null;
            /**
             * Format: double
             * @description Births minus deaths, in percent of the mean population a year. Null unless known for each year of the period.
             * @example 1.02
             */
            naturalPctPerYear: number | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /** @description Inhabitants per census year, oldest first: the municipal population since 2006, the population without double counting from 1962 to 1999, the total population before 1962. */
            timeline: components["schemas"]["StatsYearPopulation"][];
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsPosition: {
            /**
             * Format: int64
             * @description Number of territories with a value.
             */
            of: number;
            /**
             * Format: int64
             * @description One plus the number of better territories. Equal values share a rank: 1, 2, 2, 4.
             */
            rank: number;
        };
        StatsPresidentialStand: {
            /** @description Shares of the blocs. */
            blocs: components["schemas"]["StatsBlocShares"];
            /**
             * Format: int64
             * @description Votes expressed: the shares and the score are of these.
             * @example 17554
             */
            expressed: number;
            /**
             * Format: int64
             * @description Registered voters: turnoutPct is of these.
             * @example 24568
             */
            registered: number | null;
            /**
             * Format: double
             * @description Score minus the national score.
             * @example 0.05
             */
            relativeScore: number;
            /**
             * Format: double
             * @description From -1 (all votes far left) to +1 (all far right).
             * @example 0.08
             */
            score: number;
            /**
             * Format: double
             * @description Voters in percent of the registered; null if not known.
             * @example 73.5
             */
            turnoutPct: number | null;
            /**
             * @description Candidate with the most votes here.
             * @example Emmanuel MACRON
             */
            winner: string | null;
            /**
             * Format: int64
             * @description Year of the election.
             * @example 2022
             */
            year: number;
        };
        StatsPresidentialWave: {
            /**
             * Format: double
             * @description Third relativeScore minus twice the second plus the first.
             * @example -0.01
             */
            acceleration: number;
            /**
             * @description Version of the published table of blocs.
             * @example 2026-1
             */
            blocTableVersion: string;
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description What the wave is. */
            definition: components["schemas"]["StatsDefinition"] | null;
            /**
             * @description left for a trend of at most -0.03, right for at least 0.03, else stable.
             * @example right
             * @enum {string}
             */
            direction: "left" | "right" | "stable";
            /** @description First rounds, oldest first. */
            elections: components["schemas"]["StatsPresidentialStand"][];
            /**
             * @description Version of the method.
             * @example v1
             */
            method: string;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: double
             * @description Change of relativeScore from one election to the next: (third - first) / 2. Above 0 is to the right.
             * @example 0.042
             */
            trendPerElection: number;
            /**
             * Format: double
             * @description Change of turnout from one election to the next minus the national change, in percentage points; null if not known.
             * @example -1.2
             */
            turnoutTrend: number | null;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsPrices: {
            /** @description Houses and flats apart, the type with most sales first. */
            byType: components["schemas"]["StatsTypePrices"][];
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description Which sales count, and of which days they are. */
            note: string;
            /**
             * @description Five years before periodTo, or the first day of the data.
             * @example 2022-01-01
             */
            periodFrom: string;
            /**
             * @description Last day of the data that are loaded.
             * @example 2022-12-31
             */
            periodTo: string;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsPriorityDistrict: {
            /**
             * @description Official code.
             * @example QN09312I
             */
            code: string;
            /**
             * @description Codes of the communes, or arrondissements of Paris, Lyon or Marseille, that it lies in.
             * @example [
             *       "93010"
             *     ]
             */
            communes: string[];
            /**
             * @description Official name.
             * @example Blanqui
             */
            name: string | null;
        };
        StatsPrivateVacancy: {
            /**
             * Format: double
             * @description Dwellings vacant for more than two years in percent of the private ones.
             * @example 5.26
             */
            longTermRatePct: number | null;
            /**
             * Format: double
             * @description Vacant dwellings in percent of the private ones.
             * @example 7.7
             */
            ratePct: number | null;
            /**
             * @description Producer and title of the data set.
             * @example DGALN/DHUP et Cerema, LOVAC, logements vacants du parc privé
             */
            source: string;
            /**
             * @description secret: the producer withholds the numbers of communes with fewer than 11 such dwellings; else null.
             * @example secret
             * @enum {string|null}
             */
            status: "secret" | null;
            /** @description All known years, oldest first. */
            timeline: components["schemas"]["StatsPrivateVacancyYear"][];
            /**
             * Format: int64
             * @description Number of private dwellings that the rates refer to: those of the previous year.
             * @example 11611
             */
            total: number | null;
            /**
             * Format: int64
             * @description Number of vacant dwellings.
             * @example 894
             */
            vacant: number | null;
            /**
             * Format: int64
             * @description Number of dwellings vacant for more than two years.
             * @example 611
             */
            vacantOver2Years: number | null;
            /**
             * Format: int64
             * @description Year of the vacancy.
             * @example 2025
             */
            year: number | null;
        };
        StatsPrivateVacancyYear: {
            /**
             * Format: double
             * @description Dwellings vacant for more than two years in percent of the private ones.
             * @example 5.26
             */
            longTermRatePct: number | null;
            /**
             * Format: double
             * @description Vacant dwellings in percent of the private ones.
             * @example 7.7
             */
            ratePct: number | null;
            /**
             * @description Producer and title of the data set.
             * @example DGALN/DHUP et Cerema, LOVAC, logements vacants du parc privé
             */
            source: string;
            /**
             * @description secret: the producer withholds the numbers of communes with fewer than 11 such dwellings; else null.
             * @example secret
             * @enum {string|null}
             */
            status: "secret" | null;
            /**
             * Format: int64
             * @description Number of private dwellings that the rates refer to: those of the previous year.
             * @example 11611
             */
            total: number | null;
            /**
             * Format: int64
             * @description Number of vacant dwellings.
             * @example 894
             */
            vacant: number | null;
            /**
             * Format: int64
             * @description Number of dwellings vacant for more than two years.
             * @example 611
             */
            vacantOver2Years: number | null;
            /**
             * Format: int64
             * @description Year of the vacancy.
             * @example 2025
             */
            year: number | null;
        };
        StatsQuarterlyRate: {
            /**
             * @description Quarter of the rate.
             * @example 2025-T4
             */
            quarter: string;
            /**
             * Format: double
             * @description Localised unemployment rate (ILO, seasonally adjusted), in percent.
             * @example 6.9
             */
            ratePct: number;
        };
        StatsRadon: {
            /** @description With "of": the arrondissements by their category or zone, the lowest first. */
            arrondissements?: components["schemas"]["StatsArrondissement"][];
            /**
             * Format: int64
             * @description Class of the commune, from 1 (low) to 3 (significant)
             */
            category: number;
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /**
             * @description The class in words.
             * @example Potentiel significatif
             */
            label: string;
            /**
             * @description Only of Paris, Lyon and Marseille, which the file lists by arrondissement: the value is the highest of their arrondissements, others may have a lower one. Absent for all other communes, and for arrondissements.
             * @enum {string}
             */
            of?: "highestOfArrondissements";
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsRank: {
            /**
             * Format: double
             * @description Only where the value is of most communes: the share of the inhabitants (0 to 1) that live in these.
             * @example 0.9998
             */
            coverage?: number;
            /**
             * @description desc: the highest value has rank 1; asc: the lowest.
             * @enum {string}
             */
            direction: "desc" | "asc";
            /** @description The figure for France to compare the value with, of the same period; null where none can be said, as for medians whose producer's national figure is not loaded. */
            france: components["schemas"]["StatsFrance"] | null;
            /** @description The years of the figures that the value is computed from, where they are of several: inhabitants of 2023 on the land area of 2021. */
            mixedYears?: number[];
            /**
             * Format: int64
             * @description Number of territories with a value.
             */
            of: number;
            /**
             * @description Period of the values as named by the producer, where it is not a year: a quarter, or the first and last year of a change.
             * @example 2016-2023
             */
            period?: string;
            /**
             * Format: int64
             * @description One plus the number of better territories. Equal values share a rank: 1, 2, 2, 4.
             */
            rank: number;
            /** @description True where the value is a share of fewer than 200 persons, dwellings or inhabitants: one more or less moves it and the rank. Of fewer than 200 INSEE advises not to use census counts. */
            smallBase?: boolean;
            /** @description Producer and title of the data set. */
            source: string;
            /**
             * @description What value and the figure for France are counted in.
             * @example percent per year
             */
            unit: string;
            /**
             * Format: double
             * @description Ranked value, in unit.
             * @example 0.61
             */
            value: number;
            /**
             * Format: int64
             * @description Year of the values, the same for all that are ranked: those without a value of it have no rank.
             * @example 2021
             */
            year: number | null;
        };
        StatsRankings: {
            /** @description Accessibility of general practitioners, consultations a year per standardised inhabitant, highest first. */
            apl: components["schemas"]["StatsRank"] | null;
            /** @description Burglaries of dwellings recorded per 1 000 dwellings, lowest first: of a département as published, of régions and France those of all their départements together. */
            burglaryRate: components["schemas"]["StatsRank"] | null;
            /** @description Unemployed in percent of the active aged 15 to 64 as defined by the census, lowest first: higher than the localised rate, and known where that is not loaded. */
            censusUnemploymentRate: components["schemas"]["StatsRank"] | null;
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description Offences recorded per 1 000 inhabitants, the sum of eleven series that make ten kinds (method sum10-v1), lowest first. */
            crimeRate: components["schemas"]["StatsRank"] | null;
            /** @description Debt of the authority per inhabitant, euros, lowest first. */
            debtPerInhabitant: components["schemas"]["StatsRank"] | null;
            /** @description What the ranks are. */
            definition: components["schemas"]["StatsDefinition"] | null;
            /** @description Inhabitants per km² of land, as INSEE publishes it, highest first. */
            density: components["schemas"]["StatsRank"] | null;
            /** @description Facilities per 10 000 inhabitants, highest first, counted over the loaded facilities, with the population of the census nearest to their year: in Mayotte that of 2017. */
            equipmentPer10000: components["schemas"]["StatsRank"] | null;
            /** @description Change of the population, in percent a year, highest first. */
            growth: components["schemas"]["StatsRank"] | null;
            /** @description Life expectancy at birth in years, the mean of women and men, highest first. */
            lifeExpectancy: components["schemas"]["StatsRank"] | null;
            /** @description Median disposable income per consumption unit, euros a year, highest first. */
            medianIncome: components["schemas"]["StatsRank"] | null;
            /** @description Municipal population, highest first. */
            population: components["schemas"]["StatsRank"] | null;
            /** @description Share of the inhabitants below 60 % of the national median, in percent, lowest first. */
            povertyRate: components["schemas"]["StatsRank"] | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /** @description Second homes in percent of all dwellings (census), highest first. */
            secondaryHomeRate: components["schemas"]["StatsRank"] | null;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /** @description Unemployment in percent, lowest first: census rate for communes, localised rate (ILO) for départements and régions. The two are not comparable. */
            unemploymentRate: components["schemas"]["StatsRank"] | null;
            /** @description Vacant dwellings in percent of all (census), lowest first. */
            vacancyRate: components["schemas"]["StatsRank"] | null;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsRegionElections: {
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description The newest European election whose results are loaded for the place, which has one round; null where its results are not known. */
            european: components["schemas"]["StatsContest"] | null;
            /** @description The newest legislative election whose results are loaded for the place, by nuance in départements and régions; null where its results are not known. */
            legislative: components["schemas"]["StatsContest"] | null;
            /** @description The newest municipal election whose results are loaded for the place; null where its results are not known. */
            municipal: components["schemas"]["StatsMunicipalContest"] | null;
            /** @description Elections that are newer than those given, or of a kind that is not given, and that no source is loaded of on this server; empty where all of the newest are. */
            notLoaded: components["schemas"]["StatsMissingElection"][];
            /** @description The newest presidential election whose results are loaded for the place; null where its results are not known. */
            presidential: components["schemas"]["StatsContest"] | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /** @description Rounds of elections, by name. The second round of municipal elections took place in some communes only. */
            turnout: components["schemas"]["StatsElectionTurnout"][];
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsRoomPrices: {
            /**
             * Format: int64
             * @description Median of the prices paid, in euros; null under five sales.
             * @example 180500
             */
            medianPriceEur: number | null;
            /**
             * Format: int64
             * @description Median, in euros per m² of built area; null under five sales.
             * @example 3082
             */
            medianPricePerM2: number | null;
            /**
             * Format: int64
             * @description First quartile, in euros per m²; null under five sales.
             * @example 2640
             */
            q1: number | null;
            /**
             * Format: int64
             * @description Third quartile, in euros per m²; null under five sales.
             * @example 3640
             */
            q3: number | null;
            /**
             * Format: int64
             * @description Number of main rooms; 6 is six and more.
             * @example 3
             */
            rooms: number;
            /**
             * Format: int64
             * @description Number of sales.
             * @example 236
             */
            sales: number;
        };
        StatsRooms: {
            /**
             * Format: double
             * @description Average number of rooms of a main residence.
             * @example 3.4
             */
            averageRooms: number | null;
            /**
             * Format: int64
             * @description Number with five rooms or more.
             * @example 963
             */
            fivePlus: number | null;
            /**
             * Format: int64
             * @description Number with four rooms.
             * @example 1400
             */
            four: number | null;
            /**
             * Format: int64
             * @description Number with one room.
             * @example 300
             */
            one: number | null;
            /**
             * Format: int64
             * @description Number with three rooms.
             * @example 1500
             */
            three: number | null;
            /**
             * Format: int64
             * @description Number with two rooms.
             * @example 900
             */
            two: number | null;
        };
        StatsRound: {
            /** @description Only of presidential rounds: what allDepartementsTurnoutPct and allDepartementsSharePct leave out. Absent where neither is known. */
            allDepartementsNote?: string;
            /**
             * Format: double
             * @description turnoutPct of the 101 départements together, from their counts, to compare with. It is not that of France as it is announced, which has the overseas collectivities and the French abroad too. Null where the counts of a département are not loaded.
             * @example 73.26
             */
            allDepartementsTurnoutPct: number | null;
            /** @description True where the counts are those before the Constitutional Council struck some votes: the result that it declared has slightly fewer. */
            beforeAnnulments?: boolean;
            /**
             * Format: int64
             * @description Blank votes; null where they were not counted separately from the spoiled ones.
             * @example 386
             */
            blank: number | null;
            /**
             * Format: int64
             * @description Votes expressed: those that are neither blank nor spoiled.
             * @example 17554
             */
            expressed: number | null;
            /**
             * Format: int64
             * @description Registered voters.
             * @example 24568
             */
            registered: number | null;
            /** @description Candidates or lists, sorted by votes, descending; null if not known. */
            results: components["schemas"]["StatsCandidate"][];
            /** @description True where fewer than 200 votes were expressed: each one moves the shares by half a percent or more. */
            smallBase?: boolean;
            /** @description Producer and title of the data set, where the rounds have different ones. */
            source?: string;
            /**
             * Format: int64
             * @description Spoiled votes.
             * @example 182
             */
            spoiled: number | null;
            /**
             * Format: double
             * @description Voters in percent of the registered.
             * @example 73.76
             */
            turnoutPct: number | null;
            /**
             * Format: int64
             * @description Number who voted.
             * @example 18122
             */
            voters: number | null;
        };
        StatsSafety: {
            /** @description Offences of the newest year. They must not be summed: units differ, and an act can be in two of them. */
            categories: components["schemas"]["StatsSafetyOffence"][];
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /**
             * @description Force in charge; for a département that of its communes; null where it is not known.
             * @enum {string|null}
             */
            forceType: "police" | "gendarmerie" | "mixed" | null;
            /**
             * @description List of labels of the series: 2024 for the editions until early 2025, 2025 since July 2025. Series of the two lists count different things.
             * @enum {string}
             */
            labels: "2024" | "2025";
            /** @description How to read the figures. */
            note: string;
            /**
             * Format: int64
             * @description Population used for the rates of that year, as published with them; of a région whose départements are summed theirs together.
             */
            population: number | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /** @description Disclosed figures by year, oldest first. What is not disclosed is left out. */
            timeline: components["schemas"]["StatsSafetyYear"][];
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsSafetyOffence: {
            /**
             * Format: double
             * @description ratePer1000 of all départements together in the same year, from their counts, to compare with; null where those of one are not loaded.
             * @example 5.7412
             */
            allDepartementsRatePer1000: number | null;
            /**
             * Format: int64
             * @description How many of the denominator there are, as published with the figures; null where that is not published.
             * @example 50595
             */
            base: number | null;
            /**
             * Format: int64
             * @description Number recorded; null where it is not disclosed.
             */
            count: number | null;
            /**
             * @description Denominator of the rate: dwellings for burglaries, inhabitants for all others.
             * @enum {string}
             */
            denominator: "inhabitants" | "dwellings";
            /** @description False where the producer withholds the figure: five offences or fewer in three consecutive years. */
            disclosed: boolean;
            /**
             * @description Stable name of the series within its list of labels.
             * @example burglary
             */
            key: string;
            /**
             * @description Label as published.
             * @example Cambriolages de logement
             */
            label: string;
            /** @description Only of drug use in years with fixed fines: how many of the persons had one, and how many had none. */
            note?: string;
            /**
             * Format: double
             * @description Number per 1 000 of the denominator; null where it is not disclosed.
             */
            ratePer1000: number | null;
            /**
             * @description What is counted, as published: victime, victime entendue, infraction, véhicule, mis en cause.
             * @example infraction
             */
            unit: string;
        };
        StatsSafetyYear: {
            /**
             * Format: int64
             * @description How many of the denominator there are in that year, as published with the figures; null where that is not published.
             * @example 50595
             */
            base: number | null;
            /**
             * Format: int64
             * @description Number recorded.
             */
            count: number | null;
            /**
             * @description Denominator of the rate: dwellings for burglaries, inhabitants for all others.
             * @enum {string}
             */
            denominator: "inhabitants" | "dwellings";
            /**
             * @description As in categories.
             * @example burglary
             */
            key: string;
            /** @description As in categories. */
            note?: string;
            /**
             * Format: double
             * @description Number per 1 000 of the denominator.
             */
            ratePer1000: number | null;
            /**
             * Format: int64
             * @description Year in which the offences were recorded.
             */
            year: number;
        };
        StatsSchoolCount: {
            /**
             * @description Level: lycee, college or ecole.
             * @enum {string}
             */
            level: "lycee" | "college" | "ecole";
            /**
             * Format: int64
             * @description Number of private ones.
             */
            private: number;
            /**
             * Format: int64
             * @description Number of public ones.
             */
            public: number;
            /**
             * @description School year of the list that is counted; null for the directory of schools, which has those that are open.
             * @example 2022-2023
             */
            schoolYear: string | null;
            /**
             * Format: int64
             * @description Number of schools.
             */
            total: number;
        };
        StatsSchoolFigures: {
            /**
             * Format: double
             * @description Social position index (IPS) of its pupils; the national mean is about 105.
             * @example 104.2
             */
            ips: number | null;
            /**
             * @description School year of the index.
             * @example 2022-2023
             */
            ipsSchoolYear: string | null;
            /**
             * @description Level: ecole, college or lycee.
             * @enum {string}
             */
            level: "ecole" | "college" | "lycee";
            /** @description Name of the school. */
            name: string;
            /**
             * @description public or private.
             * @enum {string|null}
             */
            sector: "public" | "private" | null;
            /**
             * Format: int64
             * @description Session of the success rate.
             * @example 2024
             */
            session: number | null;
            /**
             * Format: double
             * @description Success rate at the brevet or the baccalauréat, in percent; null for primary schools.
             * @example 86
             */
            successRatePct: number | null;
            /**
             * @description Identifier of the school.
             * @example 0340001A
             */
            uai: string;
        };
        StatsSchools: {
            /** @description Their number by level: lycee, college, ecole. */
            byLevel: components["schemas"]["StatsSchoolCount"][];
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /**
             * @description How they are known: location, the directory of schools places them inside the commune; commune, the lists of indices name it.
             * @enum {string}
             */
            listedBy: "location" | "commune";
            /** @description Which schools are not counted, where not every one of the directory of schools is, and that numbers of pupils are not read. */
            note: string;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /** @description Lycées first, then collèges, then écoles, each by name, at most 150 of total. The report of a parcel lists the nearest to it. */
            schools: components["schemas"]["StatsSchoolFigures"][];
            /**
             * Format: int64
             * @description How many of total are in schools.
             */
            shown: number;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Number of schools in the commune.
             */
            total: number;
            /** @description True where there are more than are shown: byLevel counts all of them. */
            truncated: boolean;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsScoreElection: {
            /**
             * Format: double
             * @description Share of the votes expressed (0 to 1) that have a place on the scale; null if not known.
             * @example 0.966
             */
            coverage: number | null;
            /**
             * @description Year, kind (pres, legi, euro) and round.
             * @example 2022_pres_t1
             */
            electionId: string;
            /**
             * Format: int64
             * @description Votes expressed: score and coverage are of these.
             * @example 17554
             */
            expressed: number;
            /** @description True where the file says that its numbers are provisional: those of the night of the vote, before they were checked. Absent where it does not say so. */
            provisional?: boolean;
            /**
             * Format: double
             * @description Score of this election; null if less than 70 % of the votes have a place on the scale or fewer than 30 were expressed.
             * @example -0.05
             */
            score: number | null;
            /** @description True where fewer than 200 votes were expressed: each one moves the score. */
            smallBase?: boolean;
            /**
             * Format: double
             * @description Weight in the value; the weights add up to 1. Null if the election is not used.
             * @example 0.625
             */
            weight: number | null;
        };
        StatsSeisme: {
            /** @description With "of": the arrondissements by their category or zone, the lowest first. */
            arrondissements?: components["schemas"]["StatsArrondissement"][];
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /**
             * @description très faible, faible, modérée, moyenne or forte
             * @example modérée
             */
            label: string;
            /**
             * @description Only of Paris, Lyon and Marseille, which the file lists by arrondissement: the value is the highest of their arrondissements, others may have a lower one. Absent for all other communes, and for arrondissements.
             * @enum {string}
             */
            of?: "highestOfArrondissements";
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
            /**
             * Format: int64
             * @description Zone, from 1 to 5
             */
            zone: number;
        };
        StatsSelectedFacilities: {
            /**
             * Format: int64
             * @description Number of bakeries.
             * @example 28
             */
            bakery: number | null;
            /**
             * Format: int64
             * @description Number of childcare facilities for young children, including childminder centres (relais petite enfance).
             * @example 2
             */
            childcare: number | null;
            /**
             * Format: int64
             * @description Number of small supermarkets (supérettes).
             * @example 1
             */
            convenience: number | null;
            /**
             * Format: int64
             * @description Number of schools with elementary classes only.
             * @example 2
             */
            elementarySchool: number | null;
            /**
             * Format: int64
             * @description Number of general practitioners.
             * @example 16
             */
            gp: number | null;
            /**
             * Format: int64
             * @description Number of multi-sports halls.
             * @example 3
             */
            gym: number | null;
            /**
             * Format: int64
             * @description Number of emergency departments, health centres and multi-professional health centres (maisons de santé).
             * @example 3
             */
            healthCentre: number | null;
            /**
             * Format: int64
             * @description Number of lycées, excluding agricultural ones.
             * @example 1
             */
            highSchool: number | null;
            /**
             * Format: int64
             * @description Number of collèges.
             * @example 2
             */
            middleSchool: number | null;
            /**
             * Format: int64
             * @description Number of nurses in private practice.
             * @example 42
             */
            nurse: number | null;
            /** @description Numbers per 10 000 inhabitants of the newest municipal population; null where that is not known or 0. */
            per10kInhabitants: components["schemas"]["StatsFacilityPer10k"] | null;
            /**
             * Format: int64
             * @description Number of pharmacies.
             * @example 4
             */
            pharmacy: number | null;
            /**
             * Format: int64
             * @description Number of swimming pools.
             * @example 0
             */
            pool: number | null;
            /**
             * Format: int64
             * @description Number of post offices and postal agencies.
             * @example 3
             */
            postOffice: number | null;
            /**
             * Format: int64
             * @description Number of nursery schools, and of schools with nursery and elementary classes.
             * @example 4
             */
            primarySchool: number | null;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Base permanente des équipements 2024
             */
            source: string;
            /**
             * Format: int64
             * @description Number of railway stations.
             * @example 0
             */
            station: number | null;
            /**
             * Format: int64
             * @description Number of supermarkets and hypermarkets.
             * @example 7
             */
            supermarket: number | null;
            /**
             * Format: int64
             * @description Number of tennis facilities.
             * @example 2
             */
            tennis: number | null;
            /**
             * Format: int64
             * @description Year of the edition.
             * @example 2024
             */
            year: number | null;
        };
        StatsSiteCount: {
            /**
             * Format: int64
             * @description Number of them.
             * @example 12
             */
            count: number;
            /**
             * @description Regime, status or state; null where the file has none.
             * @example Autorisation
             */
            value: string | null;
        };
        StatsSocialHousingRate: {
            /**
             * Format: double
             * @description Social housing in percent of the main residences. It is not the rate of the SRU law, whose inventory counts other dwellings too.
             * @example 13
             */
            ratePct: number | null;
            /**
             * @description Producer and title of the data set.
             * @example Ministère chargé du logement, Taux de logements sociaux dans les communes
             */
            source: string;
            /**
             * Format: int64
             * @description Year of the share; null where the source does not state it.
             * @example 2024
             */
            year: number | null;
        };
        StatsTenure: {
            /**
             * Format: double
             * @description Occupied rent-free, in percent.
             * @example 6.02
             */
            freePct: number | null;
            /**
             * Format: double
             * @description Owner-occupied, in percent.
             * @example 49.07
             */
            ownersPct: number | null;
            /**
             * Format: double
             * @description Rented otherwise than as social housing, in percent.
             * @example 30.1
             */
            privateTenantsPct: number | null;
            /**
             * Format: double
             * @description Rented as social housing, in percent.
             * @example 14.8
             */
            socialTenantsPct: number | null;
            /**
             * Format: double
             * @description Rented, in percent.
             * @example 44.91
             */
            tenantsPct: number | null;
        };
        StatsTravelTime: {
            /**
             * Format: date
             * @description Date of the computation.
             */
            computedOn: string | null;
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /** @description Routing engine used, according to the source. */
            engine: string | null;
            /** @description To the centre of Paris; null where it is not known, and where there is neither a road nor a rail route. */
            paris: components["schemas"]["StatsTravelToParis"] | null;
            /** @description To the préfecture of the département. */
            prefecture: components["schemas"]["StatsTravelToPrefecture"] | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsTravelToParis: {
            /** @description Station where the journey by rail begins. */
            departureStation: string | null;
            /**
             * Format: int64
             * @description Number of changes of train.
             */
            railChanges: number | null;
            /**
             * Format: int64
             * @description Minutes by rail, including the way to the station.
             * @example 118
             */
            railMinutes: number | null;
            /**
             * Format: double
             * @description Kilometres by road.
             */
            roadKm: number | null;
            /**
             * Format: int64
             * @description Minutes by road.
             * @example 145
             */
            roadMinutes: number | null;
        };
        StatsTravelToPrefecture: {
            /**
             * @description Code of the commune that is the préfecture.
             * @example 34172
             */
            communeCode: string | null;
            /**
             * @description Its name.
             * @example Montpellier
             */
            name: string | null;
            /**
             * Format: int64
             * @description Minutes by rail.
             */
            railMinutes: number | null;
            /**
             * Format: double
             * @description Kilometres by road.
             */
            roadKm: number | null;
            /**
             * Format: int64
             * @description Minutes by road.
             * @example 25
             */
            roadMinutes: number | null;
        };
        StatsTypePrices: {
            /** @description By number of main rooms, of the sales of which the file has it. */
            byRooms: components["schemas"]["StatsRoomPrices"][];
            /** @description By year of the sale, oldest first. */
            byYear: components["schemas"]["StatsYearPrices"][];
            /**
             * Format: int64
             * @description Median of the prices paid, in euros; null under five sales.
             * @example 180500
             */
            medianPriceEur: number | null;
            /**
             * Format: int64
             * @description Median, in euros per m² of built area; null under five sales.
             * @example 3082
             */
            medianPricePerM2: number | null;
            /**
             * Format: int64
             * @description First quartile, in euros per m²; null under five sales.
             * @example 2640
             */
            q1: number | null;
            /**
             * Format: int64
             * @description Third quartile, in euros per m²; null under five sales.
             * @example 3640
             */
            q3: number | null;
            /**
             * Format: int64
             * @description Number of sales.
             * @example 236
             */
            sales: number;
            /**
             * @description What was sold.
             * @enum {string}
             */
            type: "Maison" | "Appartement";
        };
        StatsWaterNetwork: {
            /**
             * Format: double
             * @description Share of compliant samples among those assessed for bacteria, in percent. Null when none was assessed.
             */
            bacteriologicalConformityPct: number | null;
            /**
             * Format: double
             * @description The same for chemical limits, in percent.
             */
            chemicalConformityPct: number | null;
            /**
             * @description Number of the network in SISE-Eaux.
             * @example 034001234
             */
            code: string;
            /**
             * @description Its name in SISE-Eaux; null where the file has none.
             * @example MONTPELLIER
             */
            name: string | null;
            /**
             * Format: int64
             * @description Samples in the period.
             */
            samples: number;
            /** @description Inhabitants served by the whole network, in all of its communes; null where it is not known. */
            served: components["schemas"]["StatsNetworkPopulation"] | null;
        };
        StatsWaterQuality: {
            /**
             * Format: double
             * @description Share of compliant samples among those assessed for bacteria, in percent; a dispensation is not compliance. Null when none was assessed.
             */
            bacteriologicalConformityPct: number | null;
            /**
             * Format: double
             * @description The same for chemical limits, in percent.
             */
            chemicalConformityPct: number | null;
            /**
             * Format: double
             * @description Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a figure is known.
             */
            coverage?: number;
            /**
             * Format: date
             * @description Date of the last sample.
             */
            lastSample: string;
            /** @description Lead; null when not analysed. */
            lead: components["schemas"]["StatsLead"] | null;
            /** @description Networks that serve the commune, the one with the most samples first. */
            networks: components["schemas"]["StatsWaterNetwork"][];
            /** @description Nitrates; null when not analysed. */
            nitrates: components["schemas"]["StatsNitrates"] | null;
            /**
             * Format: date
             * @description Last day of the period.
             */
            periodEnd: string;
            /**
             * Format: date
             * @description First day of the period: the twelve months up to the newest sample in the data.
             */
            periodStart: string;
            /** @description Total pesticides; null when there is no result. Single substances, whose limit is 0.1 µg/L, are not included: chemicalConformityPct reflects them. */
            pesticides: components["schemas"]["StatsPesticides"] | null;
            /** @description True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact counts, and differ a little from what the rounded ones make. */
            rounded?: boolean;
            /**
             * Format: int64
             * @description Samples of its networks in the period; a sample shared by several networks counts once.
             */
            samples: number;
            /**
             * @description Producer and title of the data set.
             * @example INSEE, Filosofi
             */
            source: string;
            /**
             * Format: int64
             * @description Year that the figures are of; of a block with several years the newest; null where it has none.
             * @example 2021
             */
            year: number | null;
        };
        StatsYearBirths: {
            /**
             * Format: int64
             * @description Births minus deaths.
             * @example 505
             */
            balance: number | null;
            /**
             * Format: int64
             * @description Number of children born to mothers who live here.
             * @example 817
             */
            births: number | null;
            /**
             * Format: double
             * @description Only where they are a sum that lacks some communes: the share of the inhabitants (0 to 1) that live where they are known.
             */
            coverage?: number;
            /**
             * Format: int64
             * @description Number of deaths of people who lived here.
             * @example 312
             */
            deaths: number | null;
            /**
             * Format: int64
             * @description Year of the births and deaths.
             * @example 2022
             */
            year: number;
        };
        StatsYearIncome: {
            /**
             * Format: double
             * @description First decile: upper limit of the income of the poorest tenth, euros a year per consumption unit.
             * @example 11890
             */
            d1: number | null;
            /**
             * Format: double
             * @description Ninth decile: lower limit of the income of the richest tenth, euros a year per consumption unit.
             * @example 36450
             */
            d9: number | null;
            /**
             * Format: double
             * @description Gini index of inequality, from 0 (all have the same) to 1. Of départements and régions the files of 2014 and 2015 have one decimal.
             * @example 0.303
             */
            gini: number | null;
            /**
             * Format: double
             * @description D9 divided by D1.
             * @example 3.1
             */
            interdecileRatio: number | null;
            /**
             * Format: double
             * @description Median disposable income per consumption unit, euros a year.
             * @example 22280
             */
            medianIncome: number | null;
            /**
             * Format: double
             * @description Share of the inhabitants below 60 % of the national median, in percent.
             * @example 17
             */
            povertyRate: number | null;
            /**
             * @description Producer and title of the data set of the year.
             * @example INSEE-DGFiP-Cnaf-Cnav-CCMSA, Filosofi, chiffres clés
             */
            source: string;
            /**
             * Format: int64
             * @description Year of the incomes.
             * @example 2021
             */
            year: number;
        };
        StatsYearPopulation: {
            /**
             * Format: double
             * @description Only where they are a sum that lacks some communes: the share of the inhabitants (0 to 1) that live where they are known. Compare no such year with one of another coverage.
             */
            coverage?: number;
            /**
             * Format: int64
             * @description Inhabitants.
             * @example 54055
             */
            population: number;
            /**
             * Format: int64
             * @description Census year.
             * @example 2023
             */
            year: number;
        };
        StatsYearPrices: {
            /**
             * Format: int64
             * @description Median of the prices paid, in euros; null under five sales.
             * @example 180500
             */
            medianPriceEur: number | null;
            /**
             * Format: int64
             * @description Median, in euros per m² of built area; null under five sales.
             * @example 3082
             */
            medianPricePerM2: number | null;
            /**
             * Format: int64
             * @description First quartile, in euros per m²; null under five sales.
             * @example 2640
             */
            q1: number | null;
            /**
             * Format: int64
             * @description Third quartile, in euros per m²; null under five sales.
             * @example 3640
             */
            q3: number | null;
            /**
             * Format: int64
             * @description Number of sales.
             * @example 236
             */
            sales: number;
            /**
             * Format: int64
             * @description Year of the sales.
             * @example 2022
             */
            year: number;
        };
        TapNetwork: {
            /** @description Name of the network. */
            network: string | null;
            /** @description Code of the network. */
            networkCode: string;
            /**
             * Format: int64
             * @description Samples taken within the last 12 months.
             */
            samplesLast12Months: number;
        };
        TapNonCompliant: {
            /**
             * Format: int64
             * @description Samples that exceeded a bacteriological limit.
             */
            bacteriological: number;
            /**
             * Format: int64
             * @description Samples that exceeded a chemical limit.
             */
            chemical: number;
        };
        TapWater: {
            /**
             * @description Newest assessment for bacteria: C compliant, N not compliant, D not compliant but with a dispensation, S not assessed
             * @enum {string|null}
             */
            bacteriologicalCompliance: "C" | "N" | "S" | "D" | null;
            /**
             * @description Newest assessment for chemical limits, with the same letters
             * @enum {string|null}
             */
            chemicalCompliance: "C" | "N" | "S" | "D" | null;
            /** @description Conclusion of the last sample, as published */
            conclusion: string | null;
            /**
             * @description Date of the newest sample in the data
             * @example 2025-06-30
             */
            last12MonthsUntil: string | null;
            /**
             * @description Date of the last sample
             * @example 2025-06-03
             */
            lastSample: string | null;
            /**
             * Format: double
             * @description Limit of quantification that the newest result for lead is below, in µg/L
             */
            leadBelowUgL: number | null;
            /** @description Date of that sample */
            leadDate: string | null;
            /**
             * Format: double
             * @description Newest result for lead in µg/L; null when there is none, or when it is below the limit of quantification
             */
            leadUgL: number | null;
            /**
             * @description Name of the network of these figures
             * @example MONTPELLIER
             */
            network: string | null;
            /**
             * @description Code of the network.
             * @example 034001234
             */
            networkCode: string;
            /**
             * Format: double
             * @description Limit of quantification that the newest result for nitrates is below, in mg/L
             */
            nitratesBelowMgL: number | null;
            /** @description Date of that sample */
            nitratesDate: string | null;
            /**
             * Format: double
             * @description Newest result for nitrates in mg/L; null when there is none, or when it is below the limit of quantification
             * @example 12
             */
            nitratesMgL: number | null;
            /** @description Number of these that are not compliant */
            nonCompliantLast12Months: components["schemas"]["TapNonCompliant"];
            /** @description The other networks of the commune, the one with the most samples first */
            otherNetworks: components["schemas"]["TapNetwork"][];
            /**
             * Format: int64
             * @description Samples in the 12 months up to last12MonthsUntil
             * @example 34
             */
            samplesLast12Months: number;
        };
        Ties: {
            /**
             * Format: int64
             * @description How many they are.
             * @example 2
             */
            count: number;
            /** @description The first of them, 5 at most. */
            data: components["schemas"]["CodeName"][];
        };
        Traffic: {
            /**
             * Format: int64
             * @description Vehicles a day in both directions, annual average.
             * @example 98000
             */
            aadt: number;
            /** @description True when the geometry of the road is not known, or the count is of another section of the same road. */
            approximated: boolean;
            /**
             * Format: int64
             * @description Distance from the parcel, in metres; 0 when the road crosses it.
             */
            distanceM: number;
            /**
             * Format: double
             * @description Share of heavy goods vehicles, in percent.
             * @example 14
             */
            heavyPct: number | null;
            /**
             * @description Number of the road.
             * @example A9
             */
            road: string;
            /**
             * Format: int64
             * @description Year of the count.
             * @example 2024
             */
            year: number | null;
        };
        TravelTime: {
            /** @description How the times were computed. */
            method: string | null;
            /**
             * Format: int64
             * @description To Paris by rail, in minutes.
             */
            parisRailMin: number | null;
            /**
             * Format: int64
             * @description To Paris by road, in minutes.
             */
            parisRoadMin: number | null;
            /**
             * Format: int64
             * @description To the préfecture of the département by road, in minutes.
             */
            prefectureRoadMin: number | null;
            /**
             * Format: int64
             * @description Year of the networks and timetables they were computed from.
             */
            year: number | null;
        };
        Tri: {
            /**
             * @description Kind of flood, by the code of the data model
             * @example 01
             */
            floodType: string | null;
            /**
             * @description Code of the territory
             * @example FRD_TRI_LYON
             */
            id: string;
            /**
             * @description Name of the area.
             * @example TRI de Lyon
             */
            name: string | null;
            /**
             * @description Flood: 01For (frequent), 02Moy (medium), 03Mcc (medium with climate change), 04Fai (rare) and variants of them; null in the row of the territory itself
             * @example 02Moy
             */
            scenario: string | null;
            /**
             * Format: double
             * @description Share of the parcel, in percent
             */
            sharePct: number;
            /**
             * @description Watercourse that floods it.
             * @example Le Rhône
             */
            watercourse: string | null;
        };
        TypePrice: {
            /**
             * Format: int64
             * @description euros per m² of built area; null under five sales
             * @example 4100
             */
            medianPricePerM2: number | null;
            /**
             * Format: int64
             * @description first quartile, euros per m²; null under five sales
             */
            q1: number | null;
            /**
             * Format: int64
             * @description third quartile, euros per m²; null under five sales
             */
            q3: number | null;
            /**
             * Format: int64
             * @description sales of it within 500 m in the period
             */
            sampleSize: number;
            /**
             * @description What was sold.
             * @enum {string}
             */
            type: "Maison" | "Appartement";
        };
        UsedSale: {
            /** @description Day of the sale. */
            date: string;
            /**
             * Format: int64
             * @description metres from the parcel
             */
            distanceM: number;
            /** @description Identifier of the sale. */
            id: string;
            /**
             * Format: int64
             * @description euros per m²
             */
            pricePerM2: number;
        };
        Vegetation: {
            /**
             * Format: int64
             * @description Area on the parcel, in square metres.
             * @example 320
             */
            areaM2: number;
            /**
             * @description Kind of vegetation.
             * @example Haie
             */
            nature: string;
            /**
             * Format: double
             * @description Share of the parcel, in percent.
             * @example 4.1
             */
            sharePct: number;
        };
        WaterBody: {
            /**
             * Format: int64
             * @description Its total area in square metres
             * @example 12000
             */
            areaM2: number | null;
            /** @description Hydrographic code */
            code: string | null;
            /**
             * Format: int64
             * @description Metres from the parcel; 0 when they touch
             * @example 900
             */
            distanceM: number;
            /**
             * @description Name of the water body.
             * @example Étang de Thau
             */
            name: string | null;
            /**
             * @description Nature, in the words of the producer
             * @example Lac
             */
            nature: string | null;
            /** @description Whether it holds water all year */
            permanent: boolean | null;
        };
        Watercourse: {
            /** @description Hydrographic code */
            code: string | null;
            /**
             * Format: int64
             * @description Metres from the parcel; 0 when they touch
             * @example 240
             */
            distanceM: number;
            /**
             * Format: int64
             * @description 1 (a great river) to 6 (a brook)
             * @example 3
             */
            importance: number | null;
            /**
             * @description Name of the watercourse.
             * @example Le Lez
             */
            name: string | null;
            /**
             * @description Nature, in the words of the producer
             * @example Ecoulement naturel
             */
            nature: string | null;
            /** @description Whether it flows all year */
            permanent: boolean | null;
        };
        WineArea: {
            /**
             * @description The appellation; null where the file lacks it.
             * @example Languedoc
             */
            appellation: string | null;
            /**
             * @description The denomination within it; null where the file lacks it.
             * @example Languedoc Grés de Montpellier
             */
            denomination: string | null;
            /**
             * Format: double
             * @description Share of the parcel inside it, in percent.
             * @example 100
             */
            sharePct: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_index: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Index"];
                };
            };
        };
    };
    search_address: {
        parameters: {
            query: {
                /**
                 * @description What to look for, as people write it, 1 to 200 characters: an address, a street, a locality or a commune; a postcode, or the code or name of a département, may stand anywhere; or a parcel, as in section AY 71 Bondy. Accents, case and hyphens do not matter. Fewer than 3 characters find communes of this name, or whose first word it is, only.
                 * @example 12 allée des Roses, Bondy
                 */
                q: string;
                /**
                 * @description Greatest number of answers, 1 to 20; 5 if left out.
                 * @example 5
                 */
                limit?: number;
                /**
                 * @description WGS84 latitude in decimal degrees.
                 * @example 48.9024
                 */
                lat?: number;
                /**
                 * @description WGS84 longitude in decimal degrees.
                 * @example 2.4834
                 */
                lon?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundPlaces"];
                };
            };
        };
    };
    find_communes: {
        parameters: {
            query?: {
                /**
                 * @description List the communes of this département, overseas ones (971 to 976) included.
                 * @example 93
                 */
                departement?: string;
                /**
                 * @description With departement: only communes with this in their name. Accents, capitals, hyphens and apostrophes do not matter, and st is read as saint. Where there is none, those that have it but for one typing error.
                 * @example saint
                 */
                name?: string;
                /**
                 * @description WGS84 latitude in decimal degrees.
                 * @example 48.9024
                 */
                lat?: number;
                /**
                 * @description WGS84 longitude in decimal degrees.
                 * @example 2.4834
                 */
                lon?: number;
                /**
                 * @description With sort and top: rank the communes of this région.
                 * @example 11
                 */
                region?: string;
                /**
                 * @description In lists: only communes of so many inhabitants or more (population.latest.municipal), so that rates of a few do not come first.
                 * @example 2000
                 */
                minPopulation?: number;
                /**
                 * @description List the communes of this intercommunal body.
                 * @example 200054781
                 */
                epci?: string;
                /**
                 * @description Only these communes.
                 * @example 69123,13055
                 */
                codes?: string;
                /**
                 * @description Figures of each item: areaKm2, density, lastMergerYear, formerCommunes or keys of its statistics; a dot leads to a figure in one, such as population.latest.municipal or securite.burglary.ratePer1000.
                 * @example [
                 *       "revenus.medianIncome"
                 *     ]
                 */
                fields?: (("areaKm2" | "density" | "lastMergerYear" | "formerCommunes" | "finances" | "revenus" | "population" | "logement" | "logementRP" | "equipements" | "emploi" | "securite" | "election" | "maire" | "politicalScore" | "municipalWave" | "presidentialWave" | "rankings" | "climateAnomaly" | "travelTime" | "waterQuality" | "airQuality" | "apl" | "namedServices" | "geography" | "nuisibles" | "anfr" | "radon" | "seisme" | "catnat" | "communeRisks" | "schools" | "nearestGare" | "permits" | "epci" | "prices" | "equipementTypes" | "icpe" | "pollutedSites" | "qpv") | string)[];
                /**
                 * @description Figure to sort by, highest first; :asc after it: lowest first.
                 * @example revenus.medianIncome
                 */
                sort?: string;
                /**
                 * @description With sort: only so many items.
                 * @example 10
                 */
                top?: number;
                /**
                 * @description What to add to the answer, comma-separated. An unknown value answers 400.
                 * @example [
                 *       "geometry"
                 *     ]
                 */
                include?: ("geometry" | "centre" | "bbox" | "stats")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodeNameList"] | components["schemas"]["Commune"];
                };
            };
        };
    };
    get_commune: {
        parameters: {
            query?: {
                /**
                 * @description Only these keys of stats. A dot leads to a part of one: a member, or the series of that key.
                 * @example [
                 *       "population"
                 *     ]
                 */
                fields?: (("finances" | "revenus" | "population" | "logement" | "logementRP" | "equipements" | "emploi" | "securite" | "election" | "maire" | "politicalScore" | "municipalWave" | "presidentialWave" | "rankings" | "climateAnomaly" | "travelTime" | "waterQuality" | "airQuality" | "apl" | "namedServices" | "geography" | "nuisibles" | "anfr" | "radon" | "seisme" | "catnat" | "communeRisks" | "schools" | "nearestGare" | "permits" | "epci" | "prices" | "equipementTypes" | "icpe" | "pollutedSites" | "qpv" | "parcels" | "neighbours") | string)[];
                /**
                 * @description Only the keys of stats on these subjects, and those of fields.
                 * @example [
                 *       "services"
                 *     ]
                 */
                theme?: ("administration" | "elections" | "employment" | "finances" | "health" | "housing" | "income" | "mobility" | "nature" | "planning" | "population" | "prices" | "rankings" | "risks" | "safety" | "services")[];
                /**
                 * @description What to add to the answer, comma-separated. An unknown value answers 400.
                 * @example [
                 *       "geometry"
                 *     ]
                 */
                include?: ("geometry" | "centre" | "bbox" | "stats")[];
            };
            header?: never;
            path: {
                /**
                 * @description Commune code of INSEE (not the postcode).
                 * @example 93010
                 */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Commune"];
                };
            };
        };
    };
    list_departements: {
        parameters: {
            query?: {
                /**
                 * @description Restrict the list to one région.
                 * @example 11
                 */
                region?: string;
                /**
                 * @description Figures of each item: areaKm2, density, communeCount, chefLieu or keys of its statistics; a dot leads to a figure in one, such as logement.timeline.vacancyRatePct or securite.burglary.ratePer1000.
                 * @example [
                 *       "medianIncome"
                 *     ]
                 */
                fields?: (("areaKm2" | "density" | "communeCount" | "chefLieu" | "population" | "medianIncome" | "povertyRate" | "unemploymentRate" | "totalHousing" | "vacantHousing" | "equipements" | "crimeRate" | "finances" | "lifeExpectancy" | "rankings" | "climateAnomaly" | "populationTimeline" | "revenus" | "logement" | "logementRP" | "equipementsDetail" | "emploi" | "securite" | "election" | "apl" | "politicalScore" | "municipalWave" | "presidentialWave" | "demography" | "births" | "populationChange") | string)[];
                /**
                 * @description Figure to sort by, highest first; :asc after it: lowest first.
                 * @example medianIncome
                 */
                sort?: string;
                /**
                 * @description With sort: only so many items.
                 * @example 10
                 */
                top?: number;
                /**
                 * @description What to add to the answer, comma-separated. An unknown value answers 400.
                 * @example [
                 *       "population"
                 *     ]
                 */
                include?: "population"[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodeNameList"];
                };
            };
        };
    };
    get_departement: {
        parameters: {
            query?: {
                /**
                 * @description Only these keys of stats. A dot leads to a part of one: a member, or the series of that key.
                 * @example [
                 *       "population"
                 *     ]
                 */
                fields?: (("population" | "medianIncome" | "povertyRate" | "unemploymentRate" | "totalHousing" | "vacantHousing" | "equipements" | "crimeRate" | "finances" | "lifeExpectancy" | "rankings" | "climateAnomaly" | "populationTimeline" | "revenus" | "logement" | "logementRP" | "equipementsDetail" | "emploi" | "securite" | "election" | "apl" | "politicalScore" | "municipalWave" | "presidentialWave" | "demography" | "births" | "populationChange") | string)[];
                /**
                 * @description Only the keys of stats on these subjects, and those of fields.
                 * @example [
                 *       "services"
                 *     ]
                 */
                theme?: ("elections" | "employment" | "finances" | "health" | "housing" | "income" | "nature" | "population" | "rankings" | "safety" | "services")[];
                /**
                 * @description What to add to the answer, comma-separated. An unknown value answers 400.
                 * @example [
                 *       "geometry"
                 *     ]
                 */
                include?: ("geometry" | "centre" | "bbox" | "stats" | "communes")[];
            };
            header?: never;
            path: {
                /**
                 * @description Code of the département; `2A` and `2B` for Corsica. Overseas codes (971 to 976) answer 404.
                 * @example 93
                 */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Departement"];
                };
            };
        };
    };
    get_parcel_at_point: {
        parameters: {
            query: {
                /**
                 * @description WGS84 latitude in decimal degrees.
                 * @example 48.9024
                 */
                lat: number;
                /**
                 * @description WGS84 longitude in decimal degrees.
                 * @example 2.4834
                 */
                lon: number;
                /**
                 * @description Where no parcel covers the point, the nearest one up to so many metres away is answered, 0 to 50; with 0 none is.
                 * @example 10
                 */
                maxDistance?: number;
                /**
                 * @description What to add to the answer, comma-separated. An unknown value answers 400.
                 * @example [
                 *       "geometry"
                 *     ]
                 */
                include?: ("geometry" | "centre" | "bbox")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Parcelle"];
                };
            };
        };
    };
    get_parcel: {
        parameters: {
            query?: {
                /**
                 * @description What to add to the answer, comma-separated. An unknown value answers 400.
                 * @example [
                 *       "geometry"
                 *     ]
                 */
                include?: ("geometry" | "centre" | "bbox")[];
            };
            header?: never;
            path: {
                /**
                 * @description Cadastral reference (IDU): commune code, 3-digit prefix, 2-character section, 4-digit number. Other ways of writing it are read: 93010 J 236, section AY 71 Bondy.
                 * @example 930100000J0236
                 */
                idu: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Parcelle"];
                };
            };
        };
    };
    get_parcel_enrichments: {
        parameters: {
            query?: {
                /**
                 * @description Only these keys of enrichments. A dot leads to a part of one: a member, or the series of that key.
                 * @example [
                 *       "banAddresses"
                 *     ]
                 */
                fields?: (("address" | "banAddresses" | "neighbours" | "predecessors" | "dvf" | "dvfNearby" | "dvfEstimate" | "dpe" | "catnat" | "communeRisks" | "riskPlans" | "tris" | "floodMarkers" | "rga" | "radon" | "seisme" | "icpe" | "pollutedSites" | "bdcaviteNearby" | "bdmvtNearby" | "qpv" | "gpu" | "gpuPrescriptions" | "sup" | "aerodromeServitude" | "permits" | "rpg" | "rpgBio" | "aoc" | "clc" | "bdforet" | "zonesVegetation" | "soilPh" | "protectedAreas" | "coursEau" | "planEau" | "nearestRiverWater" | "waterQuality" | "monuments" | "sirene" | "sireneTotal" | "legalOwners" | "buildings" | "condominiums" | "roadTraffic" | "travelTime" | "fibre" | "nearestIrve" | "nearestMobile" | "nearestGare" | "nearestGareTgv" | "nearestAirport" | "schools" | "nearestHospital" | "nearestMsp" | "nearestPharmacy" | "nearestSupermarket" | "nearestHypermarket" | "nearestConvenience" | "nearestMarketplace" | "nearbyServices" | "geography" | "old") | string)[];
                /**
                 * @description The address by which the parcel was found, or its label: put first among those of the parcel; `asked` of the key address says whether it is one of them.
                 * @example 12 allée des Roses, Bondy
                 */
                address?: string;
                /**
                 * @description Only the keys of enrichments on these subjects, and those of fields.
                 * @example [
                 *       "services"
                 *     ]
                 */
                theme?: ("addresses" | "business" | "cadastre" | "energy" | "heritage" | "housing" | "imagery" | "mobility" | "nature" | "planning" | "prices" | "risks" | "services")[];
            };
            header?: never;
            path: {
                /**
                 * @description Cadastral reference (IDU): commune code, 3-digit prefix, 2-character section, 4-digit number. Other ways of writing it are read: 93010 J 236, section AY 71 Bondy.
                 * @example 930100000J0236
                 */
                idu: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Enrichments"];
                };
            };
        };
    };
    list_regions: {
        parameters: {
            query?: {
                /**
                 * @description Figures of each item: areaKm2, density, communeCount, chefLieu or keys of its statistics; a dot leads to a figure in one, such as finances.debt or pib.gdpPerCapitaEur.
                 * @example [
                 *       "medianIncome"
                 *     ]
                 */
                fields?: (("areaKm2" | "density" | "communeCount" | "chefLieu" | "population" | "medianIncome" | "povertyRate" | "unemploymentRate" | "totalHousing" | "vacantHousing" | "equipements" | "crimeRate" | "finances" | "pib" | "demography" | "lifeExpectancy" | "rankings" | "climateAnomaly" | "election" | "politicalScore" | "municipalWave" | "presidentialWave" | "births" | "securite" | "populationTimeline" | "populationChange") | string)[];
                /**
                 * @description Figure to sort by, highest first; :asc after it: lowest first.
                 * @example medianIncome
                 */
                sort?: string;
                /**
                 * @description With sort: only so many items.
                 * @example 10
                 */
                top?: number;
                /**
                 * @description What to add to the answer, comma-separated. An unknown value answers 400.
                 * @example [
                 *       "population"
                 *     ]
                 */
                include?: "population"[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CodeNameList"];
                };
            };
        };
    };
    get_region: {
        parameters: {
            query?: {
                /**
                 * @description Only these keys of stats. A dot leads to a part of one: a member, or the series of that key.
                 * @example [
                 *       "population"
                 *     ]
                 */
                fields?: (("population" | "medianIncome" | "povertyRate" | "unemploymentRate" | "totalHousing" | "vacantHousing" | "equipements" | "crimeRate" | "finances" | "pib" | "demography" | "lifeExpectancy" | "rankings" | "climateAnomaly" | "election" | "politicalScore" | "municipalWave" | "presidentialWave" | "births" | "securite" | "populationTimeline" | "populationChange") | string)[];
                /**
                 * @description Only the keys of stats on these subjects, and those of fields.
                 * @example [
                 *       "services"
                 *     ]
                 */
                theme?: ("elections" | "employment" | "finances" | "health" | "housing" | "income" | "nature" | "population" | "rankings" | "safety" | "services")[];
                /**
                 * @description What to add to the answer, comma-separated. An unknown value answers 400.
                 * @example [
                 *       "geometry"
                 *     ]
                 */
                include?: ("geometry" | "centre" | "bbox" | "stats" | "departements")[];
            };
            header?: never;
            path: {
                /**
                 * @description Code of the région in the current Code officiel géographique.
                 * @example 11
                 */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Region"];
                };
            };
        };
    };
}
