"""Reads .npy files with NumPy and prints what it saw, as JSON: type, shape, bytes, and whether a memory map is aligned.

    python3 npy.py FILE...
"""
import json
import sys

import numpy as np

out = {}
for path in sys.argv[1:]:
    a = np.load(path, allow_pickle=False)
    aligned = a.size == 0 or a.ndim == 0 or np.load(path, mmap_mode="r").ctypes.data % 64 == 0
    out[path] = {
        "dtype": a.dtype.str,
        "shape": a.shape,
        "c_order": bool(a.flags.c_contiguous),
        "aligned": bool(aligned),
        "bytes": a.tobytes().hex(),
    }
print(json.dumps(out))
