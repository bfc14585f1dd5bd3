"""Reads Parquet files by their paths with DuckDB, Polars and pyarrow, and prints what DuckDB saw, as JSON: for each file its columns' types,
its rows, its values in order (of type DOUBLE: the hex digits of their bits, or NaN) and its metadata; and where another reader saw other
columns or values, as one that takes folders for columns does.

    python3 parquet.py FILE...
"""
import json
import struct
import sys

import duckdb
import polars
import pyarrow.parquet


def plain(value):
    if not isinstance(value, float) or value != value:
        return "NaN" if value != value else str(value)
    return struct.pack(">d", value).hex()


def columns(table):
    return {name: [plain(v) for v in table[name].to_pylist()] for name in table.column_names}


out = {}
for path in sys.argv[1:]:
    name = path.replace("'", "''")
    rows = duckdb.sql(f"FROM '{name}'")
    values = columns(rows.to_arrow_table())
    others = {
        "polars": lambda: polars.read_parquet(path, hive_partitioning=True).to_arrow(),
        "pyarrow": lambda: pyarrow.parquet.read_table(path),
    }
    differ = []
    for reader, read in others.items():
        try:
            if columns(read()) != values:
                differ.append(reader)
        except Exception as e:  # whatever a reader says
            differ.append(f"{reader}: {e}")
    out[path] = {
        "types": dict(zip(rows.columns, map(str, rows.types))),
        "values": values,
        "rows": len(rows),
        "metadata": dict(duckdb.sql(f"SELECT decode(key), decode(value) FROM parquet_kv_metadata('{name}')").fetchall()),
        "differ": differ,
    }
print(json.dumps(out))
