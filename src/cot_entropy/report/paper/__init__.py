"""The tables of a paper of R26's kind, in its order: on the page, as CSV and as LaTeX."""
