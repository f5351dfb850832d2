"""Writes src/arpent/types.py, the types of the answers, from the OpenAPI document of the API.

python3 clients/python/generate.py [file to write]
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


def comment(text: str) -> list[str]:
    return textwrap.wrap(text, 120, initial_indent="    # ", subsequent_indent="    # ", break_on_hyphens=False)


def main() -> None:
    for name, schema in json.loads(DOCUMENT.read_text("utf-8"))["components"]["schemas"].items():
        write_class(name, schema)
    head = ('"""The types of the answers. Made by generate.py from the OpenAPI document of the API."""\n\n'
            "from __future__ import annotations\n\nfrom typing import Any, Literal, TypedDict\n")
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "src/arpent/types.py"
    target.write_text("\n\n\n".join([head.rstrip(), *written.values()]) + "\n", "utf-8")


if __name__ == "__main__":
    main()
