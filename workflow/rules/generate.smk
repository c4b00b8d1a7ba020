from cot_entropy.workflow.generate import Generate

generate = Generate(flow)
CHAIN = f"{flow.results}/{{model}}/{{dataset}}/{{chain}}"
PROBE = f"{CHAIN}/{{probe}}"
FILL = flow.fill  # no parameter: a finished cell stays finished whatever it says


rule chains:
    input:
        model=f"{flow.results}/inputs/{{model}}.model.json",
        questions=f"{flow.results}/inputs/{{dataset}}.questions.jsonl.zst",
    output:
        f"{CHAIN}/chains.jsonl.zst",
    params:
        job=lambda w: generate.chains_job(w),
    threads: workflow.cores
    resources:
        gpu=flow.gpus,
    log:
        f"{CHAIN}/chains.log",
    shell:
        "cot-entropy --log {log} chains --job {params.job:q} --fill {FILL:q} --model {input.model:q}"
        " --questions {input.questions:q} --out {output:q}"


rule prefixes:
    input:
        chains=f"{CHAIN}/chains.jsonl.zst",
    output:
        f"{PROBE}/prefixes.jsonl.zst",
    params:
        job=lambda w: generate.prefixes_job(w),
    log:
        f"{PROBE}/prefixes.log",
    shell:
        "cot-entropy --log {log} prefixes --job {params.job:q} --chains {input.chains:q}"
        " --out {output:q}"


# what an earlier protocol of the study sampled is taken from there; `derive` needs nothing else
ruleorder: derive > completions


rule derive:
    input:
        lambda w: generate.stored_files(w),
        model=f"{flow.results}/inputs/{{model}}.model.json",
        chains=f"{CHAIN}/chains.jsonl.zst",
        prefixes=f"{PROBE}/prefixes.jsonl.zst",
    output:
        f"{PROBE}/completions.jsonl.zst",
    wildcard_constraints:
        probe=generate.derived_probes,
    params:
        job=lambda w: generate.completions_job(w),
        stored=lambda w: generate.stored_options(w),
    log:
        f"{PROBE}/completions.log",
    shell:
        "cot-entropy --log {log} derive --job {params.job:q} --model {input.model:q}"
        " --chains {input.chains:q} --prefixes {input.prefixes:q} {params.stored:q} --out {output:q}"


rule completions:
    input:
        lambda w: generate.stored_files(w),
        model=f"{flow.results}/inputs/{{model}}.model.json",
        chains=f"{CHAIN}/chains.jsonl.zst",
        prefixes=f"{PROBE}/prefixes.jsonl.zst",
    output:
        f"{PROBE}/completions.jsonl.zst",
    params:
        job=lambda w: generate.completions_job(w),
        stored=lambda w: generate.stored_options(w),
    threads: workflow.cores
    resources:
        gpu=flow.gpus,
    log:
        f"{PROBE}/completions.log",
    shell:
        "cot-entropy --log {log} completions --job {params.job:q} --fill {FILL:q}"
        " --model {input.model:q}"
        " --chains {input.chains:q} --prefixes {input.prefixes:q} {params.stored:q} --out {output:q}"
