# questions -> chains -> prefixes -> completions -> trajectories -> statistics -> verdicts -> report
#
#   snakemake --cores all                                      the demo
#   snakemake --cores all --configfile config/study.yaml       the registered study
#   snakemake --cores all --configfile F --config only='["model/dataset"]'
#   snakemake variants --cores all --config variants='["m_3","cap_4"]'

import shlex
import sys
from pathlib import Path

from cot_entropy.study.config import read_settings
from cot_entropy.base.errors import UserError
from cot_entropy.workflow import Workflow
from cot_entropy.workflow.failures import error_lines

if not workflow.configfiles:

    configfile: "config/demo.yaml"


try:
    for path in workflow.configfiles:
        read_settings(Path(path))  # Snakemake takes the last of two equal keys
    sources = [*workflow.configfiles, *(["--config"] if workflow.config_settings.config else [])]
    flow = Workflow.from_config(config, source=" + ".join(map(str, sources)))
except UserError as error:
    # raised, it would be shown as an error of this file
    print(f"error: {error}", file=sys.stderr)
    sys.exit(error.exit_code)


# rules run the commands of the environment that Snakemake itself runs in, activated or not
shell.prefix(f"PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH; ")


report: "workflow/report/workflow.rst"


onerror:
    print(*error_lines(map(Path, log)), sep="\n", file=sys.stderr)


wildcard_constraints:
    **flow.wildcards,


include: "workflow/rules/inputs.smk"
include: "workflow/rules/generate.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/baseline.smk"
if flow.study.shards > 1:

    include: "workflow/rules/shards.smk"


include: "workflow/rules/variants.smk"
include: "workflow/rules/provenance.smk"
include: "workflow/rules/analyse.smk"
include: "workflow/rules/consistency.smk"


localrules:
    all,
    variants,


rule all:
    default_target: True
    input:
        f"{flow.results}/report.html",
        f"{flow.results}/provenance/manifest.json",


rule variants:
    input:
        lambda w: variants.named_table,
        rules.all.input,
