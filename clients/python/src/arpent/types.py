"""The types of the answers. Made by generate.py from the OpenAPI document of the API."""

from __future__ import annotations

from typing import Any, Literal, TypedDict


class _Absence(TypedDict):
    # Codes of the first of them, 30 at most.
    codes: list[str]
    # How many items.
    count: int
    # The field.
    field: str
    # Why, in a word.
    state: Literal['none', 'not_loaded', 'not_covered', 'secret', 'not_applicable']


class Absence(_Absence, total=False):
    # Why, in a sentence, where it is known.
    reason: str


class _Address(TypedDict):
    # whether the commune certified the address
    certified: bool | None
    # Code of the commune of the address.
    codeInsee: str | None
    # Name of the commune of the address.
    commune: str | None
    # metres from the parcel; 0 inside
    distanceM: int
    # Number with its suffix; null where it has none.
    housenumber: str | None
    # identifier in the Base Adresse Nationale
    id: str
    # The whole address in one line, to be shown.
    label: str
    # degrees, WGS84
    lat: float
    # degrees, WGS84
    lon: float
    # why it is matched with this parcel: its position lies inside, the producer links it to the parcel, or this is the
    # parcel nearest to its position, up to 50 m away, as the search gives it; near, in address alone: it is only near,
    # and of another parcel
    match: Literal['inside', 'cadastre', 'nearest', 'near']
    # what the position marks: entrée, bâtiment, parcelle, segment…
    positionType: str | None
    # Postcode.
    postcode: str | None
    # street or locality
    street: str | None


class Address(_Address, total=False):
    # Whether it is the address that was asked for by the parameter address, in address alone; false: that one is not
    # among those of the parcel, which has this one instead. Absent where none was asked for.
    asked: bool


class AerodromeEasement(TypedDict):
    # The aerodrome, as named in the file.
    aerodrome: str | None
    # PEB: noise exposure plan.
    kind: str
    # Share of the parcel inside it, in percent.
    sharePct: float
    # Noise zone, A (loudest) to D.
    zone: str | None


class Airport(TypedDict):
    # Distance from the parcel to the reference point of the airport, in metres.
    distanceM: int
    # IATA code.
    iata: str | None
    # ICAO code.
    icao: str | None
    # Name of the airport.
    name: str
    # True where the list says that airlines fly there on a timetable; null where no loaded list says so: it may be an
    # airfield without them.
    scheduledFlights: bool | None


class Authentication(TypedDict):
    # The same as a bearer token.
    bearer: str
    # Header that takes the key.
    header: str
    # How to get a key.
    obtain: str
    # The same in the URL; a header is safer, URLs end up in logs.
    query: str
    # True: every endpoint but this one needs a key.
    required: bool


class BodyPopulation(TypedDict):
    # Municipal population, inhabitants: the sum of those of its communes, all of one census year.
    municipal: int
    # What the number is.
    note: str
    # Producer and title of the populations of the communes.
    source: str
    # Census year.
    year: int


class Building(TypedDict):
    # Year of construction (land tax, by BD TOPO).
    builtYear: int | None
    # Whether BD TOPO has it.
    details: Literal['matched', 'unmatched', 'not_loaded']
    # Number of homes in the whole building (BD TOPO).
    dwellings: int | None
    # Number of floors, of its highest part (BD TOPO).
    floors: int | None
    # m² of its outline on the parcel
    footprintM2: float | None
    # metres up to the gutter, of its highest part (BD TOPO)
    heightM: float | None
    # % of the parcel that it covers
    parcelSharePct: float | None
    # Identifier in the register.
    rnbId: str
    # Second use, in the words of BD TOPO.
    secondUse: str | None
    # % of the building that lies on the parcel
    sharePct: float
    # State.
    status: Literal['constructed', 'ongoingChange', 'notUsable']
    # Use, in the words of BD TOPO.
    use: str | None


class CatnatOrder(TypedDict):
    # Last day of the event
    end: str | None
    # Day of the order
    orderDate: str | None
    # Day of its publication in the Journal officiel
    publishedOn: str | None
    # Kind of disaster, in the words of the order
    risk: str
    # First day of the event
    start: str | None


class Cavity(TypedDict):
    # Metres from the parcel
    distanceM: int
    # Identifier of the producer.
    id: str
    # Name of the cavity.
    name: str | None
    # Uncertainty of the position, in metres
    precisionM: float | None
    # State of the cavity, in the words of the producer.
    status: str | None
    # Kind of cavity, in the words of the producer.
    type: str | None


class ChargingStation(TypedDict):
    # Distance from the parcel, in metres.
    distanceM: int
    # True when charging is free at every point.
    free: bool | None
    # Highest power of its charge points, in kilowatts.
    maxPowerKw: float | None
    # Name of the station.
    name: str | None
    # Its operator; the brand where no operator is given.
    operator: str | None
    # Number of its charge points.
    points: int
    # Identifier of the station; its name and place where it has none.
    stationId: str
    # Date of the last change of its data.
    updated: str | None


class _CodeName(TypedDict):
    # Name of the territory.
    name: str


class CodeName(_CodeName, total=False):
    # Code of a région or département.
    code: str
    # Code of a commune (not the postcode).
    codeInsee: str
    # Only with include=population, in lists of régions and départements.
    population: Inhabitants
    # The fields whose figure is of fewer than 200 persons, dwellings or votes: one more or less moves it, and its place
    # in the list.
    smallBase: list[str]
    # By field, source and year of a figure that has others than those of the list.
    sources: dict[str, StatsOrigin]
    # Only in unranked: why there is no figure; the territory's own states say it in a sentence.
    state: Literal['none', 'not_loaded', 'not_covered', 'secret', 'not_applicable']
    # Only with fields: by field, the value; null where there is none, and the territory's own states say why.
    stats: dict[str, Any]


class _CodeNameList(TypedDict):
    # Number of items.
    count: int
    # The items, sorted by code unless sort names a figure.
    data: list[CodeName]


class CodeNameList(_CodeNameList, total=False):
    # Only with fields or sort: of the figures that some items of data have and others have not, why, by field and
    # reason. states has those that none has.
    absent: list[Absence]
    # Only with epci: the intercommunal body whose communes these are.
    epci: NamedBody
    # true: no name holds what was asked for; these do but for one typing error.
    fuzzy: bool
    # Only with fields or sort: by field whose figures in data are of several years, these years. Their order compares
    # different years; sources of an item names its own.
    mixedYears: dict[str, list[int]]
    # What the list has not and where it is: overseas départements, and their places if they were in data;
    # arrondissements that are called so as name says; in place of a figure that is not loaded one that is; where no
    # commune is called so, the search.
    note: str
    # Only with fields or sort in lists of départements: the overseas ones, which are not in data, with the same figures
    # in the same order. /departements/{code} has none of them.
    overseas: list[CodeName]
    # Only with fields: by field, source and year of its figures.
    sources: dict[str, StatsOrigin]
    # Only with fields: by field that no item has a value of, why.
    states: dict[str, KeyState]
    # Only where top has cut the list: those after the last item of data that have the same figure as it.
    tiedWithLast: Ties
    # How many there are, where top has cut the list.
    total: int
    # Only with top: those of withoutFigure that are not in data, 10 at most, by code, each with its state.
    unranked: list[CodeName]
    # true: unranked does not name all of withoutFigure that are not in data.
    unrankedTruncated: bool
    # Only with sort: how many have no such figure. They come last; their true rank is unknown. Where none has it, data
    # is empty, or not sorted where fields names another figure and top is not given.
    withoutFigure: int
    # Only where communes of France or a région are ranked: the départements of those of withoutFigure, the one of most
    # first. What is first in data may not be first in France where whole départements are among them.
    withoutFigureIn: list[DepartementCount]


class _Commune(TypedDict):
    # Land area in km², two decimals: that which INSEE publishes; where it publishes none, the area of the outline. Null
    # where neither is loaded.
    areaKm2: float | None
    # Producer and title of the land area in areaKm2; null where areaKm2 is that of the outline.
    areaSource: str | None
    # Edition of that data set; null where areaSource is.
    areaYear: int | None
    # The département and the région whose chef-lieu (préfecture) it is; empty: it is none. Sous-préfectures are in no
    # loaded file. Null where that is not loaded.
    chefLieuOf: list[Seat] | None
    # Commune code of INSEE (not the postcode).
    codeInsee: str
    # 971 to 976 overseas.
    deptCode: str | None
    # Name of the département.
    deptName: str | None
    # The communes that became part of it since 1943 and were not restored, the newest first; also the one whose code it
    # has, where it is a commune nouvelle or took another name in the merger. Null where the movements of communes are
    # not loaded.
    formerCommunes: list[FormerCommune] | None
    # Kind of territory.
    kind: Literal['commune']
    # Name of the commune.
    name: str
    # Geodesic area of the outline in km², two decimals, with lakes, ponds and estuaries; null where no outline is
    # loaded.
    outlineAreaKm2: float | None
    # Its postcodes, sorted; other communes may share them.
    postcodes: list[str]
    # Code of the région.
    regionCode: str | None
    # Name of the région.
    regionName: str | None


class Polygon(TypedDict):
    coordinates: list[list[list[float]]]
    type: Literal['Polygon']


class MultiPolygon(TypedDict):
    coordinates: list[list[list[list[float]]]]
    type: Literal['MultiPolygon']


class _CommuneStats(TypedDict):
    # Where the values are from that are plain numbers or lists, by key.
    sources: dict[str, StatsOrigin]


class CommuneStats(_CommuneStats, total=False):
    """Only with include=stats or fields; every key of the level, or those that fields names."""

    # Regulated pollutants. Ozone is the mean of the peak season's daily maxima of 8-hour means, not an annual mean.
    airQuality: StatsAirQuality | None
    # Mobile-network supports and 5G.
    anfr: StatsMobileNetworks | None
    # Accessibility of general practitioners: consultations per standardised inhabitant per year.
    apl: StatsDoctors | None
    # Natural-disaster orders for the commune: their number by kind, and the newest.
    catnat: StatsCatnat | None
    # Yearly mean temperature against the mean of 1991 to 2020.
    climateAnomaly: StatsClimateAnomaly | None
    # Risks listed for the commune in the register of its département.
    communeRisks: StatsCommuneRisks | None
    # Turnout and results of the newest elections of each kind.
    election: StatsElections | None
    # Activity and unemployment of those aged 15 to 64, and of the zone d'emploi.
    emploi: StatsEmployment | None
    # The intercommunal body with own taxes that the commune belongs to: its code, name and population. Other figures of
    # bodies are not served.
    epci: StatsEPCI | None
    # Facilities of every type of the edition of 2013, in the words of the producer; types that the commune has none of
    # are left out.
    equipementTypes: StatsFacilityTypes | None
    # Facilities open to the public: their number by family.
    equipements: StatsFacilities | None
    # Municipal accounts, one entry a year, oldest first, in euros.
    finances: list[StatsFinanceYear] | None
    # Elevation, distance to coast and mountains.
    geography: StatsGeography | None
    # Classified installations of the commune: their number by regime, and the first of them.
    icpe: StatsIcpe | None
    # Housing stock per census year, vacant dwellings and second homes.
    logement: StatsHousing | None
    # Main residences: tenure, rooms, building period, heating.
    logementRP: StatsMainResidences | None
    # The mayor, as the national register had it on the day asOf.
    maire: StatsMayorInOffice | None
    # Trend of three municipal elections on the same scale.
    municipalWave: StatsMunicipalWave | None
    # The nearest hospital, school, station and supermarket by name, from the middle of the commune as the crow flies.
    namedServices: StatsNamedServices | None
    # The passenger station of the commune that is nearest to a point in its middle; where none lies in it, the nearest
    # within 50 km. All that lie in it.
    nearestGare: StatsNearestStation | None
    # Pests that were reported. What is not listed was not reported, which is not the same as absent.
    nuisibles: list[StatsPest] | None
    # Permits granted by year.
    permits: StatsPermits | None
    # Left/right position derived from first rounds of national elections: -1 is far left, +1 far right. The method is
    # published.
    politicalScore: StatsPoliticalScore | None
    # Former industrial sites of the commune: their number by state, and the first of them.
    pollutedSites: StatsPollutedSites | None
    # Inhabitants: in force, per census year, and how their number changes.
    population: StatsPopulation | None
    # Trend of three presidential elections on the same scale, against the nation.
    presidentialWave: StatsPresidentialWave | None
    # Prices of the houses and flats that were sold in the commune, in the last five years of the data: medians by type,
    # year and number of rooms (6: six or more).
    prices: StatsPrices | None
    # Priority urban districts (QPV) of the commune: how many, their codes and names.
    qpv: StatsCommuneDistricts | None
    # Radon potential of the commune, or of the arrondissement; of Paris, Lyon and Marseille the highest of their
    # arrondissements, as `of` says.
    radon: StatsRadon | None
    # National and départemental ranks.
    rankings: StatsCommuneRankings | None
    # Disposable income of the inhabitants: median, poverty rate, deciles.
    revenus: StatsIncome | None
    # Schools of the commune with success rates and social position: their number by level, and the first of them.
    schools: StatsSchools | None
    # Offences recorded by police and gendarmerie, where they took place. The figures depend on what is reported and on
    # police presence.
    securite: StatsSafety | None
    # Regulatory seismic zone of the commune, or of the arrondissement.
    seisme: StatsSeisme | None
    # Travel times to Paris and to the préfecture, by road and rail.
    travelTime: StatsTravelTime | None
    # Conformity of tap water over the last twelve months of control.
    waterQuality: StatsWaterQuality | None


class Commune(_Commune, total=False):
    # Only of a point in Paris, Lyon or Marseille: the arrondissement that it lies in. Its own figures are answered by
    # its code.
    arrondissement: NamedCommune
    # Only of an arrondissement of Paris, Lyon or Marseille, which has a code of its own (75118): the commune that it is
    # part of. Its statistics are its own, and null where they are known of the city alone.
    arrondissementOf: NamedCommune
    # Only with include=bbox: the bounding box of the whole outline in WGS84, west, south, east, north (RFC 7946). Null
    # where no outline is loaded.
    bbox: list[float] | None
    # Only with include=centre: a position inside the outline, or on it: the centroid of its largest part where that is
    # inside. Null where no outline is loaded.
    centre: Position | None
    # Outline in WGS84 (GeoJSON geometry, longitude first, at most 7 decimals).
    geometry: Polygon | MultiPolygon | None
    # Only where fields names it: the communes that touch it.
    neighbours: Neighbours
    # Only of a point that is as near to another commune as outlines are imprecise: which one.
    note: str
    # Only with include=geometry: what the outline is.
    outline: OutlineOrigin
    # Only with include=stats or fields: how many parcels the cadastre has of it, in how many sections.
    parcels: CommuneParcels
    # Next to stats: for each of its keys why it has a value or none; of a value a part of which comes from sources of
    # its own and is null, also why that is, as key.part.
    states: dict[str, KeyState]
    # Only with include=stats or fields; every key of the level, or those that fields names.
    stats: CommuneStats


class _CommuneParcels(TypedDict):
    # Number of sections; those of former communes count apart, by their prefix. Null where total is.
    sections: int | None
    # Whether they are known, or why not.
    state: Literal['value', 'not_loaded', 'not_covered']
    # Number of parcels; null unless all of them are loaded.
    total: int | None
    # Edition of the cadastre, a day, of several the newest; null where the file does not say, or total is null.
    vintage: str | None


class CommuneParcels(_CommuneParcels, total=False):
    # Only where fields names parcels: the sections by code, prefix and name, at most 200.
    bySection: list[SectionParcels]
    # Only where fields names parcels: the ten largest, by the recorded area (contenance), or by that of the outline
    # (outlineAreaM2) where the two differ by more than a factor of 2 or none is recorded.
    largest: list[LargeParcel]
    # Why total is null, in a sentence.
    reason: str


class CommuneRisk(TypedDict):
    # Code of the risk: two digits are a family, more are a detail of it
    code: str
    # Name of the risk.
    label: str


class Condominium(TypedDict):
    # Address of reference.
    address: str | None
    # Period of construction.
    builtPeriod: str | None
    # Lots that are homes.
    housingLots: int | None
    # Lots that are homes, offices or shops.
    mainLots: int | None
    # Name in use; null where it has none, or that of a person.
    name: str | None
    # How many parcels it has, as it told the register.
    parcelCount: int | None
    # Parcels that the register names, three at most.
    parcels: list[str]
    # Lots that are parking spaces.
    parkingLots: int | None
    # Number in the register.
    registrationNumber: str
    # Name of a syndic that is a legal person.
    syndic: str | None
    # SIREN of that syndic.
    syndicSiren: str | None
    # Who manages it.
    syndicType: Literal['professional', 'volunteer', None]
    # Lots of any use.
    totalLots: int | None
    # Day of the last change.
    updatedOn: str | None


class _Departement(TypedDict):
    # Land area in km², two decimals: that which INSEE publishes, the sum of its communes; where it is not known of one
    # of them, the area of the outline. Null where neither is loaded.
    areaKm2: float | None
    # Producer and title of the land area in areaKm2; null where areaKm2 is that of the outline.
    areaSource: str | None
    # Edition of that data set; null where areaSource is.
    areaYear: int | None
    # The commune that is its chef-lieu (préfecture). Null where it is not loaded.
    chefLieu: NamedCommune | None
    # 2A and 2B in Corsica.
    code: str
    # How many communes it has.
    communeCount: int
    # Kind of territory.
    kind: Literal['departement']
    # Name of the département.
    name: str
    # Geodesic area of the outline in km², two decimals, with lakes, ponds and estuaries; null where no outline is
    # loaded.
    outlineAreaKm2: float | None
    # Code of the région.
    regionCode: str | None
    # Name of the région.
    regionName: str | None


class _DepartementStats(TypedDict):
    # Where the values are from that are plain numbers or lists, by key.
    sources: dict[str, StatsOrigin]


