"""Starts the real engine entry with two more narrators, ``scripted`` and ``staged``.

They do what their text says.
"""

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location(
    "engine_entry", HERE.parents[1] / "engine" / "__main__.py"
)
entry = importlib.util.module_from_spec(spec)
spec.loader.exec_module(entry)
entry.adopt_package()
sys.path.append(str(HERE))

from engine import registry  # noqa: E402

registry.NARRATORS["scripted"] = "scripted_narrator:Scripted"
registry.NARRATORS["staged"] = "staged_narrator:Stepwise"
entry.main()
