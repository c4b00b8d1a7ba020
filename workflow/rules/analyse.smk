rule analyse:
    input:
        flow.selected_trajectories,
        plan=flow.plan,
        published=flow.published,
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
        "cot-entropy --log {log} analyse --plan {input.plan:q} --published {input.published:q}"
        " --out {params.results:q} {params.trajectories:q}"


rule report:
    input:
        flow.selected_trajectories,
        flow.sensitivity_tables,
        multiext(f"{flow.results}/", "verdicts.csv", "estimates.csv", "comparison.csv"),
        plan=flow.plan,
    output:
        f"{flow.results}/report.html",
    params:
        digest=flow.digest("report"),
        results=flow.results,
    log:
        f"{flow.results}/logs/report.log",
    shell:
        "cot-entropy --log {log} report {params.results:q} --plan {input.plan:q} --out {output:q}"
