from cot_entropy.workflow.analyse import Analyse

analyse = Analyse(flow)


rule analyse:
    input:
        flow.selected_trajectories,
        provenance.cell_records,
        f"{flow.results}/provenance/run.json",
        variants=variants.table,
        plan=flow.plan,
    output:
        report(
            f"{flow.results}/verdicts.csv",
            caption="../report/verdicts.rst",
            category="Results",
            labels={"table": "verdicts"},
        ),
        report(
            f"{flow.results}/estimates.csv",
            caption="../report/estimates.rst",
            category="Results",
            labels={"table": "estimates"},
        ),
        report(
            f"{flow.results}/comparison.csv",
            caption="../report/comparison.rst",
            category="Results",
            labels={"table": "published figures beside ours"},
        ),
        report(
            f"{flow.results}/replication.csv",
            caption="../report/replication.rst",
            category="Results",
            labels={"table": "replication"},
        ),
    params:
        digest=flow.digest("analyse"),
        trajectories=analyse.trajectories,
        results=flow.results,
        beside=f"--variants {variants.table[0]}" if variants.table else "",
    threads: workflow.cores
    log:
        f"{flow.results}/logs/analyse.log",
    shell:
        "cot-entropy --log {log} analyse --plan {input.plan:q} --jobs {threads} {params.beside}"
        " --out {params.results:q} {params.trajectories:q}"


rule calibration:
    input:
        plan=flow.plan,
    output:
        report(
            multiext(
                f"{flow.results}/calibration/",
                "calibration.csv",
                "coverage_map.csv",
                "power.csv",
                "detectable.csv",
                "decidable.csv",
                "pooled.csv",
                "success.csv",
            ),
            caption="../report/calibration.rst",
            category="Calibration and power",
        ),
    params:
        digest=flow.digest("calibrate"),
        results=flow.results,
    threads: workflow.cores
    log:
        f"{flow.results}/logs/calibration.log",
    shell:
        "cot-entropy --log {log} calibrate --plan {input.plan:q} --jobs {threads}"
        " --out {params.results:q}/calibration"


rule report:
    input:
        flow.selected_trajectories,
        variants.table,
        baseline.tables,
        score.sensitivity_tables,
        rules.analyse.output,
        plan=flow.plan,
    output:
        report(
            f"{flow.results}/report.html",
            caption="../report/report.rst",
            category="Report",
            labels={"page": "report with explorer"},
        ),
    params:
        # read where they are there, and a reason to write the page again; never made for it
        optional=analyse.optional_tables,
        tables=variants.table + baseline.tables,
        digest=flow.digest("report"),
        results=flow.results,
    log:
        f"{flow.results}/logs/report.log",
    shell:
        "cot-entropy --log {log} report {params.results:q} --plan {input.plan:q} --out {output:q}"
