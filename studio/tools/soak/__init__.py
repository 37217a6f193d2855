"""Long runs that prove what is promised of workers: bounded memory, nothing lost, same bytes."""