class DepartementStats(_DepartementStats, total=False):
    """Only with include=stats or fields; every key of the level, or those that fields names."""

    # Accessibility of general practitioners: consultations per standardised inhabitant per year.
    apl: StatsDoctors | None
    # Births and deaths of a year, by where people lived, oldest first. Where they are not published for the territory,
    # they are the sums of its communes.
    births: list[StatsYearBirths] | None
    # Yearly mean temperature against the mean of 1991 to 2020.
    climateAnomaly: StatsClimateAnomaly | None
    # Offences recorded per 1 000 inhabitants: the sum of eleven series (ten by the labels of 2024) in which no act
    # counts twice (method sum10-v1). sources.crimeRate.definition names them.
    crimeRate: float | None
    # Year of crimeRate; null where that is. The others may be of other years.
    crimeRateYear: int | None
    # Natural and migratory balance, births and deaths per period between two censuses, oldest first.
    demography: list[StatsDemographyPeriod] | None
    # Turnout and results of the newest elections of each kind.
    election: StatsElections | None
    # Activity and unemployment of those aged 15 to 64.
    emploi: StatsEmployment | None
    # Facilities open to the public, all kinds.
    equipements: int | None
    # Facilities by family.
    equipementsDetail: StatsFacilities | None
    # Year of equipements; null where that is. The others may be of other years.
    equipementsYear: int | None
    # Accounts of the département, one entry a year, oldest first, in euros.
    finances: list[StatsFinanceYear] | None
    # Life expectancy at birth, in years.
    lifeExpectancy: StatsLifeExpectancy | None
    # Housing stock per census year, vacant dwellings and second homes.
    logement: StatsHousing | None
    # Main residences: tenure, rooms, building period, heating.
    logementRP: StatsMainResidences | None
    # Median disposable income per consumption unit, euros a year.
    medianIncome: float | None
    # Year of medianIncome; null where that is. The others may be of other years.
    medianIncomeYear: int | None
    # Trend of three municipal elections on the same scale.
    municipalWave: StatsMunicipalWave | None
    # Left/right position derived from first rounds of national elections.
    politicalScore: StatsPoliticalScore | None
    # Municipal population, newest.
    population: int | None
    # Change of the municipal population between two census years, at least five years apart.
    populationChange: StatsChange | None
    # Inhabitants per census year, oldest first.
    populationTimeline: list[StatsYearPopulation] | None
    # Year of population; null where that is. The others may be of other years.
    populationYear: int | None
    # Share of the inhabitants below 60 % of the national median, in percent.
    povertyRate: float | None
    # Year of povertyRate; null where that is. The others may be of other years.
    povertyRateYear: int | None
    # Trend of three presidential elections on the same scale, against the nation.
    presidentialWave: StatsPresidentialWave | None
    # Ranks among the 101 départements.
    rankings: StatsRankings | None
    # Disposable income of the inhabitants: median, poverty rate, deciles.
    revenus: StatsIncome | None
    # Offences recorded by police and gendarmerie. Those of a région are the sums of its départements where the
    # producer's own are older.
    securite: StatsSafety | None
    # Dwellings, newest census year.
    totalHousing: int | None
    # Year of totalHousing; null where that is. The others may be of other years.
    totalHousingYear: int | None
    # Localised unemployment rate (ILO), newest quarter, in percent. Where none is loaded
    # rankings.censusUnemploymentRate has that of the census, which is higher.
    unemploymentRate: float | None
    # Year of unemploymentRate; null where that is. The others may be of other years.
    unemploymentRateYear: int | None
    # Vacant dwellings, newest census year.
    vacantHousing: int | None
    # Year of vacantHousing; null where that is. The others may be of other years.
    vacantHousingYear: int | None


class Departement(_Departement, total=False):
    # Only with include=bbox: the bounding box of the whole outline in WGS84, west, south, east, north (RFC 7946). Null
    # where no outline is loaded.
    bbox: list[float] | None
    # Only with include=centre: a position inside the outline, or on it: the centroid of its largest part where that is
    # inside. Null where no outline is loaded.
    centre: Position | None
    # Only with include=communes.
    communes: CodeNameList
    # Outline in WGS84 (GeoJSON geometry, longitude first, at most 7 decimals).
    geometry: Polygon | MultiPolygon | None
    # Only with include=geometry: what the outline is.
    outline: OutlineOrigin
    # Next to stats: for each of its keys why it has a value or none; of a value a part of which comes from sources of
    # its own and is null, also why that is, as key.part.
    states: dict[str, KeyState]
    # Only with include=stats or fields; every key of the level, or those that fields names.
    stats: DepartementStats


class DepartementCount(TypedDict):
    # Code of the département.
    code: str
    # How many of its communes.
    count: int
    # Name of the département.
    name: str


class Diagnostic(TypedDict):
    # Kind of building, in the words of the producer.
    buildingType: str | None
    # Period in which it was built.
    builtPeriod: str | None
    # Year in which it was built.
    builtYear: int | None
    # kWh of primary energy per m² and year
    consumptionKwhM2: float | None
    # Day on which it was established.
    date: str
    # metres from the parcel; null when the diagnostic has no position
    distanceM: int | None
    # kg CO₂ per m² and year
    emissionsKgM2: float | None
    # Class of energy use, from A to G.
    energyClass: Literal['A', 'B', 'C', 'D', 'E', 'F', 'G']
    # class of greenhouse-gas emissions
    ghgClass: Literal['A', 'B', 'C', 'D', 'E', 'F', 'G', None]
    # Number of the diagnostic.
    id: str
    # m²
    livingAreaM2: float | None
    # address: it has an address of the parcel; near: it lies within 50 m
    match: Literal['address', 'near']
    # Last day on which it is valid.
    validUntil: str | None


class District(TypedDict):
    # Official code.
    code: str
    # Official name.
    name: str | None
    # Share of the parcel inside it, in percent.
    sharePct: float


class Easement(TypedDict):
    # Code of its category.
    category: str | None
    # Name of the archive it comes from, without its date where it comes from the national layer.
    document: str | None
    # What is drawn, as in the file.
    kind: str | None
    # The object that it protects or originates from.
    name: str | None
    # Share of the parcel inside it, in percent.
    sharePct: float


class Endpoint(TypedDict):
    # HTTP method.
    method: Literal['GET']
    # Path with its parameters in braces.
    path: str
    # What it does.
    summary: str


class EnrichmentsEnrichments(TypedDict, total=False):
    """One member a key of the report, all of them always there unless fields names some. Null where nothing applies, or where no source of the key is loaded for the place; a list is empty where its sources hold nothing for the parcel."""

    # Addresses: The best address of the parcel in the Base Adresse Nationale: of those inside the parcel, else of those
    # that the producer connects with it, the certified first, then entrances, then the lowest number; else, of those
    # that have no parcel nearer than this one, the nearest; else the nearest within 50 m. match says which: near is not
    # an address of the parcel. The one that was asked for by address, where the parcel has it, and asked says whether
    # it is that one. Null when there is none.
    address: Address | None
    # Planning: The noise zones of aerodromes that the parcel lies in, the one that covers most of it first, 20 at most.
    # Aeronautical easements are among those of sup where they are loaded. Overlaps of less than 1 m² that are also less
    # than 0.5 % of the parcel are left out.
    aerodromeServitude: list[AerodromeEasement] | None
    # Land and nature: The delimited areas of protected wines that the parcel lies in, the one that covers most of it
    # first, 30 at most. Overlaps of less than 1 m² that are also less than 0.5 % of the parcel are left out.
    aoc: list[WineArea] | None
    # Addresses: All addresses inside the parcel, then all that the producer connects with it, then those outside all
    # parcels of which it is the nearest, as the search gives it: match and distanceM say which. The best first, 50 at
    # most. The one that was asked for by address comes first where it is among them, and the others by their distance
    # from it. An address with several positions counts once. Empty when there is none; one that is just near is in
    # address only.
    banAddresses: list[Address] | None
    # Risks: Underground cavities within 500 m of the parcel, nearest first, at most 20. Confidential ones and those
    # located only to the commune are left out.
    bdcaviteNearby: list[Cavity] | None
    # Land and nature: The type of forest that covers most of the parcel. Null where there is none. Overlaps of less
    # than 1 m² that are also less than 0.5 % of the parcel are left out.
    bdforet: Forest | None
    # Risks: Recorded ground movements within 500 m of the parcel, nearest first, at most 20. Those located only to the
    # commune are left out.
    bdmvtNearby: list[GroundMovement] | None
    # Buildings: Buildings of the national register (RNB) that stand on the parcel, the largest footprint on it first,
    # at most 100. A building of which less than 5 % lies on the parcel is left out, as on the site of the RNB. Height,
    # floors, use, dwellings and year are those of BD TOPO; details says whether BD TOPO has the building, or is not
    # loaded here. A year is given where it was matched well.
    buildings: list[Building] | None
    # Risks: Natural-disaster orders for the commune, newest event first, at most 100. Orders for a former commune count
    # for the current commune.
    catnat: list[CatnatOrder] | None
    # Land and nature: The class of land cover that covers most of the parcel. The smallest unit drawn is 25 ha: a small
    # parcel gets the class of its surroundings. Overlaps of less than 1 m² that are also less than 0.5 % of the parcel
    # are left out.
    clc: LandCover | None
    # Risks: Risks listed for the commune in the register of its département: families (two digits) first, then their
    # details, at most 100.
    communeRisks: list[CommuneRisk] | None
    # Buildings: Condominiums of the national register that name the parcel, the largest first, at most 50. The lots are
    # those of the whole condominium, which may stand on further parcels. Not every condominium is registered, nor names
    # its parcels: an empty list does not mean a house with one owner. Neither owners nor volunteers are named.
    condominiums: list[Condominium] | None
    # Land and nature: The nearest watercourse within 5 km. One with a name is preferred when it is at most twice as far
    # as the nearest of all. Null when there is none.
    coursEau: Watercourse | None
    # Sales and energy: Energy-performance diagnostics since July 2021 of the addresses of the parcel, else within 50 m,
    # newest first, 20 at most. Replaced ones are left out.
    dpe: list[Diagnostic] | None
    # Sales and energy: Sales of this parcel, newest first, 50 at most, one item a mutation. Price in euros for the
    # whole mutation. Null where sales are not published (57, 67, 68, 976).
    dvf: list[ParcelSale] | None
    # Sales and energy: Median and quartiles of the price per m² of the comparable sales of one type within 500 m, or 1
    # 000 m when there are fewer than five, in the last five years of the data: an order of magnitude, not a valuation.
    # Null under five sales. Comparable is the sale of exactly one house or flat (outbuildings allowed), of nature
    # Vente, at 100 to 30 000 euros per m². The type is that last sold on the parcel, else the one most sold around it.
    # Sales of the parcel itself count too: their id is that in dvf. Null where sales are not published (57, 67, 68,
    # 976).
    dvfEstimate: PriceEstimate | None
    # Sales and energy: Comparable sales within 500 m in the last five years of the data, the 20 nearest: distances run
    # from its outline to the point that the file gives the sale. Where fields or theme names the key, also the 20
    # nearest sales of the other type, houses or flats: type says which. Comparable is the sale of exactly one house or
    # flat (outbuildings allowed), of nature Vente, at 100 to 30 000 euros per m². The type is that last sold on the
    # parcel, else the one most sold around it. Sales of the parcel itself count too: their id is that in dvf. Null
    # where sales are not published (57, 67, 68, 976).
    dvfNearby: list[NearbySale] | None
    # Mobility and networks: State of the fibre roll-out at the nearest building within 50 m. Null when no building is
    # that near.
    fibre: Fibre | None
    # Risks: Marks of past floods within 500 m of the parcel, nearest first, at most 20. A mark has an entry for each
    # flood.
    floodMarkers: list[FloodMarker] | None
    # Other: Mean height of the parcel, and its distances to the coast and to the nearest area classed as mountain, in
    # metres. A member is null when its source is not loaded for the place; null as a whole when none of them has a
    # value.
    geography: Geography | None
    # Planning: The zones of the local plan, the one that covers most of the parcel first, 50 at most. Of several plans
    # of the commune that are loaded the newest is used. Null where no plan of the commune is loaded. Overlaps of less
    # than 1 m² that are also less than 0.5 % of the parcel are left out.
    gpu: list[PlanZone] | None
    # Planning: The surface prescriptions of the local plan, the one that covers most of the parcel first, 50 at most;
    # those drawn as lines or points are not loaded. Null where no plan of the commune is loaded. Overlaps of less than
    # 1 m² that are also less than 0.5 % of the parcel are left out.
    gpuPrescriptions: list[PlanPrescription] | None
    # Risks: Classified installations within 1 000 m of the parcel, nearest first, at most 50. Those located only to the
    # commune, or not at all, are left out.
    icpe: list[Icpe] | None
    # Heritage and economy: Legal persons with a right on the parcel on 1 January of the year of the edition, by right
    # and name, 50 at most. No natural person is in the file. An empty list does not say whose the parcel is: it may be
    # that of natural persons.
    legalOwners: list[LegalOwner] | None
    # Heritage and economy: Protected historic monuments within 500 m, by distance, 50 at most. Those without a position
    # are left out.
    monuments: list[Monument] | None
    # Services: Facilities within 1 km, counted by domain. Places that are only known to be in a commune are not
    # counted.
    nearbyServices: NearbyServices | None
    # Mobility and networks: Nearest airport within 200 km with scheduled flights: of those of France, Basel-Mulhouse
    # and Geneva. Where no loaded list says which have such flights, the nearest with an IATA code, and scheduledFlights
    # is null. Null when there is none.
    nearestAirport: Airport | None
    # Services: Nearest convenience store (supérette, épicerie) within 50 km. Null when there is none. Places that are
    # only known to be in a commune are left out.
    nearestConvenience: Shop | None
    # Mobility and networks: Nearest passenger station of SNCF within 50 km: stops of metro, tram and bus are none. Null
    # when there is none, and in Corsica, whose stations SNCF does not list.
    nearestGare: Station | None
    # Mobility and networks: Nearest station within 200 km served by high-speed trains. Null when there is none, or when
    # no list of such stations is loaded.
    nearestGareTgv: Station | None
    # Services: Nearest hospital within 100 km: general and regional hospitals by their category (FINESS 101, 355) and
    # name, without their outposts (day hospitals, dental, psychiatric and geriatric units). Local and psychiatric
    # hospitals and private clinics are none. Where INSEE's inventory of facilities is loaded, the nearest with an
    # emergency department. Null when there is none. Where only an extract is loaded, the nearest in it.
    nearestHospital: Hospital | None
    # Services: Nearest hypermarket within 50 km. Null when there is none. Places that are only known to be in a commune
    # are left out.
    nearestHypermarket: Shop | None
    # Mobility and networks: Nearest charging station for electric vehicles within 20 km, with what is known of all its
    # points. Null when there is none.
    nearestIrve: ChargingStation | None
    # Services: Nearest marketplace within 50 km. Null when there is none.
    nearestMarketplace: Shop | None
    # Mobility and networks: Nearest support with active mobile antennas within 20 km, with all operators and
    # generations on it. Null when there is none.
    nearestMobile: MobileMast | None
    # Services: Nearest multi-professional health centre (603) within 50 km. Null when there is none.
    nearestMsp: HealthPlace | None
    # Services: Nearest pharmacy (620) within 50 km. Null when there is none.
    nearestPharmacy: HealthPlace | None
    # Land and nature: The three nearest stations where the quality of rivers is measured, within 20 km, nearest first.
    nearestRiverWater: list[RiverStation] | None
    # Services: Nearest supermarket within 50 km. Null when there is none. Places that are only known to be in a commune
    # are left out.
    nearestSupermarket: Shop | None
    # Cadastre: Parcels that share a border with the parcel, the longest border first, at most 100. Streets and water
    # have no parcel. Outlines share what runs along both within 0.1 m; parcels that touch at a corner are no
    # neighbours. Null within 50 m of a commune whose parcels are not all loaded.
    neighbours: list[Neighbour] | None
    # Other: The historic aerial photographs whose extent touches the parcel. Null where there are none.
    old: OldImagery | None
    # Planning: Permits on the parcel, newest first, 50 at most. Only granted permits that create dwellings or floor
    # area, and permits to develop (PA) and to demolish (PD), are listed: nothing that was refused or is under way. The
    # files name parcels without the prefix of the section: a permit is given only where exactly one parcel fits;
    # leftOut of its state counts those of the commune that could not be placed.
    permits: list[Permit] | None
    # Land and nature: The nearest lake, pond, basin or other standing water within 5 km. One with a name is preferred
    # when it is at most twice as far as the nearest of all. Null when there is none.
    planEau: WaterBody | None
    # Risks: Former industrial sites within 500 m of the parcel, nearest first, at most 20. They indicate a past
    # activity, not confirmed pollution. Sites located only to the commune are left out.
    pollutedSites: list[PollutedSite] | None
    # Cadastre: Parcels that are gone in whose place the parcel is, the one that covers most of it first, at most 50:
    # those that overlap it by a twentieth or more of one of the two, so that a small part of a large former parcel has
    # that one, too. They are known from the earlier editions of the cadastre that were loaded here; null in a commune
    # of which no parcel is known as gone.
    predecessors: list[Predecessor] | None
    # Land and nature: The protected areas that the parcel lies in, the strongest protection first, then the one that
    # covers most of it, 50 at most. Only of the kinds that are loaded for the place, which the loads of the report
    # name; the list is empty only where all kinds that the INPN publishes are loaded, else null. Classified and listed
    # sites are in the list where they are loaded, and an empty list does not speak of them. Overlaps of less than 1 m²
    # that are also less than 0.5 % of the parcel are left out.
    protectedAreas: list[ProtectedArea] | None
    # Planning: The priority district of 2024 that the parcel lies in; of several, the one that covers most of it. Null
    # outside of them. Overlaps of less than 1 m² that are also less than 0.5 % of the parcel are left out.
    qpv: District | None
    # Risks: Radon potential of the commune, or of the arrondissement. A merged commune has the class of the former
    # commune whose code it kept, else the highest of its former communes.
    radon: Radon | None
    # Risks: Exposure to clay shrinkage and swelling under the parcel, from the newest map of the place. Null where the
    # parcel is in none of the levels, and where the map is not loaded.
    rga: Rga | None
    # Risks: Risk-prevention plans of the commune, and plans whose map covers the parcel, with the zones it lies in:
    # those in force first, at most 30. Empty only where the procedures of all three kinds are loaded.
    riskPlans: list[RiskPlan] | None
    # Mobility and networks: Annual average daily traffic of the nearest counted road of the national network within 500
    # m, newest count. Null when no counted road is that near.
    roadTraffic: Traffic | None
    # Land and nature: The crops declared on the parcel, the field that covers most of it first, 30 at most. Of the
    # newest year loaded. Land that was not declared is missing. Overlaps of less than 1 m² that are also less than 0.5
    # % of the parcel are left out.
    rpg: list[Field] | None
    # Land and nature: Whether the parcel is declared as organic: the stage that covers most of it, of the newest year
    # loaded. Null where no organic field is declared. Overlaps of less than 1 m² that are also less than 0.5 % of the
    # parcel are left out.
    rpgBio: Organic | None
    # Services: Schools within 2 km by distance, at most 10, with at least one of each level when there is one. Where
    # the directory of schools is not loaded: schools of the commune (arrondissement in Paris, Lyon and Marseille) that
    # have an index of social position, without a distance, by level and name.
    schools: list[School] | None
    # Risks: Regulatory seismic zone of the commune. A merged commune has the zone of the former commune whose code it
    # kept, else the highest of its former communes.
    seisme: Seisme | None
    # Heritage and economy: Active business establishments within 50 m, by distance, 25 at most. Those that keep their
    # address to themselves, and those that are only known to be in a commune, are left out.
    sirene: list[Establishment] | None
    # Heritage and economy: How many active business establishments there are within 50 m, counted as for sirene.
    sireneTotal: int | None
    # Land and nature: pH of the soil under the parcel at 0–5 cm and 5–15 cm: the mean of the cells of the grid whose
    # centres lie in it, else the cell under a point of it. Modelled, not measured. Null where the grid has no value:
    # towns and water.
    soilPh: SoilPh | None
    # Planning: The public-utility easements that weigh on the parcel, the one that covers most of it first, 50 at most.
    # Only of the categories that are loaded for the place, which the loads of the report name: an empty list says
    # nothing about the others. Repealed easements are left out. Overlaps of less than 1 m² that are also less than 0.5
    # % of the parcel are left out.
    sup: list[Easement] | None
    # Mobility and networks: Travel times of the commune to Paris and to the préfecture, in minutes. Null where they
    # have not been computed.
    travelTime: TravelTime | None
    # Risks: Flooded areas of the territories of major flood risk that the parcel lies in, the most frequent flood
    # first, then the territories themselves; at most 30.
    tris: list[Tri] | None
    # Land and nature: Sanitary control of the tap water of the commune. A commune can have several networks: the
    # figures are those of the one with the most samples in the last 12 months of the data, which need not be the one
    # that serves the parcel; the others are named. Null when no network is known.
    waterQuality: TapWater | None
    # Land and nature: What grows on the parcel, by kind, the largest area first. Areas lie in one another, a hedge in a
    # wood: shares may add up to more than 100 %. Overlaps of less than 1 m² that are also less than 0.5 % of the parcel
    # are left out.
    zonesVegetation: list[Vegetation] | None


