"""The classroom: notebooks, the magics in them, and grading through nbgrader."""
