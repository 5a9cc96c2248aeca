"""Frames between the judge and a child: a header in JSON, then raw bytes. Nothing that arrives is ever executed.

    b"NTW1"  uint32 bytes of JSON  uint64 bytes of data  JSON  data

The judge reads what a hostile child may have written: every number is checked before anything is allocated.
"""

from __future__ import annotations

import ctypes
import json
import math
import struct
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

MAGIC = b"NTW1"
HEAD = struct.Struct("<4sIQ")
MOST_JSON = 1 << 20
MOST_DATA = 1 << 28
MOST_VALUES = 1 << 22
"""Values of one output: no input has a quarter of that."""
DTYPES = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "int64": torch.int64,
    "int32": torch.int32,
    "int16": torch.int16,
    "int8": torch.int8,
    "uint8": torch.uint8,
    "bool": torch.bool,
    "complex64": torch.complex64,
    "complex128": torch.complex128,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


class WireError(Exception):
    """What arrived is no frame."""


def frame(header: Mapping[str, Any], tensors: Mapping[str, Tensor] | None = None) -> bytes:
    """A header and tensors as bytes. A tensor travels with its whole storage and its strides."""
    if "tensors" in header:
        raise ValueError("the frame itself says what tensors it has")
    described: dict[str, Any] = {}
    parts: list[bytes] = []
    at = 0
    for name, tensor in (tensors or {}).items():
        data = _bytes(tensor)
        described[name] = {
            "dtype": NAMES[tensor.dtype],
            "shape": list(tensor.shape),
            "stride": list(tensor.stride()),
            "offset": tensor.storage_offset(),
            "at": at,
            "bytes": len(data),
        }
        parts.append(data)
        at += len(data)
    text = json.dumps({**header, "tensors": described}).encode()
    return b"".join((HEAD.pack(MAGIC, len(text), at), text, *parts))


def _bytes(tensor: Tensor) -> bytes:
    storage = tensor.untyped_storage()
    return ctypes.string_at(storage.data_ptr(), storage.nbytes()) if storage.nbytes() else b""


def head(data: bytes) -> tuple[int, int]:
    """The bytes of JSON and of data that follow a head. Raises WireError."""
    magic, text, blob = HEAD.unpack(data)
    if magic != MAGIC or text > MOST_JSON or blob > MOST_DATA:
        raise WireError("not a frame, or too large a one")
    return text, blob


def parse(text: bytes, data: bytes) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The header and the tensors of a frame. Raises WireError for whatever does not fit together."""
    try:
        header = json.loads(text)
        described = header.pop("tensors")
        return header, {str(name): _tensor(part, data) for name, part in described.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, RuntimeError) as error:
        raise WireError(str(error)) from error


def _tensor(part: Mapping[str, Any], data: bytes) -> Tensor:
    dtype = DTYPES[part["dtype"]]
    shape, stride = _sizes(part["shape"]), _sizes(part["stride"])
    offset, at, size = _sizes([part["offset"], part["at"], part["bytes"]])
    if len(shape) != len(stride) or len(shape) > 8 or at + size > len(data) or size % dtype.itemsize:
        raise WireError("the sizes of a tensor do not fit")
    if math.prod(shape) > MOST_DATA or (reached := _reach(shape, stride, offset)) * dtype.itemsize > size:
        raise WireError("a tensor reaches past its data")
    if not reached:
        return torch.empty(shape, dtype=dtype)
    flat = torch.frombuffer(bytearray(data[at : at + size]), dtype=dtype)
    return flat.as_strided(shape, stride, offset)


def _sizes(values: Any) -> list[int]:
    if not isinstance(values, list) or not all(type(value) is int and 0 <= value < 1 << 40 for value in values):
        raise WireError("sizes are whole numbers from 0")
    return values


def _reach(shape: list[int], stride: list[int], offset: int) -> int:
    """How many values of the storage a view needs; 0 for a view of nothing."""
    if 0 in shape:
        return 0
    return offset + 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))


def plain(tensor: Tensor) -> Tensor:
    """A tensor fit to be sent: on the CPU, without gradient, of a dtype that the wire knows, with nothing to spare."""
    tensor = tensor.detach().to("cpu")
    if tensor.dtype not in NAMES:
        tensor = tensor.to(torch.float64)
    return torch.empty(tensor.shape, dtype=tensor.dtype).copy_(tensor)