class _Enrichments(TypedDict):
    # Code of the commune.
    codeInsee: str
    # One member a key of the report, all of them always there unless fields names some. Null where nothing applies, or
    # where no source of the key is loaded for the place; a list is empty where its sources hold nothing for the parcel.
    enrichments: EnrichmentsEnrichments
    # Reference of the parcel.
    idu: str
    # Of each key that is a list, how many items there are and how many of them are given. The order is that of the key.
    lists: dict[str, Length]
    # The parcel itself, as in its own answer.
    parcel: ParcelleAttributes
    # What the report was made from: every load that speaks for the place of the parcel, with the keys that were looked
    # for in it.
    sources: list[ReportSource]
    # Of each key of enrichments, why it has a value or none.
    states: dict[str, KeyState]


class Enrichments(_Enrichments, total=False):
    # Only where the reference was written with words that may mean something else: as what it was read, and what else
    # it may be. Of communes of one name it is read as the only one with parcels on this server.
    readings: list[str]


class Error(TypedDict):
    error: ErrorDetail


class ErrorDetail(TypedDict):
    # What went wrong, for programs.
    code: str
    # Address of the section that explains this code.
    documentation: str
    # What went wrong and what was expected, for people.
    message: str


class Establishment(TypedDict):
    # metres from the parcel
    distanceM: int
    # code of the range of employees
    employees: str | None
    # Whether it is the head office of its company.
    headOffice: bool | None
    # name of the activity; null while no table of names is loaded
    label: str | None
    # code of the activity
    naf: str | None
    # name of the company; null for sole traders
    name: str | None
    # SIRET number.
    siret: str


class Fibre(TypedDict):
    # Identifier of the building.
    buildingId: str
    # date on which the zone was completed
    completedOn: str | None
    # metres from the parcel
    distanceM: int
    # as the source words it
    kind: str | None
    # point de mutualisation that serves the building
    node: str | None
    # State of its connection point, in the words of the producer.
    nodeStatus: str | None
    # code of the operator of the building
    operator: str | None
    # as the source words it: deploye, en cours de deploiement, raccordable demande, signe, cible (planned: no line can
    # be ordered yet), abandonne
    status: str


class Field(TypedDict):
    # Area of the whole declared field, as declared, in hectares.
    areaHa: float | None
    # Its name; null for a code missing from the table of names.
    crop: str | None
    # Code of the crop in the nomenclature of the RPG.
    cropCode: str
    # Its name.
    group: str | None
    # Number of the group of crops, 1 to 28.
    groupCode: str | None
    # Share of the cadastral parcel inside the field, in percent.
    sharePct: float
    # Year of the declaration.
    year: int


class FloodMarker(TypedDict):
    # Day of the flood; null when it is not known to the day
    date: str | None
    # Date as the source writes it
    dateText: str
    # Metres from the parcel
    distanceM: int
    # Ground level, in metres above sea level (NGF)
    groundM: float | None
    # Sheet and number of the mark
    id: str
    # Water level, in metres above sea level (NGF)
    levelM: float | None
    # Where it is, in words.
    place: str | None
    # Year of the flood.
    year: int | None


class Forest(TypedDict):
    # Code of the type of formation (TFV).
    code: str | None
    # Its name.
    label: str | None
    # Share of the parcel inside it, in percent.
    sharePct: float
    # The species, or group of species.
    species: str | None
    # Year of the edition of the département.
    year: int


class FormerCommune(TypedDict):
    # Its code of INSEE at that time.
    code: str
    # Day on which it became part of another commune.
    date: str
    # Code of the commune that it became part of, where that is not the code of this one: it has changed since, or that
    # commune became part of this one later. Else null.
    into: str | None
    # merger: fusion simple. newCommune: creation of a commune nouvelle. association: fusion-association. division: it
    # was dissolved, its territory divided among others.
    kind: Literal['merger', 'newCommune', 'association', 'division']
    # Its name at that time.
    name: str


class _FoundPlace(TypedDict):
    # Code of the commune of today, as in /communes/{code}; not the postcode. In an arrondissement it is that of the
    # city: see codeArrondissement.
    codeInsee: str
    # Name of the commune of today.
    commune: str
    # Code of its département.
    deptCode: str
    # Metres from the point of a housenumber to the parcel of idu; 0 where it lies inside. The farther, the less sure:
    # look at a parcel that is not next to the point before you take it. Null for all others.
    distanceM: int | None
    # True where a word of the query is spelt otherwise in the answer, or only the beginning of one: a guess. Such words
    # are in unmatched.
    fuzzy: bool
    # Number with its suffix, of a housenumber; null for all others. A suffix (bis, ter…) that is not known gives the
    # number without it.
    housenumber: str | None
    # Reference of the parcel: of a parcel, and of a housenumber that of the parcel that its point lies in, else of the
    # nearest one within 50 m: see distanceM. Null for all others, and where no parcel is loaded there.
    idu: str | None
    # What was found. A parcel is one whose reference was asked for. A street whose number is not known is a street; a
    # street that is not known is the commune it was asked in.
    kind: Literal['housenumber', 'street', 'locality', 'commune', 'parcel']
    # The whole address or place in one line, to be shown.
    label: str
    # WGS84 latitude in decimal degrees: of the number, of a point on the street, or inside the commune. Null where it
    # is not known.
    lat: float | None
    # WGS84 longitude in decimal degrees, likewise.
    lon: float | None
    # The words of the query that this answer has, as written or by a known variant; in lower case without accents,
    # abbreviations as they were written.
    matched: list[str]
    # Null where there is none or not a single one.
    postcode: str | None
    # All postcodes of the commune, or of the arrondissement that was found, sorted; of a street that of postcode alone.
    postcodes: list[str]
    # How well it fits the query, comparable between answers. Above 0.8 every word of the query was found as written or
    # by a known variant (st for saint, bd for boulevard), and one place alone is called so; a guess (typing errors,
    # words by their sound, words left out), an answer without a part of what was asked for and one of several that are
    # called so have 0.8 at most; a street that was asked for without its commune or postcode has 0.79 at most where the
    # streets of other communes are not loaded.
    score: float
    # Name of the street or locality; null for a commune.
    street: str | None
    # The words of the query that this answer does not have: the number, the street or the place that was not found, and
    # words that it has spelt otherwise. Empty when all were found.
    unmatched: list[str]


class FoundPlace(_FoundPlace, total=False):
    # Only in Paris, Lyon and Marseille, of an arrondissement and of what lies in one: its code, as in codes of parcels.
    codeArrondissement: str


class FoundPlaces(TypedDict):
    # True where several places are called so as the query says, or large ones begin so: ask which is meant, or add a
    # département or a postcode. Where they are called so equally the greatest comes first, and no score is above 0.8.
    ambiguous: bool
    # Number of answers in data; 0 when nothing was found.
    count: int
    # The answers, best first.
    data: list[FoundPlace]
    # Where to ask instead, when the query is the name or code of a département, the name of a région (also of one that
    # was merged in 2016), coordinates or a cadastral reference, for which there are other operations; or why the first
    # answer is less than was asked for: the streets of its commune or its house number are not loaded, the commune has
    # no street of the kind (rue, avenue), no commune was named and the streets of few are loaded, a grouping of
    # communes was asked for, or nothing is called so; or why there is none. Else null.
    hint: str | None
    # How many places are called so, the first answer included: the communes that have the name today, with those that
    # only begin so or had it until they were renamed where they are larger or have 2 000 inhabitants and more, and
    # where one alone has it, those that one of the name became part of; or the streets that were found. 1 where there
    # is only that one, 0 when nothing was found.
    namesakes: int
    # The query as it was searched, without blanks around it.
    query: str
    # True where more answers fit than limit allows. How many is not known: a search does not go through all.
    truncated: bool


class Geography(TypedDict):
    # Metres to the coast
    coastDistanceM: int | None
    # Mean height above sea level in metres, with one decimal
    elevationM: float | None
    # Side of a cell of the elevation model in metres
    elevationResolutionM: float | None
    # The massif that the parcel lies in; null outside
    massif: str | None
    # Metres to the nearest area classed as mountain; 0 inside
    mountainDistanceM: int | None


class GroundMovement(TypedDict):
    # Date, with the precision given by datePrecision; null when unknown
    date: str | None
    # How exact the date is.
    datePrecision: str | None
    # Metres from the parcel
    distanceM: int
    # Identifier of the producer.
    id: str
    # How exact the position is.
    positionPrecision: str | None
    # Reliability of the type: Fort, Moyen or Faible
    reliability: str | None
    # Kind of movement, in the words of the producer.
    type: str | None


class HealthPlace(TypedDict):
    # FINESS category: 101 or 355 hospital, 603 health centre, 620 pharmacy.
    category: str
    # Distance from the parcel, in metres.
    distanceM: int
    # FINESS number.
    finess: str
    # Name, where the register has it.
    name: str | None


class Hospital(TypedDict):
    # FINESS category: 101 or 355 hospital, 603 health centre, 620 pharmacy.
    category: str
    # Distance from the parcel, in metres.
    distanceM: int
    # True where INSEE's inventory of facilities has an emergency department within 500 m of it, as it then has for
    # every hospital that is given; null where that inventory is not loaded: the hospital may have none.
    emergencies: bool | None
    # FINESS number.
    finess: str
    # Name, where the register has it.
    name: str | None


class Icpe(TypedDict):
    # Whether it is in operation
    active: bool | None
    # Address, as the file has it
    address: str | None
    # Metres from the parcel
    distanceM: int
    # AIOT code
    id: str
    # Name of the establishment; null where the file has none, and where it is, or may be, that of a person
    name: str | None
    # Legal regime, in the words of the producer.
    regime: str | None
    # Seveso status, in the words of the producer.
    seveso: str | None
    # State of the activity
    status: str | None


class Index(TypedDict):
    authentication: Authentication
    # Always false: all data is real. Kept because the fields of v1 stay.
    demonstration: bool
    # What the service is.
    description: str
    # Address of the documentation.
    documentation: str
    # All endpoints.
    endpoints: list[Endpoint]
    # Licence of the data and how to credit it.
    licence: str
    # Address of the assistant-tool server (Model Context Protocol).
    mcp: str
    # Name of the service.
    name: str
    # What a user should know before relying on the answers; null when there is nothing.
    notice: str | None
    # Address of the OpenAPI 3.1 document.
    openapi: str
    # The plans, the smallest first.
    plans: list[IndexPlan]
    # Version of the interface; also in the path.
    version: Literal['v1']


class IndexPlan(TypedDict):
    # Whether commercial use is allowed.
    commercial: bool
    # Parcel reports in any 60 seconds.
    enrichmentsPerMinute: int
    # Name of the plan.
    name: str
    # Requests a day of Europe/Paris.
    perDay: int
    # Requests in any 60 seconds.
    perMinute: int
    # Euros a month, excluding VAT.
    priceEurosPerMonth: int


class Inhabitants(TypedDict):
    # Municipal population, inhabitants, newest; null where none is loaded.
    municipal: int | None
    # Its census year.
    year: int | None


class _KeyState(TypedDict):
    # Why the key has a value or none.
    state: Literal['value', 'none', 'not_loaded', 'not_covered', 'secret', 'not_applicable']


class KeyState(_KeyState, total=False):
    # Only with not_covered, in reports of parcels: what is loaded of the value, which is not all of it.
    known: Known
    # Only of permits: those of the commune that are not listed, since it is not certain of which parcel they are.
    leftOut: LeftOut
    # Of a key that is looked for around the place: the radius in metres. none: there is nothing within it. Absent where
    # nothing was looked for, or in the place alone.
    radiusM: int
    # The same in a sentence. Of a value: what no loaded file has of it, or that it is of before the commune merged or
    # was divided; else absent.
    reason: str
    # Only with not_loaded: a source that would fill the key, by its name on the page of sources.
    source: str
    # Edition of what the value is from, of several sources the newest; without a value, of what was looked in. Absent
    # where the files do not say, or nothing is loaded. A part of the value that names a source of its own can be of
    # another edition.
    vintage: str


class _Known(TypedDict):
    # In the form of the key, made from what is loaded alone: lists are cut to five items, in the order of the key,
    # unless fields or theme names the key; of what is nearest the nearest that is loaded. Null, or an empty list:
    # nothing that is loaded applies.
    value: Any


class Known(_Known, total=False):
    # Of a key that is a list or a number: how many are loaded. There may be more.
    atLeast: int
    # Up to this distance from the parcel, in metres, all is loaded: what lies nearer is complete. Absent for keys
    # without a radius, and at 0.
    completeWithinM: int


class LandCover(TypedDict):
    # Class of Corine Land Cover, third level.
    code: str
    # Its name in French.
    label: str | None
    # Share of the parcel inside it, in percent.
    sharePct: float
    # Year of the edition; null where it is read from the raster, whose edition is given by the sources.
    year: int | None


class _LargeParcel(TypedDict):
    # Recorded area, in m²; null where none is recorded.
    contenance: int | None
    # Reference of the parcel.
    idu: str
    # Area of the outline as it is drawn on the plan, in m², one decimal.
    outlineAreaM2: float


class LargeParcel(_LargeParcel, total=False):
    # True where the recorded area and that of the outline differ by more than a factor of 2: the file has another
    # figure than its plan. Else absent.
    contenanceDiffers: bool


class LeftOut(TypedDict):
    # Permits of the commune with a reference that several parcels fit, when the file was loaded.
    ambiguous: int
    # Permits of the commune with a reference that no parcel has any more, mostly because it was divided.
    gone: int
    # Permits of the commune without a reference of a parcel.
    unreferenced: int


class LegalOwner(TypedDict):
    # Legal form, in the words of the producer.
    form: str | None
    # Group: 1 State, 2 région, 3 département, 4 commune, 5 social housing, 7 condominium, 9 public body; 0, 6 and 8
    # companies and other legal persons.
    group: Literal['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']
    # The same in the words of the producer; null in editions before 2025.
    groupLabel: str | None
    # Its name; null where the file has none, or one that may be that of a natural person.
    name: str | None
    # Code of the right on the parcel: P is the owner; the producer's documentation names the others.
    right: str | None
    # The same in the words of the producer; null in editions that give the code alone.
    rightLabel: str | None
    # SIREN number; null where it has none.
    siren: str | None


class _Length(TypedDict):
    # How many of them are given, in the order that the key states.
    returned: int
    # How many there are of what the key lists.
    total: int
    # True where there are more than are given.
    truncated: bool


class Length(_Length, total=False):
    # Which are not counted: those that the loaded files have without a position, and those beyond the radius.
    note: str
    # Of a list of what lies around the place: the radius in metres.
    radiusM: int


class MobileMast(TypedDict):
    # Distance from the parcel, in metres.
    distanceM: int
    # Active generations on it: 2G to 5G.
    generations: list[str]
    # Height of the support, in metres.
    heightM: float | None
    # Operators on it, in alphabetical order.
    operators: list[str]
    # Number of the support.
    supportId: str


class Monument(TypedDict):
    # true: several monuments of the commune share this position, which is likely its centre
    approximate: bool
    # Name of its commune.
    commune: str | None
    # metres from the parcel
    distanceM: int
    # reference in the Mérimée base
    id: str
    # Name of the monument.
    name: str | None
    # day of the first protection
    protectedOn: str | None
    # How it is protected, in the words of the producer.
    protection: str | None


class NamedBody(TypedDict):
    # Its code of nine digits (SIREN).
    code: str
    # How many communes it has.
    communes: int
    # Its name, as listed.
    name: str
    # Its inhabitants. Null where the number of one of its communes is not known of the newest census.
    population: BodyPopulation


class NamedCommune(TypedDict):
    # Its code (not the postcode).
    codeInsee: str
    # Its name.
    name: str


class NearbySale(TypedDict):
    # m²
    builtM2: float
    # Day of the sale.
    date: str
    # metres from the parcel
    distanceM: int
    # Identifier of the sale.
    id: str
    # m²
    landM2: float | None
    # euros
    priceEur: float
    # euros per m² of built area
    pricePerM2: int
    # Number of main rooms.
    rooms: int | None
    # What was sold.
    type: Literal['Maison', 'Appartement']


class NearbyServices(TypedDict):
    # Facilities by domain (A to G).
    counts: ServiceCounts
    # Radius, in metres.
    radiusM: int
    # All facilities.
    total: int


class Neighbour(TypedDict):
    # Length of the border that both share, in metres.
    borderM: float
    # Its reference.
    idu: str


class _Neighbours(TypedDict):
    # The communes whose outline has a point in common with that of the commune, by name; of an arrondissement also the
    # arrondissements of its city. Empty: it touches none, as an island. Null where count is.
    communes: list[NamedCommune] | None
    # How many they are; null where no outline of the commune is loaded.
    count: int | None
    # Whether they are known, or why not.
    state: Literal['value', 'none', 'not_loaded']


class Neighbours(_Neighbours, total=False):
    # Why there are none, or some may be missing, in a sentence.
    reason: str


class OldImagery(TypedDict):
    # Year of the first.
    firstYear: int | None
    # Year of the last.
    lastYear: int | None
    # Number of flights; null where they are not loaded.
    missions: int | None
    # Whether the orthophoto of 1950 to 1965 shows the place; null where its extent is not loaded.
    orthophoto1950: bool | None
    # Years with at least one flight, ascending; null where they are not loaded.
    years: list[int]


class Organic(TypedDict):
    # True: certified; false: in conversion; null: not stated in the file.
    certified: bool | None
    # Share of the cadastral parcel at that stage, in percent.
    sharePct: float
    # AB (certified), C1, C2 or C3 (year of conversion).
    stage: str | None
    # Year of the declaration.
    year: int


class OutlineOrigin(TypedDict):
    # Year of the outline, of one that is made of several their years; null where the file does not say.
    edition: str | None
    # By how many metres the outline was generalised: a border may be as far from where it is drawn, or somewhat
    # farther. Null where no outline is loaded.
    precisionM: int | None
    # Producer and title of the outlines.
    source: str


