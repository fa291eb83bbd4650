"""A lab at its larger cases: how time and communication time change with the ranks."""
