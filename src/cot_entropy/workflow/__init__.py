"""What the Snakefile asks: paths, wildcards and each job's own settings.

`study.py` is the study that all rules share; beside it stands one module per rules file of
`workflow/rules/`, with what those rules ask. A job is one JSON argument with the settings of that
job only, and the digest of the code behind it, so that Snakemake reruns exactly the jobs that a
change reaches.

May import `base`, `protocol`, `plan`, `formats`, `data`, `model`, `study` and `registration`.
"""

from cot_entropy.workflow.study import Wildcards, Workflow

__all__ = ["Wildcards", "Workflow"]
