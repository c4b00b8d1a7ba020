from cot_entropy.workflow.inputs import Inputs

inputs = Inputs(flow)


# on a cluster they run where Snakemake does: compute nodes often reach no hub
localrules:
    model,
    questions,


rule model:
    input:
        lambda w: inputs.model_files(w.model),
    output:
        f"{flow.results}/inputs/{{model}}.model.json",
    params:
        job=lambda w: inputs.model_job(w.model),
    log:
        f"{flow.results}/logs/{{model}}.model.log",
    shell:
        "cot-entropy --log {log} model --job {params.job:q} --out {output:q}"


rule questions:
    input:
        lambda w: inputs.dataset_files(w.dataset),
    output:
        f"{flow.results}/inputs/{{dataset}}.questions.jsonl.zst",
    params:
        job=lambda w: inputs.questions_job(w.dataset),
    log:
        f"{flow.results}/logs/{{dataset}}.questions.log",
    shell:
        "cot-entropy --log {log} questions --job {params.job:q} --out {output:q}"
