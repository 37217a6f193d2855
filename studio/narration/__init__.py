"""Making takes: the wire client, the workers, the pool and the queue."""
