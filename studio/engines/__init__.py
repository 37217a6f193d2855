"""Which engines this machine has, and how they are started."""
