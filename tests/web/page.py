# SPDX-License-Identifier: MIT
"""The page that tests play in: PAGE is its folder, which client/package/web.py makes; None where it could
not be made, and WITHOUT says so."""

import os
import pathlib

FOLDER = pathlib.Path(os.environ.get("RAIM_PAGE", pathlib.Path(__file__).resolve().parents[2] / "build/web/page"))
PAGE = FOLDER if (FOLDER / "raim.wasm").is_file() else None
WITHOUT = f"no page in {FOLDER}: ./dev web makes it, or says why not"
