rule score:
    input:
        chains=f"{CHAIN}/chains.jsonl.zst",
        prefixes=f"{PROBE}/prefixes.jsonl.zst",
        completions=f"{PROBE}/completions.jsonl.zst",
    output:
        f"{PROBE}/{{scoring}}/trajectories.parquet",
    params:
        job=lambda w: flow.score_job(w),
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
        f"{PROBE}/sensitivity.csv",
    params:
        job=lambda w: flow.sensitivity_job(w),
    log:
        f"{PROBE}/sensitivity.log",
    shell:
        "cot-entropy --log {log} sensitivity --job {params.job:q} --chains {input.chains:q}"
        " --prefixes {input.prefixes:q} --completions {input.completions:q} --out {output:q}"
