"""Load-balancer controllers, one subpackage per controller."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from reconciler.loadbalancers.interface import DEFAULT, Controller
from reconciler.model.objects import Resource


@cache
def controllers() -> tuple[Controller, ...]:
    """Return all controllers, by module name."""
    names = sorted(module.name for module in iter_modules(__path__) if module.ispkg)
    return tuple(import_module(f"{__name__}.{name}").CONTROLLER for name in names)


@cache
def controller(name: str = DEFAULT) -> Controller:
    """Return the controller with a name, or raise KeyError."""
    return {it.name: it for it in controllers()}[name]


@cache
def resources() -> tuple[Resource, ...]:
    """Return the kinds of all controllers."""
    return tuple(kind for it in controllers() for kind in it.resources)


@cache
def pins() -> tuple[str, ...]:
    """Return the annotations by which Services request addresses."""
    return tuple(name for it in controllers() for name in it.pins)


@cache
def annotations() -> tuple[str, ...]:
    """Return all annotations of Services that controllers read."""
    return tuple(name for it in controllers() for name in (*it.names, *it.pins, *it.sharing))
