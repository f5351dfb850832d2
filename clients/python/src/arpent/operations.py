"""The operations, a method for each. Made by generate.py from the OpenAPI document of the API."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from . import types


class Operations(ABC):
    @abstractmethod
    def _get(self, path: str, given: dict[str, Any], report: bool = False) -> Any:
        """Calls a path with what is given for its codes and the query; report: under the lower limit of reports too."""

    def get_index(self) -> types.Index:
        """Describe the service.

        What the service is, its endpoints, plans and how to get a key. Needs no key.
        """
        return self._get("", {})

    def search_address(self, q: str, *, limit: int | None = None, lat: float | None = None, lon: float | None = None) -> types.FoundPlaces:
        """Find an address, a locality or a commune.

        Addresses and places that fit the query, best first, with the code of the commune and coordinates. `lat` and `lon`,
        given together, put what is near first among what fits equally well. A street whose number is not known is answered as a
        `street`, a street that is not known as the `commune` it was asked in, with a lower score. There is an answer as soon as
        a part of the query fits: `matched` and `unmatched` say which words, and only where all were found, and one place alone
        is called so, is `score` above 0.8. A street without its town scores at most 0.79 where the streets of other communes
        are not loaded. `ambiguous` says that several may be meant, `fuzzy` that an answer is spelt otherwise. Show `label`. A
        cadastral reference gives its `parcel`, with `idu`; a `housenumber` has the `idu` of the parcel at its point, or of the
        nearest one, and `distanceM`. Nothing found is an empty list, with status 200; `hint` names the right operation for a
        département, a région or coordinates, and says why nothing was found.

        q: What to look for, as people write it, 1 to 200 characters: an address, a street, a locality or a commune; a postcode,
            or the code or name of a département, may stand anywhere; or a parcel, as in section AY 71 Bondy. Accents, case and
            hyphens do not matter. Fewer than 3 characters find communes of this name, or whose first word it is, only.
        limit: Greatest number of answers, 1 to 20; 5 if left out.
        lat: WGS84 latitude in decimal degrees.
        lon: WGS84 longitude in decimal degrees.
        """
        return self._get("/adresses", {"q": q, "limit": limit, "lat": lat, "lon": lon})

    def get_commune(self, code: str, *, fields: Iterable[str] = (), theme: Iterable[str] = (), include: Iterable[str] = ()) -> types.Commune:
        """Get a commune.

        A commune with its département, région and area; on request its outline and its statistics.

        code: Commune code of INSEE (not the postcode).
        """
        return self._get("/communes/{code}", {"code": code, "fields": fields, "theme": theme, "include": include})

    def list_departements(self, *, region: str | None = None, fields: Iterable[str] = (), sort: str | None = None, top: int | None = None, include: Iterable[str] = ()) -> types.CodeNameList:
        """List the départements.

        Code and name of the 96 metropolitan départements, sorted by code, optionally of one région; on request their
        population, or figures of fields, by which sort and top order and cut the list; those of the overseas ones are then in
        overseas. An overseas région answers an empty list.

        region: Restrict the list to one région.
        sort: Figure to sort by, highest first; :asc after it: lowest first.
        top: With sort: only so many items.
        """
        return self._get("/departements", {"region": region, "fields": fields, "sort": sort, "top": top, "include": include})

    def get_departement(self, code: str, *, fields: Iterable[str] = (), theme: Iterable[str] = (), include: Iterable[str] = ()) -> types.Departement:
        """Get a département.

        A metropolitan département with its area and number of communes; on request its outline, its statistics and its
        communes. Overseas codes (971 to 976) answer 404.

        code: Code of the département; `2A` and `2B` for Corsica. Overseas codes (971 to 976) answer 404.
        """
        return self._get("/departements/{code}", {"code": code, "fields": fields, "theme": theme, "include": include})

    def get_parcel_at_point(self, lat: float, lon: float, *, maxDistance: float | None = None, include: Iterable[str] = ()) -> types.Parcelle:
        """Find the parcel at a point.

        The cadastral parcel that covers the point; on request its polygon. The point of an address often lies in the street,
        which has no parcel: with `maxDistance` the nearest parcel within so many metres is answered there, with `match` nearest
        and `distanceM`.

        lat: WGS84 latitude in decimal degrees.
        lon: WGS84 longitude in decimal degrees.
        maxDistance: Where no parcel covers the point, the nearest one up to so many metres away is answered, 0 to 50; with 0
            none is.
        """
        return self._get("/parcelles", {"lat": lat, "lon": lon, "maxDistance": maxDistance, "include": include})

    def get_parcel(self, idu: str, *, include: Iterable[str] = ()) -> types.Parcelle:
        """Get a parcel.

        A cadastral parcel by its reference (IDU); on request its polygon. A parcel that is gone answers 404 with the parcels
        that took its place.

        idu: Cadastral reference (IDU): commune code, 3-digit prefix, 2-character section, 4-digit number. Other ways of writing
            it are read: 93010 J 236, section AY 71 Bondy.
        """
        return self._get("/parcelles/{idu}", {"idu": idu, "include": include})

    def get_parcel_enrichments(self, idu: str, *, fields: Iterable[str] = (), address: str | None = None, theme: Iterable[str] = ()) -> types.Enrichments:
        """Get the full report of a parcel.

        Everything public that bears on one parcel, each key from its source. `states` says why a key is null or empty. Never
        cached, with a tighter limit per minute.

        idu: Cadastral reference (IDU): commune code, 3-digit prefix, 2-character section, 4-digit number. Other ways of writing
            it are read: 93010 J 236, section AY 71 Bondy.
        address: The address by which the parcel was found, or its label: put first among those of the parcel; `asked` of the
            key address says whether it is one of them.
        """
        return self._get("/parcelles/{idu}/enrichments", {"idu": idu, "fields": fields, "address": address, "theme": theme}, True)

    def list_regions(self, *, fields: Iterable[str] = (), sort: str | None = None, top: int | None = None, include: Iterable[str] = ()) -> types.CodeNameList:
        """List the 18 régions.

        Code and name of the 18 régions, sorted by code, without geometry; on request their population, or figures of fields, by
        which sort and top order and cut the list.

        sort: Figure to sort by, highest first; :asc after it: lowest first.
        top: With sort: only so many items.
        """
        return self._get("/regions", {"fields": fields, "sort": sort, "top": top, "include": include})

    def get_region(self, code: str, *, fields: Iterable[str] = (), theme: Iterable[str] = (), include: Iterable[str] = ()) -> types.Region:
        """Get a région.

        A région with its area and counts; on request its outline, its statistics and its départements.

        code: Code of the région in the current Code officiel géographique.
        """
        return self._get("/regions/{code}", {"code": code, "fields": fields, "theme": theme, "include": include})
