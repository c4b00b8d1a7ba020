from cot_entropy.workflow.provenance import Provenance

provenance = Provenance(flow)


rule record_run:
    input:
        provenance.registration_files,
    output:
        f"{flow.results}/provenance/run.json",
    params:
        job=provenance.run_job,
        files=provenance.registration_files,
    log:
        f"{flow.results}/logs/record_run.log",
    shell:
        "cot-entropy --log {log} record-run --job {params.job:q} --out {output:q}"


rule record_cell:
    input:
        lambda w: flow.cell_trajectories(f"{w.model}/{w.dataset}"),
        lambda w: baseline.sampled(f"{w.model}/{w.dataset}"),
    output:
        provenance.cell_record("{model}/{dataset}"),
    params:
        results=flow.results,
    log:
        f"{flow.results}/logs/{{model}}.{{dataset}}.record_cell.log",
    shell:
        "cot-entropy --log {log} record-cell {wildcards.model}/{wildcards.dataset}"
        " --results {params.results:q} --out {output:q}"


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
