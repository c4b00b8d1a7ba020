rule record_run:
    input:
        flow.registration_files,
    output:
        f"{flow.results}/provenance/run.json",
    params:
        job=flow.run_job,
    log:
        f"{flow.results}/logs/record_run.log",
    shell:
        "cot-entropy --log {log} record-run --job {params.job:q} --out {output:q}"


rule record_cell:
    input:
        lambda w: flow.cell_trajectories(f"{w.model}/{w.dataset}"),
    output:
        flow.cell_record("{model}", "{dataset}"),
    params:
        results=flow.results,
    log:
        f"{flow.results}/logs/{{model}}.{{dataset}}.record_cell.log",
    shell:
        "cot-entropy --log {log} record-cell {wildcards.model}/{wildcards.dataset}"
        " --results {params.results:q} --out {output:q}"


rule analyse:
    input:
        flow.selected_trajectories,
        flow.cell_records,
        f"{flow.results}/provenance/run.json",
        plan=flow.plan,
    output:
        multiext(f"{flow.results}/", "verdicts.csv", "estimates.csv", "comparison.csv"),
    params:
        digest=flow.digest("analyse"),
        trajectories=flow.analysed_trajectories,
        results=flow.results,
    threads: workflow.cores
    log:
        f"{flow.results}/logs/analyse.log",
    shell:
        "cot-entropy --log {log} analyse --plan {input.plan:q} --jobs {threads}"
        " --out {params.results:q} {params.trajectories:q}"


rule calibration:
    input:
        plan=flow.plan,
    output:
        multiext(
            f"{flow.results}/calibration/",
            "calibration.csv",
            "coverage_map.csv",
            "power.csv",
            "detectable.csv",
            "decidable.csv",
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


rule compare_variants:
    input:
        flow.selected_trajectories,
        flow.variant_trajectories,
        plan=flow.plan,
    output:
        f"{flow.results}/variants.csv",
    params:
        job=lambda w: flow.variants_job,
    log:
        f"{flow.results}/logs/compare_variants.log",
    shell:
        "cot-entropy --log {log} variants --job {params.job:q} --plan {input.plan:q} --out {output:q}"


rule report:
    input:
        flow.selected_trajectories,
        flow.variants_table,
        flow.baseline_tables,
        flow.sensitivity_tables,
        multiext(f"{flow.results}/", "verdicts.csv", "estimates.csv", "comparison.csv"),
        plan=flow.plan,
    output:
        f"{flow.results}/report.html",
    params:
        # read where they are there, and a reason to write the page again; never made for it
        optional=flow.optional_tables,
        digest=flow.digest("report"),
        results=flow.results,
    log:
        f"{flow.results}/logs/report.log",
    shell:
        "cot-entropy --log {log} report {params.results:q} --plan {input.plan:q} --out {output:q}"


rule seal:
    input:
        f"{flow.results}/report.html",
    output:
        f"{flow.results}/provenance/manifest.json",
    params:
        results=flow.results,
    log:
        f"{flow.results}/logs/seal.log",
    shell:
        "cot-entropy --log {log} seal {params.results:q} --out {output:q}"
