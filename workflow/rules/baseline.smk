from cot_entropy.workflow.baseline import Baseline

baseline = Baseline(flow)


rule self_consistency:
    input:
        model=f"{flow.results}/inputs/{{model}}.model.json",
        chains=f"{CHAIN}/chains.jsonl.zst",
    output:
        f"{CHAIN}/self_consistency.jsonl.zst",
    params:
        job=lambda w: baseline.self_consistency_job(),
    threads: workflow.cores
    resources:
        gpu=flow.gpus,
    log:
        f"{CHAIN}/self_consistency.log",
    shell:
        "cot-entropy --log {log} self-consistency --job {params.job:q} --fill {FILL:q}"
        " --model {input.model:q}"
        " --chains {input.chains:q} --out {output:q}"


rule baseline:
    input:
        chains=f"{CHAIN}/chains.jsonl.zst",
        sampled=f"{CHAIN}/self_consistency.jsonl.zst",
        trajectories=lambda w: flow.trajectories([f"{w.model}/{w.dataset}"]),
        plan=flow.plan,
    output:
        report(
            f"{CHAIN}/self_consistency.csv",
            caption="../report/self_consistency.rst",
            category="Self-consistency",
            labels={"model": "{model}", "dataset": "{dataset}"},
        ),
    params:
        job=lambda w: baseline.baseline_job(w),
    log:
        f"{CHAIN}/baseline.log",
    shell:
        "cot-entropy --log {log} baseline --job {params.job:q} --chains {input.chains:q}"
        " --self-consistency {input.sampled:q} --trajectories {input.trajectories:q}"
        " --plan {input.plan:q} --out {output:q}"
