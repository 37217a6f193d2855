"""Plants one small fault into the sampler of an engine process that has this folder on its path.

``RHAPSODE_PLANT`` names it. Nothing of the project knows that variable; without it nothing happens.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import os
import sys

SAMPLER = "engine.narrators.cosyvoice3.sampler"


def plant(fault, sampler):
    """Change the loaded module."""
    import numpy as np

    def up(values):
        """The same, one of them a last bit larger."""
        place = int(np.argmax(values))
        values[place] = np.nextafter(values[place], np.float32(np.inf))
        return values

    if fault == "ulp in log_softmax":
        real = sampler.log_softmax
        sampler.log_softmax = lambda logits: up(real(logits))
    elif fault == "ulp in the probabilities":
        real = sampler._softmax
        sampler._softmax = lambda logp: up(real(logp))
    elif fault == "ulp in the chance":
        real = sampler.Chance.exponential
        sampler.Chance.exponential = lambda self, n: up(real(self, n))
    elif fault == "ulp in top_p":
        more = float(np.nextafter(np.float32(0.8), np.float32(1)))
        sampler.Sampler.__init__.__defaults__ = (more, 25, 10, 0.1)
    elif fault == "two equal candidates swapped":
        real = sampler.Sampler.nucleus

        def nucleus(self, logp):
            ids, weights = real(self, logp)
            (ties,) = np.nonzero(weights[1:] == weights[:-1])
            if len(ties):
                ids[[ties[0], ties[0] + 1]] = ids[[ties[0] + 1, ties[0]]]
            return ids, weights

        sampler.Sampler.nucleus = nucleus
    elif fault == "another seed":
        real = sampler.Chance.__init__
        sampler.Chance.__init__ = lambda self, seed: real(self, seed ^ 1)
    else:
        raise ValueError(fault)


class Gardener(importlib.abc.MetaPathFinder):
    """Waits for the sampler to be imported."""

    def find_spec(self, name, path=None, target=None):
        """The sampler's own spec, with a loader that plants afterwards."""
        if name != SAMPLER:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            plant(os.environ["RHAPSODE_PLANT"], module)

        spec.loader.exec_module = exec_module
        return spec


if "RHAPSODE_PLANT" in os.environ:
    sys.meta_path.insert(0, Gardener())
