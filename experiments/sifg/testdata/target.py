"""N(0, I) in two dimensions as a program that needs no library, and does one thing wrong: python target.py HOW."""

import json
import struct
import sys

how = sys.argv[1] if len(sys.argv) > 1 else "well"
about = {"dim": 2, "names": ["a", "b"]}


def say(message, rows=0, cols=0, values=()):
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {cols}), }}".ljust(117) + "\n"
    array = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}d", *values)
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n" + (array if rows else b""))
    sys.stdout.buffer.flush()


def read():
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit()
    start = sys.stdin.buffer.read(10)
    shape = sys.stdin.buffer.read(struct.unpack("<H", start[8:])[0]).decode().split("'shape': (")[1].split(")")[0]
    rows, cols = (int(n) for n in shape.split(",")[:2])
    return json.loads(line), rows, cols, struct.unpack(f"<{rows * cols}d", sys.stdin.buffer.read(8 * rows * cols))


say({"sifg": 1, "target": about, "version": "1"})
while True:
    message, rows, cols, x = read()
    out = []
    for i in range(rows):
        row = x[i * cols : (i + 1) * cols]
        value, gradient = -sum(v * v for v in row) / 2, [-v for v in row]
        if how == "halved":
            gradient[1] /= 2
        elif how == "stdin":
            sys.exit()
        out += [value] + gradient
    say({"answer": message["ask"], "array": True}, rows, 1 + cols, out)
