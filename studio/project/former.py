"""Names that voices had before they were renamed, as the database keeps them."""

FORMER = "former voices"
"""Setting: what voices that were renamed are called now, by each name that they had."""

TAKE_VOICE = f"""COALESCE(
        (SELECT e.value FROM settings f, json_each(f.value) e
         WHERE f.name = '{FORMER}' AND e.key = t.voice
         AND NOT EXISTS (SELECT 1 FROM voices WHERE id = t.voice)),
        t.voice)"""
"""Who made a take `t`, as that voice is called now."""
