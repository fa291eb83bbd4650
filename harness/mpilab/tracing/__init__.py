"""The tracer's other end: from what the C library recorded to what a person reads.

rings.py and gather.py read it, model.py's Trace shows it, export.py hands it to other tools.
"""
