"""`cot-entropy estimate`: what a study will take, and what its finished files took."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from cot_entropy.base.errors import ConfigError
from cot_entropy.engine.capacity import GIB, Need, free_here, least_device_bytes, shortages
from cot_entropy.estimate.assumptions import Assumptions, DeviceFigures, Lengths
from cot_entropy.estimate.figures import (
    Amounts,
    CellEstimate,
    Estimate,
    FileEstimate,
    ProtocolEstimate,
)
from cot_entropy.estimate.sources import Model, model_of, prompt_lengths, questions_of
from cot_entropy.estimate.workload import (
    GenerationFile,
    PromptLengths,
    Work,
    chains_work,
    completions_work,
    generation_files,
)
from cot_entropy.formats.run_summary import read_summary
from cot_entropy.protocol.engine import EngineSettings
from cot_entropy.study.config import Configuration


@dataclass(frozen=True, slots=True)
class _Cell:
    model: Model
    prompts: PromptLengths
    lengths: Lengths
    notes: list[str]


def estimate(configuration: Configuration, assumptions: Assumptions, results: Path) -> Estimate:
    """Predict a study's generation from its configuration; downloads and starts nothing.

    `results` is the study's folder, whether or not it exists. Raises UserError where neither this
    machine nor the assumptions know a dataset or a model.
    """
    study = configuration.study
    device = assumptions.devices.get(study.engine.device)
    if device is None:
        raise ConfigError(f"assumptions: devices: no `{study.engine.device}`")
    cells = {cell: _cell(configuration, cell, results, assumptions) for cell in study.selected}
    speeds = {
        cell.model.name: _speed(cell.model, study.engine, device, assumptions)
        for cell in cells.values()
    }
    found = {
        file: _work(configuration, file, cells[file.cell], device)
        for file in generation_files(configuration)
    }
    starts = device.start_seconds * study.shards
    predicted = {
        file: _amounts(work, speeds[cells[file.cell].model.name], starts)
        for file, work in found.items()
    }
    stored = assumptions.storage.stored_bytes_per_token
    largest = max((work.generated for work in found.values()), default=0.0)
    storage = round(stored * sum(work.generated for work in found.values()))
    disk = storage + round(assumptions.storage.checkpoint_bytes_per_token * largest)
    return Estimate(
        study=study.study,
        cells=[
            CellEstimate(
                cell=name,
                questions=cell.prompts.questions,
                prompt_tokens=round(cell.prompts.mean),
                predicted=_sum([predicted[file] for file in found if file.cell == name]),
                storage_bytes=round(
                    stored
                    * sum(work.generated for file, work in found.items() if file.cell == name)
                ),
                device_gib=round(_device_bytes(configuration, cell) / GIB, 1),
                notes=cell.notes,
            )
            for name, cell in cells.items()
        ],
        files=[
            FileEstimate(path=file.path, predicted=predicted[file], actual=_actual(results, file))
            for file in found
        ],
        protocols=list(_by_protocol(configuration, predicted)),
        total=_sum(list(predicted.values())),
        storage_bytes=storage,
        disk_bytes=disk,
        device=f"{_devices(study.engine)} x {device.name}",
        tokens_per_second={name: round(speed, 1) for name, speed in speeds.items()},
        warnings=_warnings(configuration, cells, device, disk, results),
    )


def _by_protocol(
    configuration: Configuration, predicted: Mapping[GenerationFile, Amounts]
) -> Iterator[ProtocolEstimate]:
    study, known = configuration.study, configuration.protocols.protocols
    left = dict(predicted)
    for name in (study.protocol, *study.variants):
        names = known[name]
        own = [
            file for file in left if file.chain == names.chain and file.probe in {None, names.probe}
        ]
        yield ProtocolEstimate(protocol=name, predicted=_sum([left.pop(file) for file in own]))


def _cell(
    configuration: Configuration, cell: str, results: Path, assumptions: Assumptions
) -> _Cell:
    study, blocks = configuration.study, configuration.protocols
    model_name, dataset = cell.split("/")
    answer = study.datasets[dataset].answer
    model = model_of(configuration, model_name, results, assumptions)
    questions = questions_of(configuration, dataset, results, assumptions)
    system = blocks.chain[blocks.protocols[study.protocol].chain].system_prompt
    prompts, how = prompt_lengths(questions, model, system, answer, assumptions)
    lengths = assumptions.lengths_of(model.name, answer)
    notes = [
        f"model: {model.note}",
        f"questions: {questions.note}",
        f"prompts: {how}",
        f"lengths: {lengths.source}",
    ]
    return _Cell(model, prompts, lengths, notes)


def _work(
    configuration: Configuration, file: GenerationFile, cell: _Cell, device: DeviceFigures
) -> Work:
    blocks = configuration.protocols
    chain = blocks.chain[file.chain]
    if file.probe is not None:
        return completions_work(
            cell.prompts,
            cell.lengths,
            chain,
            blocks.probe[file.probe],
            block_tokens=device.block_tokens,
        )
    count = configuration.study.baselines.self_consistency
    per_question = count if file.stage == "self_consistency" and count else 1
    return chains_work(cell.prompts, cell.lengths, chain, per_question=per_question)


def _devices(settings: EngineSettings) -> int:
    if settings.device == "cpu":
        return len(os.sched_getaffinity(0))
    return settings.tensor_parallel_size


def _speed(
    model: Model, settings: EngineSettings, device: DeviceFigures, assumptions: Assumptions
) -> float:
    """Generated tokens per second: a share of operations per second over two per parameter."""
    ceiling = _devices(settings) * device.operations_per_second / (2 * model.shape.parameters)
    return assumptions.throughput.ceiling_share * ceiling


def _amounts(work: Work, tokens_per_second: float, start_seconds: float) -> Amounts:
    return Amounts(
        requests=round(work.requests),
        generated_tokens=round(work.generated),
        prompt_tokens_computed=round(work.prompt_computed),
        hours=(work.generated / tokens_per_second + start_seconds) / 3600,
        start_hours=start_seconds / 3600,
    )


def _actual(results: Path, file: GenerationFile) -> Amounts | None:
    path = results / file.path
    summary = read_summary(path) if path.is_file() else None
    if summary is None:
        return None
    return Amounts(
        requests=None,
        generated_tokens=summary.generated_tokens,
        prompt_tokens_computed=summary.prompt_tokens_computed,
        hours=summary.wall_seconds / 3600,
        start_hours=summary.start_seconds / 3600,
    )


def _sum(parts: list[Amounts]) -> Amounts:
    return Amounts(
        requests=sum(one.requests or 0 for one in parts),
        generated_tokens=sum(one.generated_tokens for one in parts),
        prompt_tokens_computed=sum(one.prompt_tokens_computed for one in parts),
        hours=sum(one.hours for one in parts),
        start_hours=sum(one.start_hours for one in parts),
    )


def _device_bytes(configuration: Configuration, cell: _Cell) -> int:
    """On each device, for a full batch of sequences of mean length."""
    settings = configuration.study.engine
    least = least_device_bytes(settings, cell.model.shape)
    if settings.device == "cpu":
        return least
    mean = cell.prompts.mean + cell.lengths.chain_tokens / 2 + cell.lengths.completion_tokens
    batch = cell.model.shape.cache_bytes(settings, mean * settings.max_num_seqs)
    one = cell.model.shape.cache_bytes(settings, settings.max_model_len)
    return least + max(0, batch - one) // settings.tensor_parallel_size


def _warnings(
    configuration: Configuration,
    cells: dict[str, _Cell],
    device: DeviceFigures,
    disk: int,
    results: Path,
) -> list[str]:
    settings = configuration.study.engine
    free = free_here(settings, results)
    unseen = free.device_bytes is None and device.memory_gib is not None
    if unseen and device.memory_gib is not None:
        free = replace(free, device_bytes=round(device.memory_gib * GIB))
    found = [
        warning
        for cell in cells.values()
        for warning in shortages(
            Need(disk_bytes=disk, device_bytes=least_device_bytes(settings, cell.model.shape)),
            free,
            settings,
        )
    ]
    if unseen:
        found.append(f"no GPU on this machine: an idle {device.name} was assumed")
    return list(dict.fromkeys(found))
