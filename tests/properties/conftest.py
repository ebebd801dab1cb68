"""A profile for mutants: the first example that fails is enough, nobody reads the smallest one."""

import os

from hypothesis import Phase, settings

if os.environ.get("TESTS_WITHOUT_SHRINKING"):
    settings.register_profile(
        "mutants", settings.get_profile("ci"), phases=(Phase.explicit, Phase.generate)
    )
    settings.load_profile("mutants")
