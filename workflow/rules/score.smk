from cot_entropy.workflow.score import Score

score = Score(flow)


rule score:
    input:
        chains=f"{CHAIN}/chains.jsonl.zst",
        prefixes=f"{PROBE}/prefixes.jsonl.zst",
        completions=f"{PROBE}/completions.jsonl.zst",
    output:
        f"{PROBE}/{{scoring}}/trajectories.parquet",
    params:
        job=lambda w: score.score_job(w),
    log:
        f"{PROBE}/{{scoring}}/score.log",
    shell:
        "cot-entropy --log {log} score --job {params.job:q} --chains {input.chains:q}"
        " --prefixes {input.prefixes:q} --completions {input.completions:q} --out {output:q}"


rule sensitivity:
    input:
        chains=f"{CHAIN}/chains.jsonl.zst",
        prefixes=f"{PROBE}/prefixes.jsonl.zst",
        completions=f"{PROBE}/completions.jsonl.zst",
    output:
        report(
            f"{PROBE}/sensitivity.csv",
            caption="../report/sensitivity.rst",
            category="Sensitivity to the grader",
            labels={"model": "{model}", "dataset": "{dataset}"},
        ),
    params:
        job=lambda w: score.sensitivity_job(w),
    log:
        f"{PROBE}/sensitivity.log",
    shell:
        "cot-entropy --log {log} sensitivity --job {params.job:q} --chains {input.chains:q}"
        " --prefixes {input.prefixes:q} --completions {input.completions:q} --out {output:q}"