class ParcelSale(TypedDict):
    # built area of these units, m²
    builtM2: float | None
    # Day of the sale.
    date: str
    # identifier of the mutation in this edition of the data; it changes with each edition
    id: str
    # land of this parcel that was sold, m²
    landM2: float | None
    # lots of a co-ownership that were sold on this parcel
    lots: int | None
    # Nature of the transfer, in the words of the producer.
    nature: str | None
    # references of the other parcels that the price covers, 10 at most: their land is not in landM2
    otherParcels: list[str]
    # number of parcels covered by the price
    parcels: int
    # euros, of the whole mutation: all its parcels and units
    priceEur: float | None
    # main rooms of these units
    rooms: int | None
    # type of the largest unit on this parcel; null for land alone
    type: str | None
    # units on this parcel, outbuildings not counted
    units: int


class _Parcelle(TypedDict):
    # Arrondissement, in Paris, Lyon and Marseille only.
    codeArr: str | None
    # Commune code without that of the département.
    codeCom: str
    # Code of the département, three characters overseas.
    codeDep: str
    # Code of the commune.
    codeInsee: str
    # Name of the commune.
    commune: str
    # Recorded cadastral area in m²; null where no loaded source has it, or has 0.
    contenance: int | None
    # True where the recorded area and the area of the outline differ by more than a factor of 2: the file has another
    # figure than its plan. Null where no area is recorded.
    contenanceDiffers: bool | None
    # Sheet of the plan; null where no loaded source has it.
    feuille: int | None
    # Cadastral reference.
    idu: str
    # Kind of object.
    kind: Literal['parcelle']
    # Number in the section, four digits.
    numero: str
    # Area of the outline as it is drawn on the plan, on the ellipsoid, in m², one decimal; contenance is the recorded
    # one, which need not be measured on the plan.
    outlineAreaM2: float
    # Section, two characters.
    section: str
    # Edition of the cadastre that the parcel is from, a day; null where the file does not say.
    vintage: str | None


class Parcelle(_Parcelle, total=False):
    # Only with include=bbox: the bounding box of the whole outline in WGS84, west, south, east, north (RFC 7946). Null
    # where no outline is loaded.
    bbox: list[float] | None
    # Only with include=centre: a position inside the outline, or on it: the centroid of its largest part where that is
    # inside. Null where no outline is loaded.
    centre: Position | None
    # Metres from the point asked for to the parcel, 0 inside. Absent where the parcel was asked for by its reference.
    distanceM: int
    # Outline in WGS84 (GeoJSON geometry, longitude first, at most 7 decimals).
    geometry: Polygon | MultiPolygon | None
    # How the parcel matches the point asked for: inside, it covers the point; nearest, no parcel does, and this is the
    # nearest one within maxDistance. Absent where the parcel was asked for by its reference.
    match: Literal['inside', 'nearest']
    # Only where the reference was written with words that may mean something else: as what it was read, and what else
    # it may be. Of communes of one name it is read as the only one with parcels on this server.
    readings: list[str]


class ParcelleAttributes(TypedDict):
    # Recorded cadastral area in m²; null where no loaded source has it, or has 0.
    contenance: int | None
    # True where the recorded area and the area of the outline differ by more than a factor of 2: the file has another
    # figure than its plan. Null where no area is recorded.
    contenanceDiffers: bool | None
    # Sheet of the plan; null where no loaded source has it.
    feuille: int | None
    # Number in the section, four digits.
    numero: str
    # Area of the outline as it is drawn on the plan, on the ellipsoid, in m², one decimal; contenance is the recorded
    # one, which need not be measured on the plan.
    outlineAreaM2: float
    # Section, two characters.
    section: str
    # Edition of the cadastre that the parcel is from, a day; null where the file does not say.
    vintage: str | None


class Permit(TypedDict):
    # Who applied, where that is a legal person; null for natural persons.
    applicant: str | None
    # SIREN number of an applicant that is a legal person.
    applicantSiren: str | None
    # Day on which it was granted.
    date: str | None
    # Floor area of dwellings that it creates, m².
    dwellingAreaM2: float | None
    # Dwellings that it creates; null where it creates none or the file does not say.
    dwellings: int | None
    # Number of the permit; PC and DP share theirs, PA and PD have their own.
    number: str
    # Floor area that it creates for other uses, m².
    premisesAreaM2: float | None
    # Last state that was reported. One start of works in seven, a third of the completions, half of the cancellations
    # and nearly all demolitions are never reported.
    state: Literal['authorised', 'cancelled', 'begun', 'finished']
    # PC building permit, DP prior declaration, PA development permit, PD demolition permit.
    type: Literal['PC', 'DP', 'PA', 'PD']


class PlanPrescription(TypedDict):
    # Name of the planning document.
    document: str | None
    # Its name, as in the plan.
    label: str | None
    # File of the written rules, as the plan names it: what may be built is there, the drawing names the zone alone.
    # Null where the plan names none.
    regulation: str | None
    # Address of that file, where the plan gives one.
    regulationUrl: str | None
    # Share of the parcel inside it, in percent.
    sharePct: float
    # Code of its subtype; null in the model of 2013.
    subtype: str | None
    # Code of its type in the CNIG model, two digits.
    type: str | None


class PlanRisk(TypedDict):
    # Code of the risk.
    code: str | None
    # Name of the risk.
    label: str


class PlanZone(TypedDict):
    # Name of the planning document.
    document: str | None
    # Long name of the zone.
    label: str | None
    # File of the written rules, as the plan names it: what may be built is there, the drawing names the zone alone.
    # Null where the plan names none.
    regulation: str | None
    # Address of that file, where the plan gives one.
    regulationUrl: str | None
    # Share of the parcel inside it, in percent.
    sharePct: float
    # Type as in the file: U, AUc, AUs, A or N; older plans have others.
    type: str | None
    # Day the zone was validated or, where the file lacks it, approved.
    validOn: str | None
    # Short name of the zone, as in the plan.
    zone: str | None


class PollutedSite(TypedDict):
    # What was done there, in the words of the producer.
    activity: str | None
    # Codes of the activities in the list of the register: NAF of 2003 behind one or two letters, g50.2 is the repair of
    # vehicles.
    activityCodes: str | None
    # Address, as the file has it
    address: str | None
    # Metres from the parcel
    distanceM: int
    # Identifier of the producer.
    id: str
    # Name of the site; null where the file has none, and where it is, or may be, that of a person
    name: str | None
    # Register: CASIAS, or ADEME for sites managed by the State
    register: str
    # State of the site, in the words of the producer.
    status: str | None


class Position(TypedDict):
    # WGS84 latitude in decimal degrees.
    lat: float
    # WGS84 longitude in decimal degrees.
    lon: float


class Predecessor(TypedDict):
    # Its reference.
    idu: str
    # Edition of the cadastre that had it last, a day; null where the file did not say.
    lastSeen: str | None
    # Share of the parcel that lies on it, in percent.
    parcelSharePct: float | None
    # Share of it that lies on the parcel, in percent.
    sharePct: float | None


class _PriceEstimate(TypedDict):
    # The same of houses and of flats apart, of the sales within 500 m: of no median two types are mixed.
    byType: list[TypePrice]
    # euros per m² of built area
    medianPricePerM2: int
    # five years before periodTo, or the first day of the data
    periodFrom: str
    # last day of the data loaded for the département
    periodTo: str
    # first quartile, euros per m²
    q1: int
    # third quartile, euros per m²
    q3: int
    # metres around the parcel
    radiusM: Literal[500, 1000]
    # the sales used, of type alone, nearest first, 50 at most
    sales: list[UsedSale]
    # sales used; at least 5
    sampleSize: int
    # What was sold in the sales that are compared.
    type: Literal['Maison', 'Appartement']


class PriceEstimate(_PriceEstimate, total=False):
    # Only where houses and flats were sold near: of which type sales are, and where those of the other type are.
    salesNote: str


class ProtectedArea(TypedDict):
    # Code of the area; for Natura 2000 the European one.
    code: str | None
    # What the type means.
    label: str
    # Its name; null where the file has none.
    name: str | None
    # Share of the parcel inside it, in percent.
    sharePct: float
    # 1 (heart of a national park) to 11 (ZNIEFF of type 2): the smaller, the stronger.
    strength: int
    # PN, PN_ADHESION, RNN, RNR, RNC, APB, RB, SC, SI, SIC, ZPS, SCL, SCEN, PNR, RAMSAR, ZNIEFF1 or ZNIEFF2.
    type: str
    # Its page, where the file has one.
    url: str | None


class Radon(TypedDict):
    # Class of the commune, from 1 (low) to 3 (significant)
    category: int
    # The class in words.
    label: str


class _Region(TypedDict):
    # Land area in km², two decimals: that which INSEE publishes, the sum of its communes; where it is not known of one
    # of them, the area of the outline. Null where neither is loaded.
    areaKm2: float | None
    # Producer and title of the land area in areaKm2; null where areaKm2 is that of the outline.
    areaSource: str | None
    # Edition of that data set; null where areaSource is.
    areaYear: int | None
    # The commune that is its chef-lieu (préfecture). Null where it is not loaded.
    chefLieu: NamedCommune | None
    # Code of the région.
    code: str
    # How many communes it has.
    communeCount: int
    # Metropolitan départements: those of the list of départements.
    departementCount: int
    # Kind of territory.
    kind: Literal['region']
    # Name of the région.
    name: str
    # Geodesic area of the outline in km², two decimals, with lakes, ponds and estuaries; null where no outline is
    # loaded.
    outlineAreaKm2: float | None


class _RegionStats(TypedDict):
    # Where the values are from that are plain numbers or lists, by key.
    sources: dict[str, StatsOrigin]


class RegionStats(_RegionStats, total=False):
    """Only with include=stats or fields; every key of the level, or those that fields names."""

    # Births and deaths of a year, by where people lived, oldest first. Where they are not published for the territory,
    # they are the sums of its communes.
    births: list[StatsYearBirths] | None
    # Yearly mean temperature against the mean of 1991 to 2020.
    climateAnomaly: StatsClimateAnomaly | None
    # Offences recorded per 1 000 inhabitants: the sum of eleven series (ten by the labels of 2024) in which no act
    # counts twice (method sum10-v1). sources.crimeRate.definition names them.
    crimeRate: float | None
    # Year of crimeRate; null where that is. The others may be of other years.
    crimeRateYear: int | None
    # Natural and migratory balance, births and deaths per period between two censuses, oldest first.
    demography: list[StatsDemographyPeriod] | None
    # Turnout of elections, and results of the newest of each kind: the sums of the départements, where all of the
    # région have them.
    election: StatsRegionElections | None
    # Facilities open to the public, all kinds.
    equipements: int | None
    # Year of equipements; null where that is. The others may be of other years.
    equipementsYear: int | None
    # Accounts of the région, one entry a year, oldest first, in euros.
    finances: list[StatsFinanceYear] | None
    # Life expectancy at birth, in years.
    lifeExpectancy: StatsLifeExpectancy | None
    # Median disposable income per consumption unit, euros a year.
    medianIncome: float | None
    # Year of medianIncome; null where that is. The others may be of other years.
    medianIncomeYear: int | None
    # Trend of three municipal elections on the same scale.
    municipalWave: StatsMunicipalWave | None
    # Gross domestic product per year, oldest first.
    pib: list[StatsGDPYear] | None
    # Left/right position derived from first rounds of national elections.
    politicalScore: StatsPoliticalScore | None
    # Municipal population, newest.
    population: int | None
    # Change of the municipal population between two census years, at least five years apart.
    populationChange: StatsChange | None
    # Inhabitants per census year, oldest first.
    populationTimeline: list[StatsYearPopulation] | None
    # Year of population; null where that is. The others may be of other years.
    populationYear: int | None
    # Share of the inhabitants below 60 % of the national median, in percent.
    povertyRate: float | None
    # Year of povertyRate; null where that is. The others may be of other years.
    povertyRateYear: int | None
    # Trend of three presidential elections on the same scale, against the nation.
    presidentialWave: StatsPresidentialWave | None
    # Ranks among the 18 régions.
    rankings: StatsRankings | None
    # Offences recorded by police and gendarmerie. Those of a région are the sums of its départements where the
    # producer's own are older.
    securite: StatsSafety | None
    # Dwellings, newest census year.
    totalHousing: int | None
    # Year of totalHousing; null where that is. The others may be of other years.
    totalHousingYear: int | None
    # Localised unemployment rate (ILO), newest quarter, in percent. Where none is loaded
    # rankings.censusUnemploymentRate has that of the census, which is higher.
    unemploymentRate: float | None
    # Year of unemploymentRate; null where that is. The others may be of other years.
    unemploymentRateYear: int | None
    # Vacant dwellings, newest census year.
    vacantHousing: int | None
    # Year of vacantHousing; null where that is. The others may be of other years.
    vacantHousingYear: int | None


class Region(_Region, total=False):
    # Only with include=bbox: the bounding box of the whole outline in WGS84, west, south, east, north (RFC 7946). Null
    # where no outline is loaded.
    bbox: list[float] | None
    # Only with include=centre: a position inside the outline, or on it: the centroid of its largest part where that is
    # inside. Null where no outline is loaded.
    centre: Position | None
    # Only with include=departements.
    departements: CodeNameList
    # Outline in WGS84 (GeoJSON geometry, longitude first, at most 7 decimals).
    geometry: Polygon | MultiPolygon | None
    # Only with include=geometry: what the outline is.
    outline: OutlineOrigin
    # Next to stats: for each of its keys why it has a value or none; of a value a part of which comes from sources of
    # its own and is null, also why that is, as key.part.
    states: dict[str, KeyState]
    # Only with include=stats or fields; every key of the level, or those that fields names.
    stats: RegionStats


class ReportSource(TypedDict):
    # Always false: all data is real. Kept because the fields of v1 stay.
    demonstration: bool
    # Keys of the report that were looked for in it.
    keys: list[str]
    # Licence of the data set.
    licence: str
    # Who publishes it.
    producer: str
    # Name of the source.
    source: str
    # Title of the data set.
    title: str
    # Edition, as the producer dates it: a day, a month or a year; null where the files do not say.
    vintage: str | None


class Rga(TypedDict):
    # faible, moyen or fort
    label: str
    # Level that covers most of the parcel
    level: int
    # Highest level on the parcel
    maxLevel: int
    # Share of the parcel with this level, in percent
    sharePct: float


class RiskPlan(TypedDict):
    # Day of its approval.
    approvedOn: str | None
    # GASPAR reference
    id: str
    # PPRN (natural), PPRT (technological) or PPRM (mining)
    kind: str | None
    # Name of the plan.
    name: str | None
    # Main risk of the plan
    risk: str | None
    # All risks of the procedure, families before their details; empty when only the plan's map is loaded
    risks: list[PlanRisk]
    # opposable, prescrit or caduque
    state: str | None
    # Last step of the procedure
    step: str | None
    # Regulatory zones that the parcel lies in, the largest share first, at most 20; empty when only the procedure is
    # known, and when the parcel lies in none
    zones: list[RiskPlanZone]


class RiskPlanZone(TypedDict):
    # Code of the zone in the plan's rules
    code: str | None
    # Name of the zone.
    label: str | None
    # Kind of rule, by the code of the plan's data model
    rule: str | None
    # Share of the parcel, in percent
    sharePct: float


class RiverStation(TypedDict):
    # Altitude of the station in metres
    altitudeM: int | None
    # Metres from the parcel
    distanceM: int
    # Date of the last sample; null when the source has none
    lastSample: str | None
    # Name of the station.
    name: str | None
    # Code of the station.
    stationId: str
    # Name of the watercourse.
    watercourse: str | None


class School(TypedDict):
    # Distance from the parcel, in metres; null when the location of the school is not known.
    distanceM: int | None
    # Social position index (IPS) of its pupils; the national mean is about 105.
    ips: float | None
    # School year of the index.
    ipsSchoolYear: str | None
    # Level: ecole, college or lycee.
    level: Literal['ecole', 'college', 'lycee']
    # Why it is in the list: distance, or commune where no locations are loaded. The schools of a commune stand by level
    # and name, not by nearness.
    listedBy: Literal['distance', 'commune']
    # Name of the school.
    name: str
    # public or private.
    sector: Literal['public', 'private', None]
    # Session of the success rate.
    session: int | None
    # Success rate at the brevet or the baccalauréat, in percent; null for primary schools.
    successRatePct: float | None
    # Identifier of the school.
    uai: str


class Seat(TypedDict):
    # Its code.
    code: str
    # Kind of territory.
    kind: Literal['departement', 'region']
    # Its name.
    name: str


class SectionParcels(TypedDict):
    # Number of its parcels.
    parcels: int
    # Name of the section, behind its prefix where that is not 000; in Paris, Lyon and Marseille behind the
    # arrondissement.
    section: str


class Seisme(TypedDict):
    # très faible, faible, modérée, moyenne or forte
    label: str
    # Zone, from 1 to 5
    zone: int


class ServiceCounts(TypedDict):
    # Schools and universities.
    education: int
    # Health and social action.
    health: int
    # Services to the public: post offices, banks, craftsmen, restaurants.
    services: int
    # Shops.
    shops: int
    # Sports, leisure and culture.
    sports: int
    # Tourism.
    tourism: int
    # Transport.
    transport: int


class Shop(TypedDict):
    # Distance from the parcel, in metres.
    distanceM: int
    # Name, where the source has it.
    name: str | None
    # Data set: BPE (INSEE) or OpenStreetMap (ODbL, © OpenStreetMap contributors).
    source: Literal['BPE', 'OpenStreetMap']


class SoilPh(TypedDict):
    # pH in water at 0 to 5 cm
    ph0to5: float | None
    # pH in water at 5 to 15 cm
    ph5to15: float | None
    # Side of a cell in metres
    resolutionM: int | None
    # Name of the model
    source: str


class Station(TypedDict):
    # Distance from the parcel, in metres.
    distanceM: int
    # Name of the station.
    name: str
    # UIC code, the first where it has several.
    uic: str


