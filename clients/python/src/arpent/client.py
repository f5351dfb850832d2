from __future__ import annotations

import gzip
import http.client
import json
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib
from collections.abc import Iterable
from typing import Any, overload

from . import types
from .errors import ArpentError
from .operations import Operations
from .pace import Pace


class Arpent(Operations):
    """A client of the API. Use one for all calls of an account, also from several threads: it keeps to the limit of the minute.

    base_url  address of the service, without a path: https://…
    key       key of an account; else the variable ARPENT_KEY. Only the index answers without one
    timeout   seconds to wait for a connection, and then for each part of the answer
    max_wait  seconds that one call may spend waiting after it was refused (429, 503); 0 to fail at once
    """

    def __init__(self, base_url: str, key: str | None = None, *, timeout: float = 30, max_wait: float = 120) -> None:
        if urllib.parse.urlsplit(base_url).scheme not in ("http", "https"):
            raise ValueError(f"{base_url!r} is no address of a service: it begins with https://")
        self._base = base_url.rstrip("/") + "/api/v1"
        self._key = key or os.environ.get("ARPENT_KEY")
        self._timeout = timeout
        self._max_wait = max_wait
        self._pace = Pace()
        self._report_pace = Pace()  # reports have a lower limit of their own in addition to that of all calls
        self._opener = urllib.request.build_opener(_NoRedirect)

    @overload
    def find_communes(self, *, departement: str, name: str | None = None, minPopulation: int | None = None, fields: Iterable[str] = (),
                      sort: str | None = None, top: int | None = None) -> types.CodeNameList: ...

    @overload
    def find_communes(self, *, epci: str, minPopulation: int | None = None, fields: Iterable[str] = (),
                      sort: str | None = None, top: int | None = None) -> types.CodeNameList: ...

    @overload
    def find_communes(self, *, codes: Iterable[str], minPopulation: int | None = None, fields: Iterable[str] = (),
                      sort: str | None = None, top: int | None = None) -> types.CodeNameList: ...

    @overload
    def find_communes(self, *, sort: str, top: int, region: str | None = None, minPopulation: int | None = None,
                      fields: Iterable[str] = ()) -> types.CodeNameList: ...

    @overload
    def find_communes(self, *, lat: float, lon: float, include: Iterable[str] = (), fields: Iterable[str] = ()) -> types.Commune: ...

    def find_communes(self, *, departement: str | None = None, name: str | None = None, lat: float | None = None, lon: float | None = None,
                      region: str | None = None, minPopulation: int | None = None, include: Iterable[str] = (),
                      fields: Iterable[str] = (), sort: str | None = None, top: int | None = None,
                      epci: str | None = None, codes: Iterable[str] = ()) -> types.CodeNameList | types.Commune:
        """The communes of a département or an intercommunal body, or those of some codes, the first of France or a région by a figure, or the commune that contains a point."""
        point = {"lat": lat, "lon": lon, "include": include, "fields": fields}
        return self._get("/communes", {"departement": departement, "name": name, "region": region, "minPopulation": minPopulation, "epci": epci, "codes": codes, **point,
                                       "sort": sort, "top": top})

    def _get(self, path: str, given: dict[str, Any], report: bool = False) -> Any:
        """Calls until there is an answer, or a refusal that waiting does not help."""
        url = self._base + re.sub(r"{(\w+)}", lambda part: _segment(given.pop(part[1])), path)
        query = {name: text for name, value in given.items() if (text := _text(value)) is not None}
        if query:
            url += "?" + urllib.parse.urlencode(query)
        waited, attempt = 0.0, 0
        while True:
            try:
                return self._request(url, report)
            except ArpentError as error:
                wait = 2.0**attempt if error.retry_after is None else error.retry_after
                refused = error.code == "rate_limited" or error.status == 503
                if not refused or waited + wait > self._max_wait:
                    raise
            waited, attempt = waited + wait, attempt + 1
            time.sleep(wait)

    def _request(self, url: str, report: bool) -> Any:
        """One request."""
        host = urllib.parse.urlsplit(url).netloc
        headers = {"Accept": "application/json", "Accept-Encoding": "gzip", "User-Agent": "arpent-python"}
        if self._key:
            headers["X-API-Key"] = self._key
        report_number = self._report_pace.enter() if report else 0
        number = self._pace.enter()
        said = None
        try:
            with self._opener.open(urllib.request.Request(url, headers=headers), timeout=self._timeout) as answer:
                said = answer.headers
                return json.loads(_body(answer))
        except urllib.error.HTTPError as error:
            said = error.headers
            with error:
                raise _failure(error) from None
        except TimeoutError as error:
            raise ArpentError("timeout", f"No answer from {host} within {self._timeout:g} seconds.") from error
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise ArpentError("unexpected_answer", f"{host} sent no JSON.", 200) from error
        except (OSError, EOFError, zlib.error, http.client.HTTPException) as error:
            if isinstance(getattr(error, "reason", None), TimeoutError):
                raise ArpentError("timeout", f"No connection to {host} within {self._timeout:g} seconds.") from error
            raise ArpentError("network_error", f"No answer from {host}: {error}") from error
        finally:
            self._pace.leave(number, said, partial=report)
            if report:
                self._report_pace.leave(report_number, said)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirection is an error: the key goes to no other address."""

    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: Any) -> None:
        return None


def _segment(code: str) -> str:
    """A code as a part of a path. An empty one would be the path of a list, and dots that of another operation."""
    if re.fullmatch(r"\.*", code):
        raise ArpentError("invalid_parameter", f'The code is "{code}".')
    return urllib.parse.quote(code, safe="")


def _text(value: Any) -> str | None:
    """A parameter as it is sent; None where there is none, such as a list without items."""
    if value is None or isinstance(value, str):
        return value
    return (",".join(value) or None) if isinstance(value, Iterable) else str(value)


def _body(answer: Any) -> bytes:
    body = answer.read()
    return gzip.decompress(body) if answer.headers.get("Content-Encoding") == "gzip" else body


def _failure(answer: urllib.error.HTTPError) -> ArpentError:
    """The error that an answer describes; what stands between, such as a proxy, may answer in another form."""
    try:
        error = json.loads(_body(answer))["error"]
        code, message, documentation = error["code"], error["message"], error.get("documentation")
    except (ValueError, KeyError, TypeError, OSError, EOFError, zlib.error, http.client.HTTPException):
        code, message, documentation = "unexpected_answer", f"The answer has the status {answer.code}.", None
    after = answer.headers.get("Retry-After", "")
    return ArpentError(code, message, answer.code, answer.headers.get("X-Request-Id"), documentation, float(after) if after.isdecimal() else None)
