# Included where the study asks for shards: the same rules for a part of the questions, and their
# files joined. A whole file has the same settings either way, so none is made again because the
# number of shards has changed.
from cot_entropy.workflow.shards import Shards

shards = Shards(flow)


wildcard_constraints:
    shard=shards.numbers,


ruleorder: gather_chains > chains
ruleorder: derive > gather_completions > completions
ruleorder: gather_self_consistency > self_consistency


use rule chains as chains_shard with:
    output:
        temp(shards.pattern(f"{CHAIN}/chains.jsonl.zst")),
    params:
        job=lambda w: generate.chains_job(w, shards.shard(w.shard)),
    log:
        shards.pattern(f"{CHAIN}/chains.log"),


rule gather_chains:
    input:
        shards.files(f"{CHAIN}/chains.jsonl.zst"),
    output:
        f"{CHAIN}/chains.jsonl.zst",
    params:
        job=lambda w: generate.chains_job(w),
    log:
        f"{CHAIN}/chains.log",
    shell:
        "cot-entropy --log {log} gather {input:q} --out {output:q}"


use rule completions as completions_shard with:
    output:
        temp(shards.pattern(f"{PROBE}/completions.jsonl.zst")),
    params:
        job=lambda w: generate.completions_job(w, shards.shard(w.shard)),
        stored=lambda w: generate.stored_options(w),
    log:
        shards.pattern(f"{PROBE}/completions.log"),


rule gather_completions:
    input:
        shards.files(f"{PROBE}/completions.jsonl.zst"),
    output:
        f"{PROBE}/completions.jsonl.zst",
    params:
        job=lambda w: generate.completions_job(w),
        stored=lambda w: generate.stored_options(w),
    log:
        f"{PROBE}/completions.log",
    shell:
        "cot-entropy --log {log} gather {input:q} --out {output:q}"


use rule self_consistency as self_consistency_shard with:
    output:
        temp(shards.pattern(f"{CHAIN}/self_consistency.jsonl.zst")),
    params:
        job=lambda w: baseline.self_consistency_job(shards.shard(w.shard)),
    log:
        shards.pattern(f"{CHAIN}/self_consistency.log"),


rule gather_self_consistency:
    input:
        shards.files(f"{CHAIN}/self_consistency.jsonl.zst"),
    output:
        f"{CHAIN}/self_consistency.jsonl.zst",
    params:
        job=lambda w: baseline.self_consistency_job(),
    log:
        f"{CHAIN}/self_consistency.log",
    shell:
        "cot-entropy --log {log} gather {input:q} --out {output:q}"
