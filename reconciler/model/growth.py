"""What is told of those who may grow: reasons of a condition and of Events, the same in both."""

CONDITION = "NetworkReady"
"""The type of the condition."""

BLOCKED = "IPAMGrowthBlocked"
"""Addresses are needed and cannot be had."""

NOT_SERVED = "IPAMServiceNotServed"
"""There are Services that no growth would serve."""

REASONS = (BLOCKED, NOT_SERVED)
