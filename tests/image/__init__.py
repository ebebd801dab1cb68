"""The image without a container engine: its steps run over this machine's own system."""
