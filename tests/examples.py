"""Numbers of Hypothesis examples: 20 by default, 100 in CI, 5,000 at night."""

import os

from hypothesis import HealthCheck, settings

CI = 100
_PROFILES = {"dev": 20, "ci": CI, "nightly": 5_000}


def register() -> None:
    for name, examples in _PROFILES.items():
        settings.register_profile(
            name,
            max_examples=examples,
            derandomize=name != "nightly",
            deadline=None,
            print_blob=True,
            suppress_health_check=[HealthCheck.too_slow],
        )
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


def scaled(in_ci: int) -> int:
    """Scale the number of examples that a test needs in CI to the loaded profile."""
    return max(1, in_ci * settings().max_examples // CI)