class _StatsAirQuality(TypedDict):
    # modelled: estimated for the commune from models and stations; nearestStation: measured at the nearest station.
    method: Literal['modelled', 'nearestStation']
    # Nitrogen dioxide.
    no2: StatsPollutant | None
    # Ozone in the peak season; null where only other ozone indicators are known, none of which is a substitute.
    o3: StatsOzone | None
    # Particles of at most 10 µm.
    pm10: StatsPollutant | None
    # Particles of at most 2.5 µm.
    pm25: StatsPollutant | None
    # Producer and title of the data set.
    source: str
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsAirQuality(_StatsAirQuality, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsArrondissement(TypedDict):
    # Codes of the arrondissements that have it.
    codes: list[str]
    # Category (radon) or zone (seisme).
    value: int


class StatsBlocShares(TypedDict):
    # Percent of the votes expressed.
    centrePct: float
    # Percent of the votes expressed.
    farLeftPct: float
    # Percent of the votes expressed.
    farRightPct: float
    # Percent of the votes expressed.
    leftPct: float
    # Percent of the votes expressed: candidates and lists without a place on the scale.
    otherPct: float
    # Percent of the votes expressed.
    rightPct: float


class StatsBody(TypedDict):
    # Its code of nine digits (SIREN).
    code: str
    # How many communes it has.
    communes: int
    # Its name, as listed.
    name: str
    # Its inhabitants. Null where the number of one of its communes is not known of the newest census.
    population: StatsBodyPopulation | None


class StatsBodyPopulation(TypedDict):
    # Municipal population, inhabitants: the sum of those of its communes, all of one census year.
    municipal: int
    # What the number is.
    note: str
    # Producer and title of the populations of the communes.
    source: str
    # Census year.
    year: int


class StatsBuildPeriod(TypedDict):
    # Number built before 1919.
    before1919: int | None
    # Number built since 2006.
    since2006: int | None
    # Number built from 1919 to 1945.
    y1919to1945: int | None
    # Number built from 1946 to 1970.
    y1946to1970: int | None
    # Number built from 1971 to 1990.
    y1971to1990: int | None
    # Number built from 1991 to 2005.
    y1991to2005: int | None


class _StatsCandidate(TypedDict):
    # farLeft, left, centre, right or farRight in the published table; null for what has no place in it.
    bloc: str | None
    # Candidate, or title of the list; null where votes are published by nuance.
    name: str | None
    # Political label assigned by the ministry, as its code; null where it assigned none, as for presidential
    # candidates.
    nuance: str | None
    # Party, or the meaning of the nuance; null if not known.
    party: str | None
    # Votes in percent of those expressed; null for all of them where a provisional file has more votes than were
    # expressed.
    sharePct: float | None
    # Votes.
    votes: int


class StatsCandidate(_StatsCandidate, total=False):
    # Only of presidential candidates: sharePct in the 101 départements together, from their counts, to compare with. It
    # is not that of France as it is announced, which has the overseas collectivities and the French abroad too. Absent
    # where the results of a département are not loaded.
    allDepartementsSharePct: float
    # Only of presidential candidates: sharePct in all of France, the overseas collectivities and the French abroad
    # among it. Absent where the loaded files lack these.
    franceSharePct: float
    # Only of presidential candidates and of votes by nuance: the surname or the code of the nuance in letters and
    # digits, by which fields and sort name one of the results, such as
    # election.presidential.round2.results.LEPEN.sharePct.
    key: str


class _StatsCatnat(TypedDict):
    # The orders by kind of disaster, the most frequent first.
    byRisk: list[StatsCatnatCount]
    # The newest orders, newest event first, at most 5 of total. The report of a parcel of the commune lists up to 100.
    orders: list[CatnatOrder]
    # Producer and title of the data set.
    source: str
    # Number of orders for the commune; those for a former commune count for the current one.
    total: int
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsCatnat(_StatsCatnat, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsCatnatCount(TypedDict):
    # First day of the newest event; null where the file has none.
    newest: str | None
    # Number of orders.
    orders: int
    # Kind of disaster, in the words of the orders.
    risk: str


class _StatsChange(TypedDict):
    # Inhabitants of the last year minus those of the first: negative where it shrank.
    number: int
    # The same in percent of those of the first year, over the whole time, not a year.
    percent: float
    # Last census year.
    periodEnd: int
    # First census year.
    periodStart: int


class StatsChange(_StatsChange, total=False):
    # True where there were fewer than 200 inhabitants in the first year.
    smallBase: bool


class _StatsClimateAnomaly(TypedDict):
    # Mean temperature of the year minus the normal, in degrees Celsius.
    anomalyC: float | None
    # Mean anomaly of the ten years up to this one, in degrees Celsius; null if fewer than eight of them are known.
    decadeAnomalyC: float | None
    # Mean temperature of the year at the station, in degrees Celsius; null for départements and régions, whose
    # temperatures are not averaged.
    meanC: float | None
    # Mean temperature of the reference period at the station, in degrees Celsius; null for départements and régions.
    normalC: float | None
    # Years whose mean is the normal temperature.
    referencePeriod: str
    # Producer and title of the data set.
    source: str
    # Nearest station with a normal and this year, at most 40 km away; null for départements and régions.
    station: StatsClimateStation | None
    # For départements and régions: number of stations averaged for the anomaly of the year; null for communes.
    stations: int | None
    # By year since 1950, oldest first; only years with all twelve months.
    timeline: list[StatsClimateYear]
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsClimateAnomaly(_StatsClimateAnomaly, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsClimateStation(TypedDict):
    # Metres above sea level. A commune at another altitude is warmer or colder, but its anomaly is much the same.
    altitudeM: float | None
    # Distance from the middle of the commune, in kilometres.
    distanceKm: float | None
    # Number at Météo-France.
    id: str
    # Its name at Météo-France.
    name: str


class StatsClimateYear(TypedDict):
    # Degrees Celsius above (or below) the normal.
    anomalyC: float | None
    # Year of the anomaly.
    year: int


class _StatsCommuneDistricts(TypedDict):
    # All of them, by code.
    districts: list[StatsPriorityDistrict]
    # Producer and title of the data set.
    source: str
    # Number of priority districts that lie in the commune, as a whole or in part.
    total: int
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsCommuneDistricts(_StatsCommuneDistricts, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsCommuneInstallation(TypedDict):
    # Whether it is in operation.
    active: bool | None
    # Address, as the file has it.
    address: str | None
    # AIOT code.
    id: str
    # Name of the establishment; null where the file has none, and where it is, or may be, that of a person.
    name: str | None
    # Legal regime, in the words of the producer.
    regime: str | None
    # Seveso status, in the words of the producer.
    seveso: str | None
    # State of the activity.
    status: str | None


class _StatsCommuneRank(TypedDict):
    # Among the communes of its département.
    departement: StatsPosition | None
    # desc: the highest value has rank 1; asc: the lowest.
    direction: Literal['desc', 'asc']
    # The figure for France to compare the value with, of the same period; null where none can be said, as for medians
    # whose producer's national figure is not loaded.
    france: StatsFrance | None
    # Among all communes.
    national: StatsPosition
    # Producer and title of the data set.
    source: str
    # What value and the figure for France are counted in.
    unit: str
    # Ranked value, in unit.
    value: float
    # Year of the values, the same for all that are ranked: those without a value of it have no rank.
    year: int | None


class StatsCommuneRank(_StatsCommuneRank, total=False):
    # Only where the value is of most communes: the share of the inhabitants (0 to 1) that live in these.
    coverage: float
    # The years of the figures that the value is computed from, where they are of several: inhabitants of 2023 on the
    # land area of 2021.
    mixedYears: list[int]
    # Period of the values as named by the producer, where it is not a year: a quarter, or the first and last year of a
    # change.
    period: str
    # True where the value is a share of fewer than 200 persons, dwellings or inhabitants: one more or less moves it and
    # the rank. Of fewer than 200 INSEE advises not to use census counts.
    smallBase: bool


class _StatsCommuneRankings(TypedDict):
    # Accessibility of general practitioners, consultations a year per standardised inhabitant, highest first.
    apl: StatsCommuneRank | None
    # Debt of the authority per inhabitant, euros, lowest first.
    debtPerInhabitant: StatsCommuneRank | None
    # What the ranks are.
    definition: StatsDefinition | None
    # Inhabitants per km² of land, as INSEE publishes it, highest first.
    density: StatsCommuneRank | None
    # Facilities per 10 000 inhabitants, highest first, counted over the loaded facilities, with the population of the
    # census nearest to their year: in Mayotte that of 2017.
    equipmentPer10000: StatsCommuneRank | None
    # Change of the population, in percent a year, highest first.
    growth: StatsCommuneRank | None
    # Median disposable income per consumption unit, euros a year, highest first.
    medianIncome: StatsCommuneRank | None
    # Municipal population, highest first.
    population: StatsCommuneRank | None
    # Share of the inhabitants below 60 % of the national median, in percent, lowest first.
    povertyRate: StatsCommuneRank | None
    # Second homes in percent of all dwellings (census), highest first.
    secondaryHomeRate: StatsCommuneRank | None
    # Producer and title of the data set.
    source: str
    # Unemployment in percent, lowest first: census rate for communes, localised rate (ILO) for départements and
    # régions. The two are not comparable.
    unemploymentRate: StatsCommuneRank | None
    # Vacant dwellings in percent of all (census), lowest first.
    vacancyRate: StatsCommuneRank | None
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsCommuneRankings(_StatsCommuneRankings, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class _StatsCommuneRisks(TypedDict):
    # Families (two digits) first, then their details.
    risks: list[CommuneRisk]
    # Producer and title of the data set.
    source: str
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsCommuneRisks(_StatsCommuneRisks, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsCommuneSite(TypedDict):
    # What was done there, in the words of the producer.
    activity: str | None
    # Codes of the activities in the list of the register: NAF of 2003 behind one or two letters, g50.2 is the repair of
    # vehicles.
    activityCodes: str | None
    # Address, as the file has it.
    address: str | None
    # Identifier of the producer.
    id: str
    # Name of the site; null where the file has none, and where it is, or may be, that of a person.
    name: str | None
    # Register: CASIAS, or ADEME for sites managed by the State.
    register: str | None
    # State of the site, in the words of the producer.
    status: str | None


class StatsCommuneStation(TypedDict):
    # Great-circle distance from a point in the middle of the commune, in metres.
    distanceM: int
    # Name of the station.
    name: str | None
    # UIC code, the first where it has several.
    uic: str


class _StatsContest(TypedDict):
    # First round; null if not known.
    round1: StatsRound | None
    # Second round; null where it was not held, and where its results are not loaded.
    round2: StatsRound | None
    # Producer and title of the data set.
    source: str
    # Year of the election.
    year: int


class StatsContest(_StatsContest, total=False):
    # True where the file says that its numbers are provisional: those of the night of the vote, before they were
    # checked. Absent where it does not say so.
    provisional: bool


class StatsDefinition(TypedDict):
    # Path, on this service, of the public page that explains how it is computed. It stays the same.
    link: str
    # What the figure is, in a sentence.
    text: str


class StatsDemographyPeriod(TypedDict):
    # Births per 1 000 inhabitants a year.
    birthRatePer1000: float | None
    # Deaths per 1 000 inhabitants a year.
    deathRatePer1000: float | None
    # Mean of the inhabitants at the two censuses, of which the rates are; null where not both are loaded.
    meanPopulation: int | None
    # The rest of the change over the whole period, in inhabitants: arrivals minus departures.
    migratoryBalance: int | None
    # Migratory balance, in percent of the mean population a year.
    migratoryPctPerYear: float | None
    # Births minus deaths over the whole period. Null unless known for each year.
    naturalBalance: int | None
    # Natural balance, in percent of the mean population a year.
    naturalPctPerYear: float | None
    # Census year at the end of the period.
    periodEnd: int
    # Census year at the start of the period.
    periodStart: int


class _StatsDoctors(TypedDict):
    # Accessible consultations per standardised inhabitant per year. For a département: the mean of its communes,
    # weighted by their standardised population.
    generalPractitioners: float | None
    # For départements: inhabitants of communes below 2.5 consultations, in percent of those of all communes with a
    # figure; null for communes.
    shareUnderservedPct: float | None
    # Producer and title of the data set.
    source: str
    # By year, oldest first.
    timeline: list[StatsDoctorsYear]
    # The same, for practitioners aged 60 or less only.
    under60: float | None
    # The same, for practitioners aged 62 or less only.
    under62: float | None
    # The same, for practitioners aged 65 or less only.
    under65: float | None
    # Whether there are fewer than 2.5 consultations, the threshold of DREES.
    underserved: bool | None
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsDoctors(_StatsDoctors, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsDoctorsYear(TypedDict):
    # Accessible consultations per standardised inhabitant per year.
    generalPractitioners: float | None
    # Year of the figure.
    year: int


class _StatsEPCI(TypedDict):
    # Its code of nine digits (SIREN).
    code: str
    # How many communes it has.
    communes: int
    # Kind of body, by its name; metropole also for the Métropole de Lyon, which is a collectivity of its own.
    kind: Literal['communauteDeCommunes', 'communauteDAgglomeration', 'communauteUrbaine', 'metropole']
    # Its name, as listed.
    name: str
    # Its inhabitants. Null where the number of one of its communes is not known of the newest census.
    population: StatsBodyPopulation | None
    # Producer and title of the data set.
    source: str
    # Of communes of the Métropole du Grand Paris the territory (établissement public territorial); null for all others,
    # and for Paris, which is one itself.
    territory: StatsBody | None
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsEPCI(_StatsEPCI, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class _StatsElectionTurnout(TypedDict):
    # turnoutPct of the 101 départements together, from their counts, to compare with. It is not that of France as it is
    # announced, which has the overseas collectivities and the French abroad too. Null where the counts of a département
    # are not loaded.
    allDepartementsTurnoutPct: float | None
    # Year, kind (pres, legi, euro, muni) and round.
    electionId: str
    # Registered voters.
    registered: int | None
    # Producer and title of the data set.
    source: str
    # Voters in percent of the registered.
    turnoutPct: float | None
    # Number who voted.
    voters: int | None
    # Year of the election.
    year: int


class StatsElectionTurnout(_StatsElectionTurnout, total=False):
    # True where the counts are those before the Constitutional Council struck some votes: the result that it declared
    # has slightly fewer.
    beforeAnnulments: bool
    # True where the file says that its numbers are provisional: those of the night of the vote, before they were
    # checked. Absent where it does not say so.
    provisional: bool


class _StatsElections(TypedDict):
    # The newest European election whose results are loaded for the place, which has one round; null where its results
    # are not known.
    european: StatsContest | None
    # The newest legislative election whose results are loaded for the place, by nuance in départements and régions;
    # null where its results are not known.
    legislative: StatsContest | None
    # The newest municipal election whose results are loaded for the place; null where its results are not known.
    municipal: StatsMunicipalContest | None
    # Elections that are newer than those given, or of a kind that is not given, and that no source is loaded of on this
    # server; empty where all of the newest are.
    notLoaded: list[StatsMissingElection]
    # The newest presidential election whose results are loaded for the place; null where its results are not known.
    presidential: StatsContest | None
    # Producer and title of the data set.
    source: str
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsElections(_StatsElections, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class _StatsEmployment(TypedDict):
    # Number of inhabitants aged 15 to 64 who work or look for work.
    active1564: int | None
    # Active in percent of the inhabitants aged 15 to 64.
    activityRatePct: float | None
    # Unemployed in percent of the active, as defined by the census: not comparable with localised (ILO) rates.
    censusUnemploymentRatePct: float | None
    # Number of inhabitants aged 15 to 64 who work.
    employed1564: int | None
    # Employed in percent of the inhabitants aged 15 to 64.
    employmentRatePct: float | None
    # The zone d'emploi of the commune; null for départements and régions.
    employmentZone: StatsEmploymentZone | None
    # Number of jobs located in the territory, wherever the workers live.
    jobsAtWorkplace: int | None
    # Number of inhabitants aged 15 to 64.
    population1564: int | None
    # Producer and title of the data set.
    source: str
    # Number of inhabitants aged 15 to 64 who declare themselves unemployed.
    unemployed1564: int | None
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsEmployment(_StatsEmployment, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool
    # True where fewer than 200 are active: one more or less moves the rates, and INSEE advises not to use census counts
    # of so few.
    smallBase: bool


class StatsEmploymentZone(TypedDict):
    # Code of the zone d'emploi of 2020.
    code: str
    # Its name; null where no source has it.
    name: str | None
    # That quarter.
    quarter: str | None
    # Producer and title of the data set of the rates.
    source: str | None
    # The rate of each quarter, oldest first.
    timeline: list[StatsQuarterlyRate]
    # Localised unemployment rate of the whole zone (ILO, seasonally adjusted), newest quarter, in percent.
    unemploymentRatePct: float | None


class _StatsFacilities(TypedDict):
    # Numbers by family, from the newest complete edition.
    families: StatsFacilityFamilies | None
    # Numbers of further types (hotels, campsites, restaurants, dentists …), from the newest edition that has them,
    # which may be much older than that of selected.
    others: StatsOtherFacilities | None
    # Numbers of some types.
    selected: StatsSelectedFacilities | None
    # Producer and title of the data set.
    source: str
    # Number of all facilities in the year of the block; null when the newest complete edition is older: its number is
    # in families.
    total: int | None
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsFacilities(_StatsFacilities, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsFacilityFamilies(TypedDict):
    # Number of educational facilities (C).
    education: int | None
    # Number of health and social care facilities (D).
    health: int | None
    # Number of sports, leisure and cultural facilities (F).
    leisure: int | None
    # Number of personal and public services (domain A).
    services: int | None
    # Number of shops (B).
    shops: int | None
    # Producer and title of the data set.
    source: str
    # Number of facilities of all families.
    total: int | None
    # Number of tourism facilities (G).
    tourism: int | None
    # Number of transport facilities, including taxis (E).
    transport: int | None
    # Year of the edition. Types change between editions, which are not comparable.
    year: int | None


class StatsFacilityPer10k(TypedDict):
    # General practitioners per 10 000 inhabitants.
    gp: float | None
    # Nurses in private practice per 10 000 inhabitants.
    nurse: float | None
    # Pharmacies per 10 000 inhabitants.
    pharmacy: float | None
    # Year of the population.
    populationYear: int | None


class _StatsFacilityTypes(TypedDict):
    # Number of educational facilities by type: nursery schools are École maternelle.
    education: dict[str, int]
    # Number of health and social care facilities by type, specialists among them.
    health: dict[str, int]
    # Number of sports, leisure and cultural facilities by type.
    leisure: dict[str, int]
    # Number of personal and public services by type.
    services: dict[str, int]
    # Number of shops by type.
    shops: dict[str, int]
    # Producer and title of the data set.
    source: str
    # Number of facilities of all types.
    total: int
    # Number of tourism facilities by type.
    tourism: dict[str, int]
    # Number of transport facilities by type.
    transport: dict[str, int]
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsFacilityTypes(_StatsFacilityTypes, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsFinancePerInhabitant(TypedDict):
    # Euros per inhabitant.
    debt: float | None
    # Euros per inhabitant.
    grossSaving: float | None
    # Euros per inhabitant.
    investmentExpenditure: float | None
    # Euros per inhabitant.
    localTaxes: float | None
    # Euros per inhabitant.
    operatingExpenditure: float | None
    # Euros per inhabitant.
    operatingRevenue: float | None
    # Euros per inhabitant.
    staffCosts: float | None


class StatsFinanceYear(TypedDict):
    # Encours de dette, in euros.
    debt: int | None
    # Years of gross saving needed to repay the debt; null where there is no saving.
    debtCapacityYears: float | None
    # Annuité de la dette, in euros.
    debtService: int | None
    # Épargne brute, in euros.
    grossSaving: int | None
    # Dépenses d'investissement, in euros.
    investmentExpenditure: int | None
    # Impôts locaux, in euros.
    localTaxes: int | None
    # Épargne nette, in euros.
    netSaving: int | None
    # Dépenses de fonctionnement, in euros.
    operatingExpenditure: int | None
    # Recettes de fonctionnement, in euros.
    operatingRevenue: int | None
    # The same amounts per inhabitant.
    perInhabitant: StatsFinancePerInhabitant
    # Population used for the amounts per inhabitant, as published by the producer for that year.
    population: int | None
    # Gross saving in percent of operating revenue; null where there is no saving.
    savingRatePct: float | None
    # Frais de personnel, in euros.
    staffCosts: int | None
    # Financial year (exercice).
    year: int


class _StatsFrance(TypedDict):
    # producer: the national figure that the producer publishes. totals: the same computation from the totals of France,
    # all inhabitants or dwellings together; of accounts, from the totals of all authorities of the level. weighted: the
    # mean weighted as for a département. mean: the mean of the ranked territories, each counted once (population
    # alone).
    basis: Literal['producer', 'totals', 'weighted', 'mean']
    # The figure for France: always of the period of the ranked values, and by the same definition.
    value: float


class StatsFrance(_StatsFrance, total=False):
    # The share of the inhabitants (0 to 1) that live where the figure is known; absent when that is all of them.
    coverage: float
    # Producer and title of the data set, where it is not that of the value.
    source: str
    # With the basis mean: the ranked territories together, as the inhabitants of all of them.
    sum: float


class StatsGDPYear(TypedDict):
    # Gross domestic product in current prices, in millions of euros.
    gdpMillionEur: float | None
    # Per inhabitant, in euros, as published.
    gdpPerCapitaEur: int | None
    # Producer and title of the data set.
    source: str
    # Status of the figure; null where the source has none.
    status: Literal['final', 'semiFinal', 'provisional', None]
    # Year of the accounts.
    year: int


class _StatsGeography(TypedDict):
    # Whether the law on the coast (loi Littoral) applies.
    coastal: bool | None
    # Kilometres to the coast; 0 for a commune on it.
    distanceToCoastKm: float | None
    # Kilometres to the nearest commune classed as mountain; 0 inside.
    distanceToMountainKm: float | None
    # Highest point, in metres.
    elevationMaxM: float | None
    # Mean elevation above sea level, in metres.
    elevationMeanM: float | None
    # Lowest point, in metres.
    elevationMinM: float | None
    # Massif of the commune; null outside any massif, or where it is not known.
    massif: str | None
    # How the figures were computed, according to the source.
    method: str | None
    # Whether it is classed as mountain (loi Montagne).
    mountainClassified: bool | None
    # Producer and title of the data set.
    source: str
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsGeography(_StatsGeography, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsHeating(TypedDict):
    # Bottled or tank gas, in percent.
    bottledGasPct: float | None
    # Electricity, in percent.
    electricPct: float | None
    # Town gas, in percent.
    gasPct: float | None
    # Heating oil, in percent.
    oilPct: float | None
    # Other fuels, district heating among them, in percent.
    otherPct: float | None


class _StatsHousing(TypedDict):
    # Vacancy of private dwellings according to the tax files (LOVAC): a different definition from the census, with up
    # to twice as many.
    privateVacancy: StatsPrivateVacancy | None
    # Producer and title of the data set.
    source: str
    # Dwellings per census year, oldest first; null when no census year is known.
    timeline: list[StatsHousingYear] | None
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsHousing(_StatsHousing, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class _StatsHousingYear(TypedDict):
    # Number of flats.
    apartments: int | None
    # Number of houses.
    houses: int | None
    # Number of main residences.
    main: int | None
    # Number of second homes and occasional dwellings.
    secondary: int | None
    # Second homes in percent of all dwellings.
    secondaryRatePct: float | None
    # Producer and title of the data set.
    source: str
    # Number of dwellings.
    total: int | None
    # Vacant dwellings in percent of all.
    vacancyRatePct: float | None
    # Number of vacant dwellings.
    vacant: int | None
    # Census year.
    year: int | None


class StatsHousingYear(_StatsHousingYear, total=False):
    # True where the counts are of a copy that has rounded them; vacancyRatePct is of the exact ones then where the copy
    # publishes it.
    rounded: bool
    # True where there are fewer than 200 dwellings: one more or less moves the shares, and INSEE advises not to use
    # census counts of so few.
    smallBase: bool


class _StatsIcpe(TypedDict):
    # Their number by legal regime, in the words of the producer, the most frequent first.
    byRegime: list[StatsSiteCount]
    # Their number by Seveso status, of those of which the file has it.
    bySeveso: list[StatsSiteCount]
    # Seveso first, then by regime and name, at most 100.
    installations: list[StatsCommuneInstallation]
    # Which installations are in no commune, and which names are left out.
    note: str
    # How many of total are listed.
    shown: int
    # Producer and title of the data set.
    source: str
    # Number in the commune: those that the file places in it by its code, else by their position.
    total: int
    # True where there are more than are listed.
    truncated: bool
    # How many of the file have neither a position nor a commune: some may lie here, and are not in total.
    unassigned: int
    # How many of total are only known to be in the commune: reports of parcels lack them.
    withoutPosition: int
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsIcpe(_StatsIcpe, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class _StatsIncome(TypedDict):
    # First decile: upper limit of the income of the poorest tenth, euros a year per consumption unit.
    d1: float | None
    # Ninth decile: lower limit of the income of the richest tenth, euros a year per consumption unit.
    d9: float | None
    # Gini index of inequality, from 0 (all have the same) to 1.
    gini: float | None
    # D9 divided by D1.
    interdecileRatio: float | None
    # Median disposable income per consumption unit, euros a year.
    medianIncome: float | None
    # Share of the inhabitants below 60 % of the national median, in percent. Published for larger communes only.
    povertyRate: float | None
    # Years that start a new series and cannot be compared with earlier ones.
    seriesBreaks: list[int]
    # Share of social benefits in disposable income, in percent.
    socialBenefitsPct: float | None
    # Share of minimum benefits in disposable income, in percent.
    socialMinimaPct: float | None
    # Producer and title of the data set.
    source: str
    # Why the median of the year is missing, as far as it is known. secret: too few households; merged and split: the
    # producer has not published it for the territory of today. partial: the median is known, but some of the other
    # figures are not.
    status: Literal['partial', 'secret', 'unavailable', 'merged', 'split', None]
    # Households that pay income tax, in percent.
    taxedHouseholdsPct: float | None
    # One entry a year, oldest first.
    timeline: list[StatsYearIncome]
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsIncome(_StatsIncome, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class _StatsLatestPopulation(TypedDict):
    # Municipal population, inhabitants: use this one for comparisons and sums.
    municipal: int
    # Total population, inhabitants, including those who mainly live elsewhere; must not be summed, for it counts these
    # twice. That of Paris, Lyon and Marseille is the sum of the arrondissements, by which alone it is published. Null
    # where it is not published for the current territory.
    total: int | None
    # Census year. The figures come into force three years later; Mayotte has censuses of its own.
    year: int


class StatsLatestPopulation(_StatsLatestPopulation, total=False):
    # Producer and title of the data set, where the block has others too.
    source: str


class StatsLead(TypedDict):
    # Number of these below the limit of quantification.
    belowQuantification: int
    # Whether no result is above the limit.
    compliant: bool | None
    # Quality limit, in µg/L.
    limitUgL: float
    # Highest result in µg/L; null when all are below the limit of quantification.
    maxUgL: float | None
    # Results in the period.
    results: int


class _StatsLifeExpectancy(TypedDict):
    # Mean of men and women, in years: official figures are published by sex only.
    both: float | None
    # True where both has a value: it is computed by this service.
    computed: bool
    # Years.
    men: float | None
    # Producer and title of the data set.
    source: str
    # Years.
    women: float | None
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsLifeExpectancy(_StatsLifeExpectancy, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class _StatsMainResidences(TypedDict):
    # Numbers of main residences by building period.
    buildPeriod: StatsBuildPeriod | None
    # Households without a car, in percent.
    carlessPct: float | None
    # By main fuel of heating, in percent of the main residences.
    heating: StatsHeating | None
    # Number of main residences.
    main: int | None
    # Overcrowded main residences in percent, excluding one-room flats with one occupant.
    overcrowdedPct: float | None
    # Numbers of main residences by rooms.
    rooms: StatsRooms | None
    # Share of social housing according to the landlords' registers, a different source from the census. Null where it
    # is not known, and where the source has 0, which can mean none or unknown.
    socialHousing: StatsSocialHousingRate | None
    # Producer and title of the data set.
    source: str
    # By tenure, in percent of the main residences.
    tenure: StatsTenure | None
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsMainResidences(_StatsMainResidences, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # Census year of main where the census of the block does not publish it: an older one. The other figures are not
    # computed from it.
    mainYear: int
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool
    # True where there are fewer than 200 main residences: one more or less moves the shares, and INSEE advises not to
    # use census counts of so few.
    smallBase: bool


class _StatsMayorInOffice(TypedDict):
    # Date of the register: the day on which the newest mayor in it took office.
    asOf: str | None
    # Year of birth. The date is not kept.
    birthYear: int | None
    # First name.
    firstName: str
    # Day on which the office of mayor began in the mandate that the file has: a mayor who was elected again has held it
    # for longer.
    functionStart: str | None
    # M or F.
    gender: str | None
    # Last name.
    lastName: str
    # The list that won the municipal election of this mandate; null unless it is known to be the mayor's.
    list: StatsMayorList | None
    # Years of the municipal elections at the start and end of the mandate.
    mandate: str | None
    # true: municipal elections took place after this mandate and the loaded register is older, so somebody else may be
    # in office; null if not known.
    mandateOver: bool | None
    # Day on which the mandate in the council began.
    mandateStart: str | None
    # What functionStart is, and whether municipal elections are newer than the register.
    note: str
    # Socio-professional category.
    occupation: str | None
    # Producer and title of the data set.
    source: str
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsMayorInOffice(_StatsMayorInOffice, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # Only of mandates that are over: where the result of the vote that followed is.
    laterVote: str
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsMayorList(TypedDict):
    # Title of the list.
    label: str | None
    # Political label assigned by the ministry, as its code; null where it assigned none.
    nuance: str | None


class _StatsMissingElection(TypedDict):
    # Kind of election.
    kind: Literal['presidential', 'legislative', 'european', 'municipal']
    # A source that has it, by its name on the page of sources.
    source: str
    # Year of the election.
    year: int


class StatsMissingElection(_StatsMissingElection, total=False):
    # Only of communes and arrondissements whose département has the election: how to ask for it.
    reason: str


class StatsMobileGenerations(TypedDict):
    # Supports with 2G.
    g2: int
    # Supports with 3G.
    g3: int
    # Supports with 4G.
    g4: int
    # Supports with 5G.
    g5: int


class _StatsMobileNetworks(TypedDict):
    # Date of the register.
    asOf: str | None
    # Supports by generation; a support can have several.
    byGeneration: StatsMobileGenerations
    # Whether 5G is active on a support in the commune.
    has5g: bool
    # Whether 5G in the 3 500 MHz band is active.
    has5g3500: bool
    # Operators, the one with the most supports first; a support can have several.
    operators: list[StatsMobileOperator]
    # Producer and title of the data set.
    source: str
    # Supports (masts, roofs) with active antennas. 0 where the register, which is complete, has none.
    supports: int
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsMobileNetworks(_StatsMobileNetworks, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsMobileOperator(TypedDict):
    # Operator, as spelled in the register.
    name: str
    # Supports with its antennas.
    supports: int
    # Of these, with 4G.
    supports4g: int
    # Of these, with 5G.
    supports5g: int


class _StatsMunicipalContest(TypedDict):
    # turnoutPct of the 101 départements together, from their counts, to compare with. It is not that of France as it is
    # announced, which has the overseas collectivities and the French abroad too. Null where the counts of a département
    # are not loaded.
    allDepartementsTurnoutPct: float | None
    # Blank votes; null where they were not counted separately from the spoiled ones.
    blank: int | None
    # Round that decided who won the council: 1 where a list had more than half of the votes or was elected in the
    # first, 2 where there was a second; null where the results at hand do not say, and for départements.
    decisiveRound: int | None
    # Votes expressed: those that are neither blank nor spoiled.
    expressed: int | None
    # Registered voters.
    registered: int | None
    # Lists, sorted by votes, descending; for départements nuances, with all lists without one counted together. Null if
    # not known.
    results: list[StatsMunicipalList]
    # The newest round with known results. For départements the first, in which all communes voted.
    round: int
    # Producer and title of the data set.
    source: str
    # Spoiled votes.
    spoiled: int | None
    # Voters in percent of the registered.
    turnoutPct: float | None
    # Number who voted.
    voters: int | None
    # Year of the election.
    year: int


class StatsMunicipalContest(_StatsMunicipalContest, total=False):
    # True where the file says that its numbers are provisional: those of the night of the vote, before they were
    # checked. Absent where it does not say so.
    provisional: bool
    # True where fewer than 200 votes were expressed: each one moves the shares by half a percent or more.
    smallBase: bool


class StatsMunicipalList(TypedDict):
    # farLeft, left, centre, right or farRight in the published table; null for what has no place in it.
    bloc: str | None
    # Whether the list won the council; null where the source does not say.
    elected: bool | None
    # Title of the list, or the candidate where there were no lists, as in communes of under 1 000 inhabitants until
    # 2020; null for départements.
    list: str | None
    # Political label assigned by the ministry, as its code; null where it assigned none, as in most communes of under 3
    # 500 inhabitants.
    nuance: str | None
    # Seats in the municipal council; null while they are not allocated, and for départements.
    seats: int | None
    # Votes in percent of those expressed; null for all of them where a provisional file has more votes than were
    # expressed.
    sharePct: float | None
    # Votes.
    votes: int


class StatsMunicipalStand(TypedDict):
    # Share of the votes expressed (0 to 1) that have a place on the scale.
    coverage: float | None
    # Votes expressed in the first round: score and coverage are of these.
    expressed: int
    # Registered voters of the first round: turnoutPct is of these.
    registered: int | None
    # Last round held, in which the winner was elected. The score is always that of the first round.
    round: int
    # From -1 (all votes far left) to +1 (all far right), of lists with a nuance; null if less than 70 % of the votes
    # have a place on the scale.
    score: float | None
    # Voters of the first round in percent of the registered.
    turnoutPct: float | None
    # Its bloc.
    winnerBloc: str | None
    # Nuance of the list that won the council; null if not known, if the list has none, and for départements and
    # régions.
    winnerNuance: str | None
    # Year of the election.
    year: int


class _StatsMunicipalWave(TypedDict):
    # Version of the published table of blocs.
    blocTableVersion: str
    # Bloc of the winner of the newest election compared with the previous one: same, switchLeft, switchRight or
    # unknown; null for départements and régions.
    continuity: str | None
    # What the wave is.
    definition: StatsDefinition | None
    # left for a trend of at most -0.03, right for at least 0.03, else stable.
    direction: Literal['left', 'right', 'stable']
    # The elections that are known, oldest first.
    elections: list[StatsMunicipalStand]
    # Version of the method.
    method: str
    # Share of the inhabitants (0 to 1) in the communes that are summed: those with a score in all three elections. Null
    # for a commune.
    panelPopulationShare: float | None
    # Producer and title of the data set.
    source: str
    # Change of the score from one election to the next, between the first and the last that have one.
    trendPerElection: float
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsMunicipalWave(_StatsMunicipalWave, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class _StatsNamedServices(TypedDict):
    # Nearest hospital within 100 km (general and regional hospitals by their category (FINESS 101, 355) and name,
    # without their outposts: day hospitals, dental, psychiatric and geriatric units. Local and psychiatric hospitals
    # and private clinics are none. Where INSEE's inventory of facilities is loaded, only those with an emergency
    # department within 500 m; else whether there is one is not known). Where only an extract is loaded, the nearest in
    # it.
    hospital: StatsNearHospital | None
    # Nearest school of any level within 50 km.
    school: StatsNearSchool | None
    # Producer and title of the data set.
    source: str
    # Passenger station of the commune, of several the nearest; where none lies in it, the nearest within 50 km.
    station: StatsNearStation | None
    # Nearest supermarket within 50 km.
    supermarket: StatsNearSupermarket | None
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsNamedServices(_StatsNamedServices, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # Services that no loaded list has for this commune: their null does not mean that there is none. In Corsica always
    # the station, for the list is that of the national operator, which runs no trains there.
    notCovered: list[str]
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool
    # Of each service that is null: whether no loaded list has this commune, or which distance was searched.
    whyNull: dict[str, str]


class _StatsNearHospital(TypedDict):
    # Code of its commune.
    communeCode: str | None
    # Great-circle distance from a point in the middle of the commune, in kilometres.
    distanceKm: float
    # Latitude, in degrees.
    lat: float
    # Longitude, in degrees.
    lon: float
    # Name, where the source has it.
    name: str | None
    # Producer and title of the data set.
    source: str
    # Year of the list that has it; null where the list has none.
    year: int | None


class StatsNearHospital(_StatsNearHospital, total=False):
    # Only where another one is nearer, or may be: of another commune than the station, or in a département without a
    # list; and what a list of stations lacks, where none lies in the commune.
    note: str


class _StatsNearSchool(TypedDict):
    # Code of its commune.
    communeCode: str | None
    # Great-circle distance from a point in the middle of the commune, in kilometres.
    distanceKm: float
    # Latitude, in degrees.
    lat: float
    # Longitude, in degrees.
    lon: float
    # Name, where the source has it.
    name: str | None
    # Producer and title of the data set.
    source: str
    # Level: ecole, college or lycee.
    type: Literal['ecole', 'college', 'lycee', None]
    # Year of the list that has it; null where the list has none.
    year: int | None


class StatsNearSchool(_StatsNearSchool, total=False):
    # Only where another one is nearer, or may be: of another commune than the station, or in a département without a
    # list; and what a list of stations lacks, where none lies in the commune.
    note: str


class _StatsNearStation(TypedDict):
    # Code of its commune.
    communeCode: str | None
    # Great-circle distance from a point in the middle of the commune, in kilometres.
    distanceKm: float
    # Whether high-speed trains stop there; null where no list of such stations is loaded.
    highSpeed: bool | None
    # Latitude, in degrees.
    lat: float
    # Longitude, in degrees.
    lon: float
    # Name, where the source has it.
    name: str | None
    # Producer and title of the data set.
    source: str
    # Year of the list that has it; null where the list has none.
    year: int | None


class StatsNearStation(_StatsNearStation, total=False):
    # Only where another one is nearer, or may be: of another commune than the station, or in a département without a
    # list; and what a list of stations lacks, where none lies in the commune.
    note: str


class _StatsNearSupermarket(TypedDict):
    # Brand: null, for the inventory of facilities has none.
    brand: str | None
    # Code of its commune.
    communeCode: str | None
    # Great-circle distance from a point in the middle of the commune, in kilometres.
    distanceKm: float
    # Latitude, in degrees.
    lat: float
    # Longitude, in degrees.
    lon: float
    # Name, where the source has it.
    name: str | None
    # Producer and title of the data set.
    source: str
    # Year of the list that has it; null where the list has none.
    year: int | None


class StatsNearSupermarket(_StatsNearSupermarket, total=False):
    # Only where another one is nearer, or may be: of another commune than the station, or in a département without a
    # list; and what a list of stations lacks, where none lies in the commune.
    note: str


class _StatsNearestStation(TypedDict):
    # Great-circle distance from a point in the middle of the commune, in metres.
    distanceM: int
    # All stations of the list that lie in the commune, the nearest to its middle first.
    inCommune: list[StatsCommuneStation]
    # Always centre: a point in the middle of the commune, not a parcel.
    measuredFrom: Literal['centre']
    # Name of the station.
    name: str | None
    # Which stops are no stations of the list, and a station of another commune that is nearer.
    note: str
    # Producer and title of the data set.
    source: str
    # UIC code, the first where it has several.
    uic: str
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsNearestStation(_StatsNearestStation, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsNetworkPopulation(TypedDict):
    # Number of inhabitants.
    inhabitants: int
    # Producer and title of the data set, which gives no year.
    source: str


class StatsNitrates(TypedDict):
    # Number of these below the limit of quantification.
    belowQuantification: int
    # Whether no result is above the limit; null when a limit of quantification was above it.
    compliant: bool | None
    # Quality limit, in mg/L.
    limitMgL: float
    # Highest result in mg/L; null when all are below the limit of quantification.
    maxMgL: float | None
    # Mean in mg/L. Results below the limit of quantification count as half of it (directive 2009/90/EC, article 5).
    meanMgL: float
    # Results in the period.
    results: int


class _StatsOrigin(TypedDict):
    # Producer and title of the data set.
    source: str
    # Year of the value, of a list the newest.
    year: int | None


class StatsOrigin(_StatsOrigin, total=False):
    # Only in lists: true where votes are counted that the Constitutional Council struck afterwards.
    beforeAnnulments: bool
    # What a value that is computed here is; absent for those of a producer.
    definition: StatsDefinition
    # Only in lists, of a rate per 1 000: of what.
    denominator: Literal['inhabitants', 'dwellings']
    # Only in lists, of a change: its first and its last year; of a rank by a quarter: that quarter.
    period: str
    # Only in lists: true where the file says that its numbers are provisional.
    provisional: bool
    # Only in lists, of a figure of a quarter: that quarter.
    quarter: str
    # True where counts are of a copy that has rounded them, and rates next to them of the exact ones.
    rounded: bool
    # Only in lists, of a growth and of a ranked value: what it is counted in.
    unit: str


class StatsOtherFacilities(TypedDict):
    # Number of branches of banks.
    bank: int | None
    # Number of classified campsites.
    camping: int | None
    # Number of homes for the elderly.
    careHome: int | None
    # Number of cinemas.
    cinema: int | None
    # Number of dentists.
    dentist: int | None
    # Number of emergency departments.
    emergencyDepartment: int | None
    # Number of workshops for cars and farm machines.
    garage: int | None
    # Number of hairdressers.
    hairdresser: int | None
    # Number of hospitals for long stays.
    hospitalLongStay: int | None
    # Number of hospitals and clinics for stays of some weeks: follow-up care and rehabilitation.
    hospitalMediumStay: int | None
    # Number of hospitals and clinics for short stays: medicine, surgery, obstetrics. One on several sites counts on
    # each; the three kinds of stays must not be summed.
    hospitalShortStay: int | None
    # Number of classified hotels.
    hotel: int | None
    # Number of medical laboratories.
    laboratory: int | None
    # Number of maternity wards.
    maternity: int | None
    # Number of petrol stations.
    petrolStation: int | None
    # Number of physiotherapists.
    physiotherapist: int | None
    # Number of police stations and gendarmeries.
    police: int | None
    # Number of restaurants.
    restaurant: int | None
    # Producer and title of the data set.
    source: str
    # Number of taxi businesses.
    taxi: int | None
    # Number of tourist information offices.
    touristOffice: int | None
    # Number of veterinary practices.
    vet: int | None
    # Year of the edition.
    year: int | None


class StatsOzone(TypedDict):
    # How the figure was obtained.
    method: Literal['modelled', 'nearestStation']
    # Highest mean over six consecutive months of the daily maximum 8-hour mean, in µg/m³.
    peakSeasonMda8UgM3: float
    # First and last month of the season.
    season: str | None
    # Producer and title of the data set.
    source: str
    # Whether it exceeds the WHO guideline of 2021, 60 µg/m³.
    whoExceeded: bool
    # Year of the season.
    year: int | None


class StatsPermitYear(TypedDict):
    # Permits to demolish (PD).
    demolitionPermits: int | None
    # Permits to develop (PA).
    developmentPermits: int | None
    # Permits (PC and DP) that create dwellings.
    dwellingPermits: int | None
    # Dwellings that they create.
    dwellings: int | None
    # Floor area for other uses that they create, m².
    premisesAreaM2: float | None
    # Permits (PC and DP) that create floor area for other uses; one that creates both is counted in dwellingPermits
    # too.
    premisesPermits: int | None
    # Year of the authorisation.
    year: int


class _StatsPermits(TypedDict):
    # How to read the counts.
    note: str
    # Producer and title of the data set.
    source: str
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None
    # By year in which they were granted, oldest first; years without a permit are left out. The newest is not complete.
    years: list[StatsPermitYear]


class StatsPermits(_StatsPermits, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsPest(TypedDict):
    # Name in French.
    label: str
    # Year of the last report.
    lastYear: int
    # Reports in all known years; null where only the presence is reported.
    reports: int | None
    # Who observed it.
    source: str
    # Scientific name.
    species: str
    # colonised: reported as established; reported: it was seen.
    status: Literal['reported', 'colonised']


class StatsPesticides(TypedDict):
    # Number of these below the limit of quantification.
    belowQuantification: int
    # Whether no result is above the limit.
    compliant: bool | None
    # Results above the limit.
    exceedances: int
    # Quality limit of the total, in µg/L.
    limitUgL: float
    # Highest result in µg/L; null when all are below the limit of quantification.
    maxUgL: float | None
    # Results in the period.
    results: int


class _StatsPoliticalScore(TypedDict):
    # Version of the published table of blocs.
    blocTableVersion: str
    # Weighted shares of the blocs over the elections used.
    blocs: StatsBlocShares
    # Share of the votes expressed (0 to 1) that have a place on the scale, over the elections used.
    confidence: float
    # What the score is.
    definition: StatsDefinition | None
    # Value minus nationalValue.
    deviationFromNational: float | None
    # The newest known first round of each kind, which differs from place to place: scores compare only where the same
    # elections are used. Those without a score are not used.
    elections: list[StatsScoreElection]
    # The value as a word: up to -0.35 left, below -0.12 centre-left, up to 0.12 centre, below 0.35 centre-right, above
    # right.
    label: Literal['left', 'centre-left', 'centre', 'centre-right', 'right']
    # The bloc with most of the votes in blocs. label is of the mean, not of it: where the left and the far right are
    # strong, label is centre and this is one of the two.
    largestBloc: Literal['farLeft', 'left', 'centre', 'right', 'farRight', 'other']
    # Version of the method.
    method: str
    # The national value for the same elections and weights; null if not known.
    nationalValue: float | None
    # Producer and title of the data set.
    source: str
    # From -1 (all votes far left) to +1 (all far right).
    value: float
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsPoliticalScore(_StatsPoliticalScore, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsPollutant(TypedDict):
    # Annual mean, in µg/m³.
    annualMeanUgM3: float
    # Whether it exceeds the WHO guideline of 2021: 10 (NO2), 15 (PM10) or 5 µg/m³ (PM2.5).
    whoExceeded: bool


class _StatsPollutedSites(TypedDict):
    # Their number by state, in the words of the producer, the most frequent first.
    byStatus: list[StatsSiteCount]
    # What such a site is, which names are left out, and whether only a part of the sites is loaded.
    note: str
    # How many of total are listed.
    shown: int
    # Those with a name first, by name, at most 100.
    sites: list[StatsCommuneSite]
    # Producer and title of the data set.
    source: str
    # Number in the commune: those that the file places in it by its code, else by their position.
    total: int
    # True where there are more than are listed.
    truncated: bool
    # How many of the file have neither a position nor a commune: some may lie here, and are not in total.
    unassigned: int
    # How many of total are only known to be in the commune: reports of parcels lack them.
    withoutPosition: int
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsPollutedSites(_StatsPollutedSites, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class _StatsPopulation(TypedDict):
    # Births and deaths of a year, by where people lived, oldest first.
    births: list[StatsYearBirths]
    # The change over the whole growthPeriod; null where that is.
    change: StatsChange | None
    # Inhabitants per km² of land, of the newest municipal population, to a tenth, under one to a thousandth. The land
    # area is that which INSEE publishes: without lakes, ponds and glaciers of more than 1 km² and without estuaries,
    # which outlineAreaKm2 contains. The two are of different surveys: without such waters either can be the larger.
    # Null where none is published: Mayotte, and communes that were split since 2025.
    density: float | None
    # Mean yearly growth of the municipal population, in percent.
    growthPctPerYear: float | None
    # The two census years that the three rates are for: the newest known, and the newest of those at least five years
    # older. Closer years share surveys, and INSEE advises against comparing them: with 2015, 2016, 2021 and 2023 known
    # the period is 2016-2023. Municipal populations alone are compared, never those of censuses before 2006.
    growthPeriod: str | None
    # Land area in km² that density is of, as INSEE publishes it; null where none is published.
    landAreaKm2: float | None
    # Edition of that area, which may not be the year of the inhabitants; null where landAreaKm2 is.
    landAreaYear: int | None
    # The newest populations.
    latest: StatsLatestPopulation | None
    # The rest of the change, in percent of the mean population a year.
    migratoryPctPerYear: float | None
    # Births minus deaths, in percent of the mean population a year. Null unless known for each year of the period.
    naturalPctPerYear: float | None
    # Producer and title of the data set.
    source: str
    # Inhabitants per census year, oldest first: the municipal population since 2006, the population without double
    # counting from 1962 to 1999, the total population before 1962.
    timeline: list[StatsYearPopulation]
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsPopulation(_StatsPopulation, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where there were fewer than 200 inhabitants in the first year of the period: one more or less moves the three
    # rates.
    growthSmallBase: bool
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsPosition(TypedDict):
    # Number of territories with a value.
    of: int
    # One plus the number of better territories. Equal values share a rank: 1, 2, 2, 4.
    rank: int


class StatsPresidentialStand(TypedDict):
    # Shares of the blocs.
    blocs: StatsBlocShares
    # Votes expressed: the shares and the score are of these.
    expressed: int
    # Registered voters: turnoutPct is of these.
    registered: int | None
    # Score minus the national score.
    relativeScore: float
    # From -1 (all votes far left) to +1 (all far right).
    score: float
    # Voters in percent of the registered; null if not known.
    turnoutPct: float | None
    # Candidate with the most votes here.
    winner: str | None
    # Year of the election.
    year: int


class _StatsPresidentialWave(TypedDict):
    # Third relativeScore minus twice the second plus the first.
    acceleration: float
    # Version of the published table of blocs.
    blocTableVersion: str
    # What the wave is.
    definition: StatsDefinition | None
    # left for a trend of at most -0.03, right for at least 0.03, else stable.
    direction: Literal['left', 'right', 'stable']
    # First rounds, oldest first.
    elections: list[StatsPresidentialStand]
    # Version of the method.
    method: str
    # Producer and title of the data set.
    source: str
    # Change of relativeScore from one election to the next: (third - first) / 2. Above 0 is to the right.
    trendPerElection: float
    # Change of turnout from one election to the next minus the national change, in percentage points; null if not
    # known.
    turnoutTrend: float | None
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsPresidentialWave(_StatsPresidentialWave, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class _StatsPrices(TypedDict):
    # Houses and flats apart, the type with most sales first.
    byType: list[StatsTypePrices]
    # Which sales count, and of which days they are.
    note: str
    # Five years before periodTo, or the first day of the data.
    periodFrom: str
    # Last day of the data that are loaded.
    periodTo: str
    # Producer and title of the data set.
    source: str
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsPrices(_StatsPrices, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsPriorityDistrict(TypedDict):
    # Official code.
    code: str
    # Codes of the communes, or arrondissements of Paris, Lyon or Marseille, that it lies in.
    communes: list[str]
    # Official name.
    name: str | None


class StatsPrivateVacancy(TypedDict):
    # Dwellings vacant for more than two years in percent of the private ones.
    longTermRatePct: float | None
    # Vacant dwellings in percent of the private ones.
    ratePct: float | None
    # Producer and title of the data set.
    source: str
    # secret: the producer withholds the numbers of communes with fewer than 11 such dwellings; else null.
    status: Literal['secret', None]
    # All known years, oldest first.
    timeline: list[StatsPrivateVacancyYear]
    # Number of private dwellings that the rates refer to: those of the previous year.
    total: int | None
    # Number of vacant dwellings.
    vacant: int | None
    # Number of dwellings vacant for more than two years.
    vacantOver2Years: int | None
    # Year of the vacancy.
    year: int | None


class StatsPrivateVacancyYear(TypedDict):
    # Dwellings vacant for more than two years in percent of the private ones.
    longTermRatePct: float | None
    # Vacant dwellings in percent of the private ones.
    ratePct: float | None
    # Producer and title of the data set.
    source: str
    # secret: the producer withholds the numbers of communes with fewer than 11 such dwellings; else null.
    status: Literal['secret', None]
    # Number of private dwellings that the rates refer to: those of the previous year.
    total: int | None
    # Number of vacant dwellings.
    vacant: int | None
    # Number of dwellings vacant for more than two years.
    vacantOver2Years: int | None
    # Year of the vacancy.
    year: int | None


class StatsQuarterlyRate(TypedDict):
    # Quarter of the rate.
    quarter: str
    # Localised unemployment rate (ILO, seasonally adjusted), in percent.
    ratePct: float


class _StatsRadon(TypedDict):
    # Class of the commune, from 1 (low) to 3 (significant)
    category: int
    # The class in words.
    label: str
    # Producer and title of the data set.
    source: str
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsRadon(_StatsRadon, total=False):
    # With "of": the arrondissements by their category or zone, the lowest first.
    arrondissements: list[StatsArrondissement]
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # Only of Paris, Lyon and Marseille, which the file lists by arrondissement: the value is the highest of their
    # arrondissements, others may have a lower one. Absent for all other communes, and for arrondissements.
    of: Literal['highestOfArrondissements']
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class _StatsRank(TypedDict):
    # desc: the highest value has rank 1; asc: the lowest.
    direction: Literal['desc', 'asc']
    # The figure for France to compare the value with, of the same period; null where none can be said, as for medians
    # whose producer's national figure is not loaded.
    france: StatsFrance | None
    # Number of territories with a value.
    of: int
    # One plus the number of better territories. Equal values share a rank: 1, 2, 2, 4.
    rank: int
    # Producer and title of the data set.
    source: str
    # What value and the figure for France are counted in.
    unit: str
    # Ranked value, in unit.
    value: float
    # Year of the values, the same for all that are ranked: those without a value of it have no rank.
    year: int | None


class StatsRank(_StatsRank, total=False):
    # Only where the value is of most communes: the share of the inhabitants (0 to 1) that live in these.
    coverage: float
    # The years of the figures that the value is computed from, where they are of several: inhabitants of 2023 on the
    # land area of 2021.
    mixedYears: list[int]
    # Period of the values as named by the producer, where it is not a year: a quarter, or the first and last year of a
    # change.
    period: str
    # True where the value is a share of fewer than 200 persons, dwellings or inhabitants: one more or less moves it and
    # the rank. Of fewer than 200 INSEE advises not to use census counts.
    smallBase: bool


class _StatsRankings(TypedDict):
    # Accessibility of general practitioners, consultations a year per standardised inhabitant, highest first.
    apl: StatsRank | None
    # Burglaries of dwellings recorded per 1 000 dwellings, lowest first: of a département as published, of régions and
    # France those of all their départements together.
    burglaryRate: StatsRank | None
    # Unemployed in percent of the active aged 15 to 64 as defined by the census, lowest first: higher than the
    # localised rate, and known where that is not loaded.
    censusUnemploymentRate: StatsRank | None
    # Offences recorded per 1 000 inhabitants, the sum of eleven series that make ten kinds (method sum10-v1), lowest
    # first.
    crimeRate: StatsRank | None
    # Debt of the authority per inhabitant, euros, lowest first.
    debtPerInhabitant: StatsRank | None
    # What the ranks are.
    definition: StatsDefinition | None
    # Inhabitants per km² of land, as INSEE publishes it, highest first.
    density: StatsRank | None
    # Facilities per 10 000 inhabitants, highest first, counted over the loaded facilities, with the population of the
    # census nearest to their year: in Mayotte that of 2017.
    equipmentPer10000: StatsRank | None
    # Change of the population, in percent a year, highest first.
    growth: StatsRank | None
    # Life expectancy at birth in years, the mean of women and men, highest first.
    lifeExpectancy: StatsRank | None
    # Median disposable income per consumption unit, euros a year, highest first.
    medianIncome: StatsRank | None
    # Municipal population, highest first.
    population: StatsRank | None
    # Share of the inhabitants below 60 % of the national median, in percent, lowest first.
    povertyRate: StatsRank | None
    # Second homes in percent of all dwellings (census), highest first.
    secondaryHomeRate: StatsRank | None
    # Producer and title of the data set.
    source: str
    # Unemployment in percent, lowest first: census rate for communes, localised rate (ILO) for départements and
    # régions. The two are not comparable.
    unemploymentRate: StatsRank | None
    # Vacant dwellings in percent of all (census), lowest first.
    vacancyRate: StatsRank | None
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsRankings(_StatsRankings, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class _StatsRegionElections(TypedDict):
    # The newest European election whose results are loaded for the place, which has one round; null where its results
    # are not known.
    european: StatsContest | None
    # The newest legislative election whose results are loaded for the place, by nuance in départements and régions;
    # null where its results are not known.
    legislative: StatsContest | None
    # The newest municipal election whose results are loaded for the place; null where its results are not known.
    municipal: StatsMunicipalContest | None
    # Elections that are newer than those given, or of a kind that is not given, and that no source is loaded of on this
    # server; empty where all of the newest are.
    notLoaded: list[StatsMissingElection]
    # The newest presidential election whose results are loaded for the place; null where its results are not known.
    presidential: StatsContest | None
    # Producer and title of the data set.
    source: str
    # Rounds of elections, by name. The second round of municipal elections took place in some communes only.
    turnout: list[StatsElectionTurnout]
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsRegionElections(_StatsRegionElections, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsRoomPrices(TypedDict):
    # Median of the prices paid, in euros; null under five sales.
    medianPriceEur: int | None
    # Median, in euros per m² of built area; null under five sales.
    medianPricePerM2: int | None
    # First quartile, in euros per m²; null under five sales.
    q1: int | None
    # Third quartile, in euros per m²; null under five sales.
    q3: int | None
    # Number of main rooms; 6 is six and more.
    rooms: int
    # Number of sales.
    sales: int


class StatsRooms(TypedDict):
    # Average number of rooms of a main residence.
    averageRooms: float | None
    # Number with five rooms or more.
    fivePlus: int | None
    # Number with four rooms.
    four: int | None
    # Number with one room.
    one: int | None
    # Number with three rooms.
    three: int | None
    # Number with two rooms.
    two: int | None


class _StatsRound(TypedDict):
    # turnoutPct of the 101 départements together, from their counts, to compare with. It is not that of France as it is
    # announced, which has the overseas collectivities and the French abroad too. Null where the counts of a département
    # are not loaded.
    allDepartementsTurnoutPct: float | None
    # Blank votes; null where they were not counted separately from the spoiled ones.
    blank: int | None
    # Votes expressed: those that are neither blank nor spoiled.
    expressed: int | None
    # Registered voters.
    registered: int | None
    # Candidates or lists, sorted by votes, descending; null if not known.
    results: list[StatsCandidate]
    # Spoiled votes.
    spoiled: int | None
    # Voters in percent of the registered.
    turnoutPct: float | None
    # Number who voted.
    voters: int | None


class StatsRound(_StatsRound, total=False):
    # Only of presidential rounds: what allDepartementsTurnoutPct and allDepartementsSharePct leave out. Absent where
    # neither is known.
    allDepartementsNote: str
    # True where the counts are those before the Constitutional Council struck some votes: the result that it declared
    # has slightly fewer.
    beforeAnnulments: bool
    # True where fewer than 200 votes were expressed: each one moves the shares by half a percent or more.
    smallBase: bool
    # Producer and title of the data set, where the rounds have different ones.
    source: str


class _StatsSafety(TypedDict):
    # Offences of the newest year. They must not be summed: units differ, and an act can be in two of them.
    categories: list[StatsSafetyOffence]
    # Force in charge; for a département that of its communes; null where it is not known.
    forceType: Literal['police', 'gendarmerie', 'mixed', None]
    # List of labels of the series: 2024 for the editions until early 2025, 2025 since July 2025. Series of the two
    # lists count different things.
    labels: Literal['2024', '2025']
    # How to read the figures.
    note: str
    # Population used for the rates of that year, as published with them; of a région whose départements are summed
    # theirs together.
    population: int | None
    # Producer and title of the data set.
    source: str
    # Disclosed figures by year, oldest first. What is not disclosed is left out.
    timeline: list[StatsSafetyYear]
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsSafety(_StatsSafety, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class _StatsSafetyOffence(TypedDict):
    # ratePer1000 of all départements together in the same year, from their counts, to compare with; null where those of
    # one are not loaded.
    allDepartementsRatePer1000: float | None
    # How many of the denominator there are, as published with the figures; null where that is not published.
    base: int | None
    # Number recorded; null where it is not disclosed.
    count: int | None
    # Denominator of the rate: dwellings for burglaries, inhabitants for all others.
    denominator: Literal['inhabitants', 'dwellings']
    # False where the producer withholds the figure: five offences or fewer in three consecutive years.
    disclosed: bool
    # Stable name of the series within its list of labels.
    key: str
    # Label as published.
    label: str
    # Number per 1 000 of the denominator; null where it is not disclosed.
    ratePer1000: float | None
    # What is counted, as published: victime, victime entendue, infraction, véhicule, mis en cause.
    unit: str


class StatsSafetyOffence(_StatsSafetyOffence, total=False):
    # Only of drug use in years with fixed fines: how many of the persons had one, and how many had none.
    note: str


class _StatsSafetyYear(TypedDict):
    # How many of the denominator there are in that year, as published with the figures; null where that is not
    # published.
    base: int | None
    # Number recorded.
    count: int | None
    # Denominator of the rate: dwellings for burglaries, inhabitants for all others.
    denominator: Literal['inhabitants', 'dwellings']
    # As in categories.
    key: str
    # Number per 1 000 of the denominator.
    ratePer1000: float | None
    # Year in which the offences were recorded.
    year: int


class StatsSafetyYear(_StatsSafetyYear, total=False):
    # As in categories.
    note: str


class StatsSchoolCount(TypedDict):
    # Level: lycee, college or ecole.
    level: Literal['lycee', 'college', 'ecole']
    # Number of private ones.
    private: int
    # Number of public ones.
    public: int
    # School year of the list that is counted; null for the directory of schools, which has those that are open.
    schoolYear: str | None
    # Number of schools.
    total: int


class StatsSchoolFigures(TypedDict):
    # Social position index (IPS) of its pupils; the national mean is about 105.
    ips: float | None
    # School year of the index.
    ipsSchoolYear: str | None
    # Level: ecole, college or lycee.
    level: Literal['ecole', 'college', 'lycee']
    # Name of the school.
    name: str
    # public or private.
    sector: Literal['public', 'private', None]
    # Session of the success rate.
    session: int | None
    # Success rate at the brevet or the baccalauréat, in percent; null for primary schools.
    successRatePct: float | None
    # Identifier of the school.
    uai: str


class _StatsSchools(TypedDict):
    # Their number by level: lycee, college, ecole.
    byLevel: list[StatsSchoolCount]
    # How they are known: location, the directory of schools places them inside the commune; commune, the lists of
    # indices name it.
    listedBy: Literal['location', 'commune']
    # Which schools are not counted, where not every one of the directory of schools is, and that numbers of pupils are
    # not read.
    note: str
    # Lycées first, then collèges, then écoles, each by name, at most 150 of total. The report of a parcel lists the
    # nearest to it.
    schools: list[StatsSchoolFigures]
    # How many of total are in schools.
    shown: int
    # Producer and title of the data set.
    source: str
    # Number of schools in the commune.
    total: int
    # True where there are more than are shown: byLevel counts all of them.
    truncated: bool
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsSchools(_StatsSchools, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class _StatsScoreElection(TypedDict):
    # Share of the votes expressed (0 to 1) that have a place on the scale; null if not known.
    coverage: float | None
    # Year, kind (pres, legi, euro) and round.
    electionId: str
    # Votes expressed: score and coverage are of these.
    expressed: int
    # Score of this election; null if less than 70 % of the votes have a place on the scale or fewer than 30 were
    # expressed.
    score: float | None
    # Weight in the value; the weights add up to 1. Null if the election is not used.
    weight: float | None


class StatsScoreElection(_StatsScoreElection, total=False):
    # True where the file says that its numbers are provisional: those of the night of the vote, before they were
    # checked. Absent where it does not say so.
    provisional: bool
    # True where fewer than 200 votes were expressed: each one moves the score.
    smallBase: bool


class _StatsSeisme(TypedDict):
    # très faible, faible, modérée, moyenne or forte
    label: str
    # Producer and title of the data set.
    source: str
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None
    # Zone, from 1 to 5
    zone: int


class StatsSeisme(_StatsSeisme, total=False):
    # With "of": the arrondissements by their category or zone, the lowest first.
    arrondissements: list[StatsArrondissement]
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # Only of Paris, Lyon and Marseille, which the file lists by arrondissement: the value is the highest of their
    # arrondissements, others may have a lower one. Absent for all other communes, and for arrondissements.
    of: Literal['highestOfArrondissements']
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsSelectedFacilities(TypedDict):
    # Number of bakeries.
    bakery: int | None
    # Number of childcare facilities for young children, including childminder centres (relais petite enfance).
    childcare: int | None
    # Number of small supermarkets (supérettes).
    convenience: int | None
    # Number of schools with elementary classes only.
    elementarySchool: int | None
    # Number of general practitioners.
    gp: int | None
    # Number of multi-sports halls.
    gym: int | None
    # Number of emergency departments, health centres and multi-professional health centres (maisons de santé).
    healthCentre: int | None
    # Number of lycées, excluding agricultural ones.
    highSchool: int | None
    # Number of collèges.
    middleSchool: int | None
    # Number of nurses in private practice.
    nurse: int | None
    # Numbers per 10 000 inhabitants of the newest municipal population; null where that is not known or 0.
    per10kInhabitants: StatsFacilityPer10k | None
    # Number of pharmacies.
    pharmacy: int | None
    # Number of swimming pools.
    pool: int | None
    # Number of post offices and postal agencies.
    postOffice: int | None
    # Number of nursery schools, and of schools with nursery and elementary classes.
    primarySchool: int | None
    # Producer and title of the data set.
    source: str
    # Number of railway stations.
    station: int | None
    # Number of supermarkets and hypermarkets.
    supermarket: int | None
    # Number of tennis facilities.
    tennis: int | None
    # Year of the edition.
    year: int | None


class StatsSiteCount(TypedDict):
    # Number of them.
    count: int
    # Regime, status or state; null where the file has none.
    value: str | None


class StatsSocialHousingRate(TypedDict):
    # Social housing in percent of the main residences. It is not the rate of the SRU law, whose inventory counts other
    # dwellings too.
    ratePct: float | None
    # Producer and title of the data set.
    source: str
    # Year of the share; null where the source does not state it.
    year: int | None


class StatsTenure(TypedDict):
    # Occupied rent-free, in percent.
    freePct: float | None
    # Owner-occupied, in percent.
    ownersPct: float | None
    # Rented otherwise than as social housing, in percent.
    privateTenantsPct: float | None
    # Rented as social housing, in percent.
    socialTenantsPct: float | None
    # Rented, in percent.
    tenantsPct: float | None


class _StatsTravelTime(TypedDict):
    # Date of the computation.
    computedOn: str | None
    # Routing engine used, according to the source.
    engine: str | None
    # To the centre of Paris; null where it is not known, and where there is neither a road nor a rail route.
    paris: StatsTravelToParis | None
    # To the préfecture of the département.
    prefecture: StatsTravelToPrefecture | None
    # Producer and title of the data set.
    source: str
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsTravelTime(_StatsTravelTime, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class StatsTravelToParis(TypedDict):
    # Station where the journey by rail begins.
    departureStation: str | None
    # Number of changes of train.
    railChanges: int | None
    # Minutes by rail, including the way to the station.
    railMinutes: int | None
    # Kilometres by road.
    roadKm: float | None
    # Minutes by road.
    roadMinutes: int | None


class StatsTravelToPrefecture(TypedDict):
    # Code of the commune that is the préfecture.
    communeCode: str | None
    # Its name.
    name: str | None
    # Minutes by rail.
    railMinutes: int | None
    # Kilometres by road.
    roadKm: float | None
    # Minutes by road.
    roadMinutes: int | None


class StatsTypePrices(TypedDict):
    # By number of main rooms, of the sales of which the file has it.
    byRooms: list[StatsRoomPrices]
    # By year of the sale, oldest first.
    byYear: list[StatsYearPrices]
    # Median of the prices paid, in euros; null under five sales.
    medianPriceEur: int | None
    # Median, in euros per m² of built area; null under five sales.
    medianPricePerM2: int | None
    # First quartile, in euros per m²; null under five sales.
    q1: int | None
    # Third quartile, in euros per m²; null under five sales.
    q3: int | None
    # Number of sales.
    sales: int
    # What was sold.
    type: Literal['Maison', 'Appartement']


class StatsWaterNetwork(TypedDict):
    # Share of compliant samples among those assessed for bacteria, in percent. Null when none was assessed.
    bacteriologicalConformityPct: float | None
    # The same for chemical limits, in percent.
    chemicalConformityPct: float | None
    # Number of the network in SISE-Eaux.
    code: str
    # Its name in SISE-Eaux; null where the file has none.
    name: str | None
    # Samples in the period.
    samples: int
    # Inhabitants served by the whole network, in all of its communes; null where it is not known.
    served: StatsNetworkPopulation | None


class _StatsWaterQuality(TypedDict):
    # Share of compliant samples among those assessed for bacteria, in percent; a dispensation is not compliance. Null
    # when none was assessed.
    bacteriologicalConformityPct: float | None
    # The same for chemical limits, in percent.
    chemicalConformityPct: float | None
    # Date of the last sample.
    lastSample: str
    # Lead; null when not analysed.
    lead: StatsLead | None
    # Networks that serve the commune, the one with the most samples first.
    networks: list[StatsWaterNetwork]
    # Nitrates; null when not analysed.
    nitrates: StatsNitrates | None
    # Last day of the period.
    periodEnd: str
    # First day of the period: the twelve months up to the newest sample in the data.
    periodStart: str
    # Total pesticides; null when there is no result. Single substances, whose limit is 0.1 µg/L, are not included:
    # chemicalConformityPct reflects them.
    pesticides: StatsPesticides | None
    # Samples of its networks in the period; a sample shared by several networks counts once.
    samples: int
    # Producer and title of the data set.
    source: str
    # Year that the figures are of; of a block with several years the newest; null where it has none.
    year: int | None


class StatsWaterQuality(_StatsWaterQuality, total=False):
    # Of figures that were added up or averaged from communes: the share of the inhabitants (0 to 1) that live where a
    # figure is known.
    coverage: float
    # True where counts are of a copy that has rounded them: rates that it publishes next to them are of the exact
    # counts, and differ a little from what the rounded ones make.
    rounded: bool


class _StatsYearBirths(TypedDict):
    # Births minus deaths.
    balance: int | None
    # Number of children born to mothers who live here.
    births: int | None
    # Number of deaths of people who lived here.
    deaths: int | None
    # Year of the births and deaths.
    year: int


class StatsYearBirths(_StatsYearBirths, total=False):
    # Only where they are a sum that lacks some communes: the share of the inhabitants (0 to 1) that live where they are
    # known.
    coverage: float


class StatsYearIncome(TypedDict):
    # First decile: upper limit of the income of the poorest tenth, euros a year per consumption unit.
    d1: float | None
    # Ninth decile: lower limit of the income of the richest tenth, euros a year per consumption unit.
    d9: float | None
    # Gini index of inequality, from 0 (all have the same) to 1. Of départements and régions the files of 2014 and 2015
    # have one decimal.
    gini: float | None
    # D9 divided by D1.
    interdecileRatio: float | None
    # Median disposable income per consumption unit, euros a year.
    medianIncome: float | None
    # Share of the inhabitants below 60 % of the national median, in percent.
    povertyRate: float | None
    # Producer and title of the data set of the year.
    source: str
    # Year of the incomes.
    year: int


class _StatsYearPopulation(TypedDict):
    # Inhabitants.
    population: int
    # Census year.
    year: int


class StatsYearPopulation(_StatsYearPopulation, total=False):
    # Only where they are a sum that lacks some communes: the share of the inhabitants (0 to 1) that live where they are
    # known. Compare no such year with one of another coverage.
    coverage: float


class StatsYearPrices(TypedDict):
    # Median of the prices paid, in euros; null under five sales.
    medianPriceEur: int | None
    # Median, in euros per m² of built area; null under five sales.
    medianPricePerM2: int | None
    # First quartile, in euros per m²; null under five sales.
    q1: int | None
    # Third quartile, in euros per m²; null under five sales.
    q3: int | None
    # Number of sales.
    sales: int
    # Year of the sales.
    year: int


class TapNetwork(TypedDict):
    # Name of the network.
    network: str | None
    # Code of the network.
    networkCode: str
    # Samples taken within the last 12 months.
    samplesLast12Months: int


class TapNonCompliant(TypedDict):
    # Samples that exceeded a bacteriological limit.
    bacteriological: int
    # Samples that exceeded a chemical limit.
    chemical: int


class TapWater(TypedDict):
    # Newest assessment for bacteria: C compliant, N not compliant, D not compliant but with a dispensation, S not
    # assessed
    bacteriologicalCompliance: Literal['C', 'N', 'S', 'D', None]
    # Newest assessment for chemical limits, with the same letters
    chemicalCompliance: Literal['C', 'N', 'S', 'D', None]
    # Conclusion of the last sample, as published
    conclusion: str | None
    # Date of the newest sample in the data
    last12MonthsUntil: str | None
    # Date of the last sample
    lastSample: str | None
    # Limit of quantification that the newest result for lead is below, in µg/L
    leadBelowUgL: float | None
    # Date of that sample
    leadDate: str | None
    # Newest result for lead in µg/L; null when there is none, or when it is below the limit of quantification
    leadUgL: float | None
    # Name of the network of these figures
    network: str | None
    # Code of the network.
    networkCode: str
    # Limit of quantification that the newest result for nitrates is below, in mg/L
    nitratesBelowMgL: float | None
    # Date of that sample
    nitratesDate: str | None
    # Newest result for nitrates in mg/L; null when there is none, or when it is below the limit of quantification
    nitratesMgL: float | None
    # Number of these that are not compliant
    nonCompliantLast12Months: TapNonCompliant
    # The other networks of the commune, the one with the most samples first
    otherNetworks: list[TapNetwork]
    # Samples in the 12 months up to last12MonthsUntil
    samplesLast12Months: int


class Ties(TypedDict):
    # How many they are.
    count: int
    # The first of them, 5 at most.
    data: list[CodeName]


class Traffic(TypedDict):
    # Vehicles a day in both directions, annual average.
    aadt: int
    # True when the geometry of the road is not known, or the count is of another section of the same road.
    approximated: bool
    # Distance from the parcel, in metres; 0 when the road crosses it.
    distanceM: int
    # Share of heavy goods vehicles, in percent.
    heavyPct: float | None
    # Number of the road.
    road: str
    # Year of the count.
    year: int | None


class TravelTime(TypedDict):
    # How the times were computed.
    method: str | None
    # To Paris by rail, in minutes.
    parisRailMin: int | None
    # To Paris by road, in minutes.
    parisRoadMin: int | None
    # To the préfecture of the département by road, in minutes.
    prefectureRoadMin: int | None
    # Year of the networks and timetables they were computed from.
    year: int | None


class Tri(TypedDict):
    # Kind of flood, by the code of the data model
    floodType: str | None
    # Code of the territory
    id: str
    # Name of the area.
    name: str | None
    # Flood: 01For (frequent), 02Moy (medium), 03Mcc (medium with climate change), 04Fai (rare) and variants of them;
    # null in the row of the territory itself
    scenario: str | None
    # Share of the parcel, in percent
    sharePct: float
    # Watercourse that floods it.
    watercourse: str | None


class TypePrice(TypedDict):
    # euros per m² of built area; null under five sales
    medianPricePerM2: int | None
    # first quartile, euros per m²; null under five sales
    q1: int | None
    # third quartile, euros per m²; null under five sales
    q3: int | None
    # sales of it within 500 m in the period
    sampleSize: int
    # What was sold.
    type: Literal['Maison', 'Appartement']


class UsedSale(TypedDict):
    # Day of the sale.
    date: str
    # metres from the parcel
    distanceM: int
    # Identifier of the sale.
    id: str
    # euros per m²
    pricePerM2: int


class Vegetation(TypedDict):
    # Area on the parcel, in square metres.
    areaM2: int
    # Kind of vegetation.
    nature: str
    # Share of the parcel, in percent.
    sharePct: float


class WaterBody(TypedDict):
    # Its total area in square metres
    areaM2: int | None
    # Hydrographic code
    code: str | None
    # Metres from the parcel; 0 when they touch
    distanceM: int
    # Name of the water body.
    name: str | None
    # Nature, in the words of the producer
    nature: str | None
    # Whether it holds water all year
    permanent: bool | None


class Watercourse(TypedDict):
    # Hydrographic code
    code: str | None
    # Metres from the parcel; 0 when they touch
    distanceM: int
    # 1 (a great river) to 6 (a brook)
    importance: int | None
    # Name of the watercourse.
    name: str | None
    # Nature, in the words of the producer
    nature: str | None
    # Whether it flows all year
    permanent: bool | None


class WineArea(TypedDict):
    # The appellation; null where the file lacks it.
    appellation: str | None
    # The denomination within it; null where the file lacks it.
    denomination: str | None
    # Share of the parcel inside it, in percent.
    sharePct: float
