"""The page of `report`: what is in it, how it is packed, and how its file is put together."""
