"""The experiments on stacks at initialisation: parameters, views and axes. Needs no torch."""

from __future__ import annotations

from kernels.lab.catalogue_parameters import (
    DEPTH,
    DTYPE,
    FINAL_NORM,
    INIT,
    LARGE,
    NORM,
    SEED,
    VAST,
    archs,
    arriving,
    blocks,
    integer,
    integers,
    layers,
    name,
    real,
    seeds,
    too_large,
    width,
)
from kernels.lab.spec import Experiment, Reach, ViewSpec
from kernels.lab.words import Words

EXPERIMENTS = (
    Experiment(
        name="gradient-norms",
        about=Words(
            "The norm of the loss gradient at each layer, at initialisation: vanishing, exploding or level.",
            "Norm của gradient ở từng tầng, lúc khởi tạo: biến mất, bùng nổ hay giữ mức.",
        ),
        views=(
            ViewSpec(
                "activations",
                Words("gradient norm of the hidden state", "norm của gradient theo hidden state"),
                log_y=True,
                factors=VAST,
            ),
            ViewSpec("weights", Words("gradient norm of W2", "norm của gradient theo W2"), log_y=True, factors=VAST),
        ),
        own=(archs("plain", "post", "pre"), DEPTH, width(), INIT, NORM, FINAL_NORM, DTYPE, seeds(1), SEED),
        function="kernels.lab.depth:gradient_norms",
        reach=lambda values: arriving(blocks(values) if values.get("of") == "weights" else layers(values)),
        refuse=too_large,
    ),
    Experiment(
        name="hidden-variance",
        about=Words(
            "The variance, the RMS and the mean of the hidden state after each layer, at initialisation.",
            "Variance, RMS và mean của hidden state sau từng tầng, lúc khởi tạo.",
        ),
        views=(
            ViewSpec(
                "variance",
                Words("variance of the hidden state", "variance của hidden state"),
                log_y=True,
                factors=LARGE,
            ),
            ViewSpec("rms", Words("RMS of the hidden state", "RMS của hidden state"), log_y=True, factors=LARGE),
            ViewSpec("mean", Words("mean of a token / RMS", "mean của một token / RMS"), factors=VAST),
        ),
        own=(archs("post", "pre"), DEPTH, width(), INIT, NORM, DTYPE, seeds(1), SEED),
        function="kernels.lab.depth:hidden_variance",
        reach=layers,
        refuse=too_large,
    ),
    Experiment(
        name="last-layer",
        about=Words(
            "The last layer's gradient against the number of blocks, beside 1/√L.",
            "Gradient của tầng cuối theo số block, bên cạnh 1/√L.",
        ),
        views=(
            ViewSpec(
                "relative",
                Words(
                    "last layer's gradient, relative to the least depth", "gradient tầng cuối, so với độ sâu nhỏ nhất"
                ),
                log_y=True,
            ),
            ViewSpec("norm", Words("last layer's gradient norm of W2", "norm gradient W2 của tầng cuối"), log_y=True),
        ),
        own=(
            archs("post", "pre", "deepnorm"),
            integers("depths", (6, 12, 24, 48), 1, 192, Words("numbers of blocks", "các số block")),
            width(),
            INIT,
            NORM,
            FINAL_NORM,
            seeds(4),
            SEED,
        ),
        function="kernels.lab.depth:last_layer",
        reach=lambda values: Reach(min(values["depths"]), max(values["depths"]), Words("blocks", "số block"), log=True),
        refuse=too_large,
    ),
    Experiment(
        name="update-ratio",
        about=Words(
            "The size of the first update against the size of the weight, at each layer.",
            "Độ lớn của bước cập nhật đầu tiên so với trọng số, ở từng tầng.",
        ),
        views=(
            ViewSpec(
                "ratio",
                Words("update / weight of W2, first step", "cập nhật / trọng số của W2, bước đầu"),
                log_y=True,
                factors=VAST,
            ),
        ),
        own=(
            archs("post", "pre"),
            DEPTH,
            width(),
            INIT,
            NORM,
            name("optimizer", "sgd", ("sgd", "adam"), Words("the optimizer", "optimizer")),
            real("lr", 1e-2, 1e-6, 10.0, (1e-4, 1e-3, 1e-2, 0.1), Words("learning rate", "learning rate")),
            seeds(1),
            SEED,
        ),
        function="kernels.lab.depth:update_ratio",
        reach=lambda values: arriving(blocks(values)),
        refuse=too_large,
    ),
    Experiment(
        name="singular-values",
        about=Words(
            "The singular values of one block's Jacobian at one token.",
            "Giá trị suy biến của Jacobian của một block tại một token.",
        ),
        views=(ViewSpec("values", Words("singular value", "giá trị suy biến"), log_y=True, factors=VAST),),
        own=(
            archs("plain", "residual", "post", "pre"),
            integer("layer", 1, 1, 96, (1, 6, 12, 24, 48), Words("which block", "block thứ mấy")),
            width(),
            INIT,
            NORM,
            seeds(1),
            SEED,
        ),
        function="kernels.lab.depth:singular_values",
        reach=lambda values: Reach(1, values["d_model"], Words("rank", "thứ tự")),
        refuse=too_large,
    ),
)
