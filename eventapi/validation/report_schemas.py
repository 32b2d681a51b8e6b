"""The schema of a report, made from the schema of its rows.

The entry `NAME` of `$defs` in report.json is a report, and `NAME_row` one of its rows. `x-totals`
lists the columns that are added up. `properties` has what the report contains besides its rows and
totals.
"""


def report_schema(name: str, file: dict) -> dict:
    """Return the schema of the report `name`: its filters, its rows and their totals."""
    report = file["$defs"][name]
    columns = file["$defs"][f"{name}_row"]["properties"]

    summed = list(report["x-totals"])
    description = "The totals of all rows, as one entry."
    if "currency" in columns:
        summed.insert(0, "currency")
        description = "The totals of the rows, one entry for each currency."

    data = {
        "rows": {"type": "array", "items": {"$ref": f"#/$defs/{name}_row"}},
        "totals": {
            "type": "array",
            "description": description,
            "items": {"type": "object", "properties": {field: columns[field] for field in summed}},
        },
        **report.get("properties", {}),
    }
    return {
        **report,
        "type": "object",
        "properties": {
            "report_type": {"type": "string", "enum": [name.replace("_", "-")]},
            "filters": {"$ref": "#/$defs/filters"},
            "data": {"type": "object", "properties": data},
            "generated_at": {"type": "string", "format": "date-time"},
        },
    }
