"""NLI by a model in a folder: an ONNX cross-encoder that reads two sentences at once. Needs `pip install 'bio-agent-os[nli]'`.

The folder holds one `.onnx` file, `tokenizer.json` and `config.json` whose `id2label` names contradiction and, where the
model knows it, entailment (any column and case), as such models are published.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bio_agent_schema.types import Relation

MAX_TOKENS = 160  # of both texts together: rules are sentences
SURE = 0.9  # a label is said from this probability on, both orders together: small models fire easily below

Logits = Callable[[str, str], NDArray[np.float64]]  # premise, hypothesis → one number a label


class CrossEncoder:
    """Both rules are read in both orders: a contradiction has none, and what entails each other says the same.

    It knows no exceptions: those are for the words or a language model to say.
    """

    def __init__(self, logits: Logits, labels: dict[int, str], model_id: str) -> None:
        """labels: column → name. Raises ValueError when contradiction has no column."""
        named = {name.strip().lower(): column for column, name in labels.items()}
        if "contradiction" not in named:
            raise ValueError(
                f"NLI_MODEL_PATH: config.json names no label contradiction in id2label, but {sorted(named)}"
            )
        self._contradiction, self._entailment = named["contradiction"], named.get("entailment")
        self._logits, self.model_id = logits, model_id

    def relate(self, a: str, b: str) -> tuple[Relation, float]:
        there, back = self._probabilities(a, b), self._probabilities(b, a)
        against = (there[self._contradiction] + back[self._contradiction]) / 2
        same = 0.0 if self._entailment is None else min(there[self._entailment], back[self._entailment])
        if against >= SURE:
            return Relation.CONTRADICTION, float(against)
        if same >= SURE:
            return Relation.EQUIVALENT, float(same)
        return Relation.NEUTRAL, float(1 - max(against, same))

    def _probabilities(self, premise: str, hypothesis: str) -> NDArray[np.float64]:
        row = np.asarray(self._logits(premise, hypothesis), dtype=np.float64)
        power = np.exp(row - row.max())
        return np.asarray(power / power.sum())


def load(folder: Path) -> CrossEncoder:
    """Raises ValueError saying what is missing in the folder or not installed."""
    models = sorted(folder.glob("*.onnx"))
    missing = [name for name in ("tokenizer.json", "config.json") if not (folder / name).is_file()]
    if len(models) != 1 or missing:
        raise ValueError(
            f"NLI_MODEL_PATH={folder}: it needs exactly one .onnx file ({len(models)} there), tokenizer.json and config.json"
            + (f"; missing: {', '.join(missing)}" if missing else "")
        )
    try:
        labels = {int(k): str(v) for k, v in json.loads((folder / "config.json").read_bytes())["id2label"].items()}
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise ValueError(f"NLI_MODEL_PATH={folder}: config.json has no id2label of numbers to names") from error
    digest = hashlib.sha256(models[0].read_bytes()).hexdigest()[:12]
    return CrossEncoder(_session(models[0], folder / "tokenizer.json"), labels, f"onnx/{folder.name}@{digest}")


def _session(model: Path, tokens: Path) -> Logits:
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise ValueError(
            "NLI_MODEL_PATH needs `pip install 'bio-agent-os[nli]'` (onnxruntime and tokenizers)"
        ) from error
    tokenizer = Tokenizer.from_file(str(tokens))
    tokenizer.enable_truncation(MAX_TOKENS)
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    wanted = {i.name for i in session.get_inputs()}
    if isinstance(length := session.get_inputs()[0].shape[-1], int):  # a model made for one length only
        tokenizer.enable_truncation(length)
        tokenizer.enable_padding(length=length)
    lock = threading.Lock()

    def logits(premise: str, hypothesis: str) -> NDArray[np.float64]:
        with lock:
            read = tokenizer.encode(premise, hypothesis)
        inputs = {"input_ids": read.ids, "attention_mask": read.attention_mask, "token_type_ids": read.type_ids}
        fed = {name: np.array([ids], dtype=np.int64) for name, ids in inputs.items() if name in wanted}
        return np.asarray(session.run(None, fed)[0][0], dtype=np.float64)

    return logits
