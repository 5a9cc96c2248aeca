"""The names that people write for the blocks of a data flow."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Literal, NamedTuple

from tutor.text.fold import fold

Kind = Literal["input", "output", "norm", "sublayer", "add", "scale", "other"]

IDENTITY = "Identity"
"""A block that hands on what it gets: the skip connection itself, where somebody names it as a block."""
HIDDEN = "h"
"""A name for what flows along an arrow, such as the sum between attention and FFN."""
DROPOUT = "Dropout"


class Meant(NamedTuple):
    """A block that a name stands for; `tag` tells those of one label apart, as the 2 in `LN2` does."""

    kind: Kind
    label: str
    tag: str = ""


_NAMES: dict[tuple[Kind, str], str] = {
    (
        "input",
        "x",
    ): "x, xl, x l, x k, x t, x i, x in, input, inputs, in, x input, residual stream, stream, đầu vào, vào",
    ("output", "y"): "y, y l, output, outputs, out, x out, x l+1, xl+1, x k+1, result, đầu ra, ra, kết quả",
    ("norm", "Norm"): "norm, normalization, normalisation, normalize, normalise, chuẩn hóa, chuẩn hoá, lớp chuẩn hóa",
    ("norm", "LN"): "ln, layernorm, layer norm, layer normalization, layer normalisation, layernormalization, "
    "ln layer, nn.layernorm, lớp ln, chuẩn hóa lớp, chuẩn hoá lớp, chuẩn hóa theo lớp",
    ("norm", "RMSNorm"): "rmsnorm, rms norm, rms, rn, rms normalization, root mean square norm",
    ("norm", "BatchNorm"): "bn, batchnorm, batch norm, batch normalization, chuẩn hóa lô",
    ("sublayer", "Sublayer"): "sub, sublayer, sublayers, sub layer, subblock, layer, tầng con, lớp con, nhánh, branch",
    ("sublayer", "F"): "f, fl, f l, f k",
    (
        "sublayer",
        "Attention",
    ): "attention, attn, att, self attention, self attn, selfattention, selfattn, mha, mhsa, msa, "
    "sa, multihead, multi head, multi head attention, multihead attention, multi head self attention, "
    "causal attention, causal self attention, masked attention, masked self attention, masked multi head attention, "
    "attention layer, attention sublayer, chú ý, tự chú ý, lớp attention, khối attention",
    ("sublayer", "FFN"): "ffn, ff, ffw, mlp, feed forward, feedforward, feed forward network, feedforward network, "
    "feed forward layer, position wise feed forward, position wise ffn, ffn sublayer, ffn layer, mlp layer, "
    "mạng truyền thẳng, truyền thẳng, lớp ffn, khối ffn",
    ("add", "+"): "+, ⊕, add, adds, added, addition, adding, plus, sum, Σ, ∑, residual add, add residual, "
    "residual addition, residual sum, skip add, add node, cộng, phép cộng, tổng, cộng residual, nút cộng",
    ("scale", "×α"): "α, ×α, alpha, ×alpha",
    ("scale", "×β"): "β, ×β, beta, ×beta",
    ("scale", "×"): "×, scale, scaling, scaled, multiply, mul, nhân, nhân hệ số",
    ("other", DROPOUT): "dropout, drop, drop out",
    ("other", "Embedding"): "embedding, embed",
    ("other", "Linear"): "linear",
    ("other", "QK-Norm"): "qk norm",
    ("other", IDENTITY): "identity, id, skip, skip connection, residual, residual connection, residual path, shortcut, "
    "đường tắt, kết nối tắt, kết nối dư, nhánh tắt",
    ("other", HIDDEN): "h, x', h', z, hidden, hidden state, x mid",
}
_ADD_AND_NORM = (
    "add & norm, add&norm, add and norm, add + norm, add+norm, add/norm, addnorm, add & ln, add & layernorm, "
    "add và norm, cộng và chuẩn hóa, cộng & chuẩn hóa"
)
_KNOWN = {name.casefold(): block for block, names in _NAMES.items() for name in names.split(", ")}
_UNMARKED = {fold(name): block for name, block in _KNOWN.items()} | _KNOWN
_BOTH = {spelling for name in _ADD_AND_NORM.split(", ") for spelling in (name, fold(name))}
_NUMBERED = re.compile(r"(.+?)(?:\s*(?:#|no\.?|số)?\s*\(?(\d{1,2})\)?|\s+([ab]|i{1,3})|('{1,2}))")
_ROLES = {"attn": "1", "attention": "1", "ffn": "2", "mlp": "2", "pre": "1", "post": "2", "in": "1", "out": "2"}
"""What norms are called after where they stand, in the order of a block."""
_NOT_NUMBERED = ("input", "output")


@cache
def meant(name: str) -> tuple[Meant, ...]:
    """The blocks that a name stands for, in the order of the flow; none if it is not known."""
    plain = re.sub(r"[\s_-]+", " ", unicodedata.normalize("NFKC", name.replace("′", "'")).casefold()).strip()
    plain = re.sub(r"[\\{}$]", "", plain).strip()
    if plain in _BOTH:
        return Meant("add", "+"), Meant("norm", "LN")
    if block := _block(plain):
        return (Meant(*block),)
    numbered = _NUMBERED.fullmatch(plain)
    if numbered and (block := _block(numbered[1])):
        kind, label = block
        tag = numbered[2] or numbered[3] or numbered[4]
        return (Meant(kind, label, "" if kind in _NOT_NUMBERED else tag),)
    return _with_role(plain)


def _with_role(plain: str) -> tuple[Meant, ...]:
    """A norm that is named for its place: `attn norm`, `ln ffn`, `pre norm`."""
    first, _, rest = plain.partition(" ")
    before, _, last = plain.rpartition(" ")
    for role, name in ((first, rest), (last, before)):
        block = _block(name)
        if role in _ROLES and block and block[0] == "norm":
            return (Meant(*block, f"~{_ROLES[role]}"),)
    return ()


def _block(plain: str) -> tuple[Kind, str] | None:
    return _KNOWN.get(plain) or _UNMARKED.get(plain) or _UNMARKED.get(fold(plain))
