"""What recognises speech; each module is imported only when its listener is asked for."""
