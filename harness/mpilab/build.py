"""From a submission to an artifact: something an engine can load.

Theory of operation.  A C kernel becomes a shared library, with kernel.h force-included so that a wrong signature is a
compile error that shows both prototypes; warnings that are nearly always mistakes are kept for the report.  A Python
kernel is parsed, not executed, and its class checked.  Artifacts are named by their content's hash, because the loader
remembers libraries by path.  What the compiler says is given in the student's file name and lines.
"""
