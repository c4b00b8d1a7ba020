from cot_entropy.workflow.consistency import Consistency

consistency = Consistency(flow)
JUDGED = f"{flow.results}/consistency/{{judge}}"


rule judge:
    output:
        f"{flow.results}/inputs/{{judge}}.judge.json",
    params:
        job=lambda w: consistency.judge_job(w.judge),
    log:
        f"{flow.results}/logs/{{judge}}.judge.log",
    shell:
        "cot-entropy --log {log} model --job {params.job:q} --out {output:q}"


rule validate_judge:
    input:
        lambda w: consistency.manifest(w.judge),
        lambda w: consistency.baseline(w.judge),
    output:
        multiext(
            f"{JUDGED}/validation/",
            "judgements.jsonl.zst",
            "scores.csv",
            "confusion.csv",
            "resolution.csv",
        ),
    params:
        judge=lambda w: consistency.options(w.judge),
        second=lambda w: consistency.second_options(w.judge),
        digest=flow.digest("consistency"),
        out=f"{JUDGED}/validation",
    threads: workflow.cores
    resources:
        gpu=flow.gpus,
    log:
        f"{JUDGED}/validation.log",
    shell:
        "cot-entropy --log {log} consistency validate {params.judge} {params.second}"
        " --split all --out {params.out:q}"


rule scan:
    input:
        lambda w: consistency.manifest(w.judge),
        chains=f"{flow.results}/{{model}}/{{dataset}}/{flow.registered.chain}/chains.jsonl.zst",
        validation=f"{JUDGED}/validation/judgements.jsonl.zst",
    output:
        multiext(f"{JUDGED}/{{model}}/{{dataset}}/", "judgements.jsonl.zst", "rates.csv", "contrasts.csv"),
    params:
        judge=lambda w: consistency.options(w.judge),
        sample=lambda w: consistency.sample_options(w.judge),
        digest=flow.digest("consistency"),
        out=f"{JUDGED}/{{model}}/{{dataset}}",
    threads: workflow.cores
    resources:
        gpu=flow.gpus,
    log:
        f"{JUDGED}/{{model}}/{{dataset}}/scan.log",
    shell:
        "cot-entropy --log {log} consistency scan {input.chains:q} {params.judge}"
        " {params.sample} --validation {input.validation:q} --out {params.out:q}"


rule join_consistency:
    input:
        trajectories=flow.selected_trajectories,
        judgements=lambda w: consistency.judgements(w.judge),
        plan=flow.plan,
    output:
        report(
            f"{JUDGED}/estimates.csv",
            caption="../report/consistency.rst",
            category="Reasoning consistency",
            labels={"judge": "{judge}"},
        ),
    params:
        digest=flow.digest("consistency"),
        pairs=lambda w: consistency.joined_options(w.judge),
    log:
        f"{JUDGED}/join.log",
    shell:
        "cot-entropy --log {log} consistency join --plan {input.plan:q} {params.pairs}"
        " --out {output:q}"


rule consistency:
    input:
        consistency.tables,
