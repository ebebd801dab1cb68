"""Tenants enough that what is done to ten of them is held back by the brake."""

from tests.world import tenant

TENANTS = {f"tenants/t{at}.yaml": tenant(f"t{at}") for at in range(11)}
