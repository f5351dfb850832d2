"""Writes the types of the answers (types.py) and the methods of the client (operations.py) from the OpenAPI document of the API.

python3 clients/python/generate.py [folder to write to, instead of src/arpent]
"""

import json
import pathlib
import sys
import textwrap

HERE = pathlib.Path(__file__).parent
DOCUMENT = HERE / "../../app/tests/contract/testdata/openapi.json"
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}

written: dict[str, str] = {}  # classes by their names, in the order in which they are complete


def type_of(schema: dict, name: str) -> str:
    """The Python type of a schema; an object that has no name of its own becomes a class of that name."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    if "enum" in schema:
        values = schema["enum"] + [None] * ("null" in schema["type"] and None not in schema["enum"])
        return f"Literal[{', '.join(map(repr, values))}]"
    for many in ("oneOf", "anyOf"):
        if many in schema:
            shapes = [s for s in schema[many] if s.get("type") != "null"]
            names = [type_of(s, name if len(shapes) == 1 else shape_name(s, name)) for s in shapes]
            return " | ".join(names + ["None"] * (len(shapes) < len(schema[many])))
    kinds = schema.get("type", [])
    return " | ".join(one_type(kind, schema, name) for kind in ([kinds] if isinstance(kinds, str) else kinds)) or "Any"


def one_type(kind: str, schema: dict, name: str) -> str:
    if kind == "array":
        return f"list[{type_of(schema['items'], name)}]"
    if kind != "object":
        return PLAIN[kind]
    if "properties" in schema:
        write_class(name, schema)
        return name
    values = schema.get("additionalProperties")
    return f"dict[str, {type_of(values, name) if isinstance(values, dict) else 'Any'}]"


def shape_name(schema: dict, name: str) -> str:
    """The name of one of several shapes: that of a GeoJSON geometry is its type."""
    kind = schema.get("properties", {}).get("type", {}).get("enum")
    return kind[0] if kind else name


def write_class(name: str, schema: dict) -> None:
    """A class, and before it one of the members that are always there, where some are not."""
    required = schema.get("required", [])
    always = {k: v for k, v in schema["properties"].items() if k in required}
    rest = {k: v for k, v in schema["properties"].items() if k not in required}
    base = "TypedDict"
    if always and rest:
        base = "_" + name
        written[base] = class_text(base, "TypedDict", always, name)
    text = class_text(name, base + (", total=False" if rest else ""), rest or always, name, schema.get("description", ""))
    if written.setdefault(name, text) != text:
        sys.exit(f"two schemas would be {name}")


def class_text(name: str, bases: str, members: dict, owner: str, about: str = "") -> str:
    lines = [f"class {name}({bases}):"] + ([f'    """{about}"""', ""] if about else [])
    for key, schema in members.items():
        lines += comment(schema.get("description", "")) + [f"    {key}: {type_of(schema, owner + key[0].upper() + key[1:])}"]
    return "\n".join(lines)


def method(path: str, get: dict) -> str:
    """The method of an operation. One with several results is written by hand: which parameters lead to which, the document cannot say."""
    schema = get["responses"]["200"]["content"]["application/json"]["schema"]
    if "$ref" not in schema:
        return ""
    parameters = get.get("parameters", [])
    takes = ["self"] + [argument(p) for p in parameters if p.get("required")]
    named = [argument(p) for p in parameters if not p.get("required")]
    given = ", ".join(f'"{p["name"]}": {p["name"]}' for p in parameters)
    about = textwrap.wrap(get["description"], 120)
    single = [f"{p['name']}: {p['description']}" for p in parameters if p["schema"]["type"] != "array"]
    about += [""] * bool(single) + [line for text in single for line in textwrap.wrap(text, 120, subsequent_indent="    ")]
    return f"""
    def {get["operationId"]}({", ".join(takes + ["*"] * bool(named) + named)}) -> types.{type_of(schema, "")}:
        \"""{get["summary"]}.

{textwrap.indent(chr(10).join(about), " " * 8)}
        \"""
        return self._get("{path.removeprefix("/api/v1")}", {{{given}}}{", True" * (get.get("x-rate-limit-class") == "enrichments")})
"""


def argument(parameter: dict) -> str:
    kind = parameter["schema"]["type"]
    text = f"{parameter['name']}: {'Iterable[str]' if kind == 'array' else PLAIN[kind]}"
    if parameter.get("required"):
        return text
    return text + (" = ()" if kind == "array" else " | None = None")


def comment(text: str) -> list[str]:
    return textwrap.wrap(text, 120, initial_indent="    # ", subsequent_indent="    # ", break_on_hyphens=False)


TYPES = '''"""The types of the answers. Made by generate.py from the OpenAPI document of the API."""

from __future__ import annotations

from typing import Any, Literal, TypedDict'''

OPERATIONS = '''"""The operations, a method for each. Made by generate.py from the OpenAPI document of the API."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from . import types


class Operations(ABC):
    @abstractmethod
    def _get(self, path: str, given: dict[str, Any], report: bool = False) -> Any:
        """Calls a path with what is given for its codes and the query; report: under the lower limit of reports too."""
'''


def main() -> None:
    document = json.loads(DOCUMENT.read_text("utf-8"))
    for name, schema in document["components"]["schemas"].items():
        write_class(name, schema)
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "src/arpent"
    (target / "types.py").write_text("\n\n\n".join([TYPES, *written.values()]) + "\n", "utf-8")
    methods = (method(path, item["get"]) for path, item in document["paths"].items())
    (target / "operations.py").write_text(OPERATIONS + "".join(methods), "utf-8")


if __name__ == "__main__":
    main()
