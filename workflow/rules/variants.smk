from cot_entropy.workflow.variants import Variants

variants = Variants(flow)


rule compare_variants:
    input:
        flow.selected_trajectories,
        variants.trajectories,
        plan=flow.plan,
    output:
        report(
            f"{flow.results}/variants.csv",
            caption="../report/variants.rst",
            category="Results",
            labels={"table": "protocol variants"},
        ),
    params:
        job=lambda w: variants.job,
    log:
        f"{flow.results}/logs/compare_variants.log",
    shell:
        "cot-entropy --log {log} variants --job {params.job:q} --plan {input.plan:q} --out {output:q}"
