"""Small model folders, questions and jobs for the tests of the generation stages."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from cot_entropy.base.files import write_jsonl
from cot_entropy.formats.inputs import DatasetHeader, ModelManifest, Question, write_model_text
from cot_entropy.protocol.chain import ChainBlock, ChainsJob
from cot_entropy.protocol.engine import EngineSettings
from cot_entropy.protocol.probe import ProbeBlock

CORPUS = [
    "Solve the problem step by step.",
    "Step 1: take 12 and add 30.\n\nStep 2: take 7 and add 5.\n\nThe answer is 3.",
    "How many apples does Ann have? <think>\nShe has two.\n</think>\n\n42 naïve 你好 🙂",
]

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
THINKING = CHATML.replace("<|im_start|>assistant\n", "<|im_start|>assistant\n<think>\n")
REFUSING = (
    "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'system' %}"
    "{{ raise_exception('no system role') }}{% endif %}[INST] {{ message['content'] }} [/INST]"
    "{% endfor %}"
)
DROPPING = (
    "{% for message in messages %}{% if message['role'] == 'user' %}"
    "[INST] {{ message['content'] }} [/INST]{% endif %}{% endfor %}"
)

SPECIAL = ["<|end|>", "<|im_start|>", "<|im_end|>", "<s>"]


def byte_level_tokenizer() -> Tokenizer:
    """Byte-level BPE, as GPT-2, Qwen2.5 and Llama 3 have it."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=330,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def sentencepiece_tokenizer() -> Tokenizer:
    """Word-start marks and byte fallback, as Llama 2 and Mistral have it."""
    vocabulary = [*SPECIAL, "<unk>", *(f"<0x{byte:02X}>" for byte in range(256))]
    letters = sorted({letter for text in CORPUS for letter in text if letter.isascii()} - {"\n"})
    vocabulary += ["▁", *(letter for letter in letters if letter != " ")]
    vocabulary += ["▁T", "he", "▁The", "an", "sw", "answ", "er", "answer", "▁answer", "▁i", "▁is"]
    merges = [("▁", "T"), ("h", "e"), ("▁T", "he"), ("a", "n"), ("s", "w"), ("an", "sw")]
    merges += [("e", "r"), ("answ", "er"), ("▁", "answer"), ("▁", "i"), ("▁i", "s")]
    tokenizer = Tokenizer(
        models.BPE(
            vocab={token: index for index, token in enumerate(vocabulary)},
            merges=merges,
            unk_token="<unk>",
            byte_fallback=True,
        )
    )
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    tokenizer.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    tokenizer.add_special_tokens(SPECIAL)
    return tokenizer


def model_folder(
    folder: Path, *, template: str | None = CHATML, tokenizer: Tokenizer | None = None
) -> Path:
    """A folder with all that a stage on the scripted engine reads: no weights."""
    folder.mkdir(parents=True)
    tokenizer = tokenizer or byte_level_tokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<s>",
        "eos_token": "<|end|>",
        "clean_up_tokenization_spaces": False,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    (folder / "config.json").write_text(
        json.dumps({"model_type": "llama", "eos_token_id": tokenizer.token_to_id("<|end|>")})
    )
    if template is not None:
        (folder / "chat_template.jinja").write_text(template)
    return folder


def write_manifest(path: Path, folder: Path, *, revision: str = "r1") -> Path:
    """The manifest of a model folder."""
    manifest = ModelManifest(
        name="tiny",
        source="local",
        revision=revision,
        weights_sha256="0" * 64,
        tokenizer_sha256="0" * 64,
        chat_template_sha256="0" * 64,
        folder=str(folder),
    )
    path.write_text(write_model_text(manifest))
    return path


def write_questions(path: Path, texts: list[str]) -> Path:
    """A questions file: ids q0, q1, ...; every gold is 1."""
    header = DatasetHeader(
        name="tiny",
        source="local",
        revision="r1",
        sha256=hashlib.sha256("\n".join(texts).encode()).hexdigest(),
        questions_sha256="1" * 64,
        answer="number",
        questions=len(texts),
    )
    rows = [Question(id=f"q{index}", text=text, gold="1") for index, text in enumerate(texts)]
    write_jsonl(path, [header.model_dump(mode="json"), *(row.model_dump() for row in rows)])
    return path


def chain_block(**changes: object) -> ChainBlock:
    """The registered chain block with a small budget."""
    values = {
        "system_prompt": "Solve the problem step by step.",
        "temperature": 0.7,
        "budget": 200,
        **changes,
    }
    return ChainBlock.model_validate(values)


def chains_job(**changes: object) -> ChainsJob:
    """The chains of a cell of that block, on the scripted engine."""
    job = {
        "cell": "tiny/tiny",
        "study_seed": 1,
        "chain": chain_block(),
        "engine": scripted_settings(),
        "code_digest": "c",
    }
    return ChainsJob.model_validate({**job, **changes})


def probe_block(**changes: object) -> ProbeBlock:
    """The registered probe block with small m and budget."""
    values = {
        "segmentation": "blank_lines",
        "cap": 8,
        "cap_policy": "truncate",
        "m": 3,
        "temperature": 0.7,
        "budget": 60,
        **changes,
    }
    return ProbeBlock.model_validate(values)


def scripted_settings(**changes: object) -> EngineSettings:
    """The scripted engine, four sequences at a time."""
    values = {
        "name": "scripted",
        "device": "cpu",
        "max_model_len": 1024,
        "max_num_seqs": 4,
        **changes,
    }
    return EngineSettings.model_validate(values)
