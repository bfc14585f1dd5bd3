// Reads Parquet files with DuckDB and prints what it saw, as JSON: for each file its columns' names and types, its
// values in order (of type DOUBLE: the hex digits of their bits, or NaN).
//
//   node parquet.mjs FILE...        the package is looked for here, or in the folder that SIFG_READERS_DIR names
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const home = process.env.SIFG_READERS_DIR || dirname(fileURLToPath(import.meta.url));
const require = createRequire(pathToFileURL(join(home, "package.json")));
const { DuckDBInstance } = require("@duckdb/node-api");

function plain(v) {
  if (typeof v !== "number" || Number.isNaN(v)) return String(v);
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, v);
  return bits.getBigUint64(0).toString(16).padStart(16, "0");
}

const db = await (await DuckDBInstance.create()).connect();
const out = {};
for (const file of process.argv.slice(2)) {
  const from = `FROM read_parquet('${file.replaceAll("'", "''")}')`;
  const all = await db.runAndReadAll(`SELECT * ${from}`);
  const names = all.columnNames();
  const columns = all.getColumns();
  const seen = { types: {}, values: {}, rows: null, metadata: {} };
  seen.rows = String((await db.runAndReadAll(`SELECT count(*) ${from}`)).getRows()[0][0]);
  for (const [i, name] of names.entries()) {
    seen.types[name] = String(all.columnTypes()[i]);
    seen.values[name] = (columns[i] ?? []).map(plain);
  }
  const kv = await db.runAndReadAll(
    `SELECT decode(key), decode(value) FROM parquet_kv_metadata('${file.replaceAll("'", "''")}')`);
  for (const [k, v] of kv.getRows()) seen.metadata[k] = v;
  out[file] = seen;
}
console.log(JSON.stringify(out));
