"""The values that planning works on: keys, pools, claims, allocations, states and plans."""
