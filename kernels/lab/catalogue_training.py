"""The experiments on training runs: parameters, views and axes. Needs no torch."""

from __future__ import annotations

from kernels.lab.catalogue_parameters import (
    INIT,
    NORM,
    SEED,
    archs,
    floats,
    integer,
    integers,
    name,
    names,
    real,
    seeds,
    too_large,
    width,
)
from kernels.lab.spec import Experiment, Reach, ViewSpec
from kernels.lab.words import Words

EXPERIMENTS = (
    Experiment(
        name="warmup",
        about=Words(
            "Trains a small character-level language model with and without warm-up: loss and gradient norm by step.",
            "Train một language model nhỏ theo ký tự, có và không có warm-up: loss và norm của gradient theo bước.",
        ),
        views=(
            ViewSpec(
                "loss", Words("cross entropy of the next character, nats", "cross entropy của ký tự kế tiếp, nat")
            ),
            ViewSpec("gradient", Words("norm of all gradients", "norm của toàn bộ gradient"), log_y=True),
        ),
        own=(
            archs("post", "pre"),
            integers("warmup", (0, 120), 0, 10_000, Words("steps of warm-up", "số bước warm-up")),
            floats("lr", (2e-3,), 1e-6, 1.0, Words("peak learning rates", "learning rate tối đa")),
            integer("depth", 6, 1, 96, (2, 4, 6, 8, 12, 18, 24), Words("number of blocks", "số block")),
            width(64),
            integer("tokens", 16, 2, 256, (8, 16, 32, 64), Words("tokens in a sequence", "số token mỗi chuỗi")),
            integer("batch", 16, 1, 512, (4, 8, 16, 32, 64), Words("sequences in a batch", "số chuỗi mỗi batch")),
            integer(
                "steps", 240, 20, 20_000, (120, 240, 300, 400, 600, 1000), Words("training steps", "số bước train")
            ),
            INIT,
            NORM,
            seeds(1),
            SEED,
        ),
        function="kernels.lab.warmup:warmup",
        names=lambda values: tuple(
            f"{arch}, warm-up {warm}" + (f", lr {lr:g}" if len(values["lr"]) > 1 else "")
            for arch in values["arch"]
            for warm in values["warmup"]
            for lr in values["lr"]
        ),
        reach=lambda values: Reach(1, values["steps"], Words("step", "bước")),
        refuse=too_large,
    ),
    Experiment(
        name="degradation",
        about=Words(
            "Trains plain and residual nets of growing depth on the same small data: the training error.",
            "Train mạng thường và mạng residual ngày càng sâu trên cùng một dữ liệu nhỏ: sai số train.",
        ),
        views=(
            ViewSpec("error", Words("training error", "sai số train")),
            ViewSpec("loss", Words("training loss, nats", "loss khi train, nat"), log_y=True),
        ),
        own=(
            names("net", ("plain", "residual"), ("plain", "residual"), Words("kinds of nets", "loại mạng")),
            integers(
                "depths", (2, 4, 8, 16, 32, 48), 2, 256, Words("numbers of layers, even", "số tầng, chẵn"), multiple=2
            ),
            integer("width", 16, 4, 512, (16, 32, 64, 128), Words("width of a layer", "độ rộng mỗi tầng")),
            name(
                "norm", "batch", ("none", "batch", "layer"), Words("norm after each linear map", "norm sau mỗi Linear")
            ),
            integer("steps", 150, 10, 20_000, (100, 150, 200, 300, 600), Words("training steps", "số bước train")),
            real(
                "lr",
                1e-3,
                1e-6,
                1.0,
                (1e-4, 3e-4, 1e-3, 3e-3, 1e-2),
                Words("learning rate of Adam", "learning rate của Adam"),
            ),
            seeds(1),
            SEED,
        ),
        function="kernels.lab.degradation:degradation",
        reach=lambda values: Reach(min(values["depths"]), max(values["depths"]), Words("layers", "số tầng"), log=True),
    ),
)
