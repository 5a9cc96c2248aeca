"""The experiments on the norms themselves and the numbers in them: parameters, views and axes. Needs no torch."""

from __future__ import annotations

from kernels.lab.catalogue_parameters import (
    LARGE,
    SEED,
    VAST,
    integer,
    integers,
    name,
    names,
    real,
    seeds,
    width,
)
from kernels.lab.spec import Experiment, Reach, ViewSpec
from kernels.lab.words import Words

EXPERIMENTS = (
    Experiment(
        name="batch-size",
        about=Words(
            "How much one sample's output owes to its batch, BatchNorm against LayerNorm; training against evaluation.",
            "Output của một mẫu phụ thuộc batch đến đâu, BatchNorm so với LayerNorm; lúc train so với lúc eval.",
        ),
        views=(
            ViewSpec("noise", Words("noise of one sample's output", "độ dao động của output một mẫu"), log_y=True),
            ViewSpec("train-eval", Words("training against evaluation", "lúc train so với lúc eval"), log_y=True),
        ),
        own=(
            integers("batch", (2, 4, 8, 16, 32, 64, 128, 256), 2, 4096, Words("batch sizes", "các batch size")),
            width(64),
            integer("repeats", 200, 10, 10_000, (50, 100, 200, 500), Words("batches of each size", "số batch mỗi cỡ")),
            seeds(3),
            SEED,
        ),
        function="kernels.lab.batch:batch_size",
        names=lambda _values: ("BatchNorm",),
        reach=lambda values: Reach(
            min(values["batch"]), max(values["batch"]), Words("batch size B", "batch size B"), log=True
        ),
    ),
    Experiment(
        name="mean-shift",
        about=Words(
            "How far RMSNorm is from LayerNorm as a row's mean grows against its spread, beside the formula.",
            "RMSNorm lệch LayerNorm bao nhiêu khi mean của hàng lớn dần so với độ lệch chuẩn, cạnh công thức.",
        ),
        views=(
            ViewSpec("difference", Words("relative difference", "chênh lệch tương đối"), log_y=True, factors=LARGE),
        ),
        own=(
            integer(
                "d_model",
                4096,
                2,
                1_048_576,
                (64, 256, 1024, 4096, 16384),
                Words("values in a row", "số giá trị mỗi hàng"),
            ),
            integer("rows", 64, 1, 4096, (1, 16, 64, 256), Words("rows", "số hàng")),
            name("dtype", "fp64", ("fp64", "fp32", "bf16", "fp16"), Words("number format", "kiểu số")),
            SEED,
        ),
        function="kernels.lab.arithmetic:mean_shift",
        names=lambda _values: ("measured",),
        reach=lambda _values: Reach(0.01, 10, Words("mean / std", "mean / std"), log=True),
    ),
    Experiment(
        name="precision",
        about=Words(
            "The error of each algorithm for the variance, as the mean grows against the spread and as the row grows.",
            "Sai số của từng thuật toán tính variance, khi mean lớn dần so với độ lệch chuẩn và khi hàng dài ra.",
        ),
        views=(
            ViewSpec(
                "ratio",
                Words(
                    "relative error of the variance over mean / std", "sai số tương đối của variance theo mean / std"
                ),
                log_y=True,
                factors=VAST,
            ),
            ViewSpec(
                "size",
                Words(
                    "relative error of the variance over the row's length",
                    "sai số tương đối của variance theo độ dài hàng",
                ),
                log_y=True,
                factors=LARGE,
            ),
        ),
        own=(
            names(
                "algorithm",
                ("squares", "two-pass", "welford", "chan"),
                ("squares", "pairwise", "shifted", "two-pass", "welford", "chan"),
                Words(
                    "algorithms; squares and pairwise are E[x²] − E[x]², added one by one and in halves",
                    "thuật toán; squares và pairwise là E[x²] − E[x]², cộng từng số một và cộng theo nửa",
                ),
            ),
            names("dtype", ("fp32",), ("fp64", "fp32", "bf16", "fp16"), Words("number formats", "các kiểu số")),
            integer("columns", 1024, 2, 8192, (64, 256, 1024, 4096), Words("values in a row", "số giá trị mỗi hàng")),
            real(
                "ratio",
                1e4,
                0.0,
                1e6,
                (1.0, 1e2, 1e3, 1e4, 1e5),
                Words("mean / std of the rows whose length grows", "mean / std của các hàng dài dần"),
            ),
            real("std", 1.0, 1e-6, 1e6, (1e-3, 1e-2, 0.1, 1.0, 10.0), Words("standard deviation", "độ lệch chuẩn")),
            seeds(1),
            SEED,
        ),
        function="kernels.lab.arithmetic:precision",
        names=lambda values: tuple(
            name if len(values["dtype"]) == 1 else f"{name} {dtype}"
            for dtype in values["dtype"]
            for name in values["algorithm"]
        ),
        reach=lambda values: (
            Reach(16, 8192, Words("values in the row", "số giá trị của hàng"), log=True)
            if values.get("of") == "size"
            else Reach(1, 1e5, Words("mean / std", "mean / std"), log=True)
        ),
    ),
    Experiment(
        name="traffic",
        about=Words(
            "Bytes that an addition and a norm move, op by op and fused; on a GPU also time and bandwidth.",
            "Số byte mà phép cộng và norm phải chuyển, tính từng phép và fused; có GPU thì cả thời gian và băng thông.",
        ),
        views=(
            ViewSpec("bytes", Words("megabytes moved", "số megabyte phải chuyển")),
            ViewSpec("time", Words("microseconds", "micro giây"), log_y=True),
            ViewSpec("bandwidth", Words("GB/s", "GB/s")),
        ),
        own=(
            name("norm", "layer", ("layer", "rms"), Words("the norm", "loại norm")),
            name("direction", "forward", ("forward", "backward"), Words("which pass", "chiều tính")),
            integers(
                "columns",
                (512, 1024, 2048, 4096, 8192, 16384),
                16,
                65536,
                Words("widths of a row", "các độ rộng của hàng"),
            ),
            integer(
                "elements",
                2**24,
                2**12,
                2**28,
                (2**20, 2**22, 2**24, 2**26),
                Words("elements of the matrix, rows times columns", "số phần tử của ma trận, hàng nhân cột"),
            ),
            name("dtype", "bf16", ("fp32", "bf16", "fp16"), Words("number format", "kiểu số")),
        ),
        function="kernels.lab.traffic:traffic",
        names=lambda _values: ("op by op", "add, norm", "fused"),
        reach=lambda values: Reach(
            min(values["columns"]), max(values["columns"]), Words("columns", "số cột"), log=True
        ),
    ),
    Experiment(
        name="half-sums",
        about=Words(
            "A sum added one value at a time and rounded each time, in each number format.",
            "Tổng cộng từng giá trị một, mỗi lần đều làm tròn, ở từng kiểu số.",
        ),
        views=(
            ViewSpec("ones", Words("sum of ones", "tổng của các số 1")),
            ViewSpec("squares", Words("sum of squares of normal values", "tổng bình phương các giá trị chuẩn")),
        ),
        own=(
            names(
                "dtype",
                ("fp32", "fp16", "bf16"),
                ("fp64", "fp32", "bf16", "fp16"),
                Words("number formats", "các kiểu số"),
            ),
            integer(
                "count", 8192, 64, 131_072, (1024, 4096, 8192, 16384), Words("values to add", "số giá trị phải cộng")
            ),
            SEED,
        ),
        function="kernels.lab.arithmetic:half_sums",
        reach=lambda values: Reach(0, values["count"], Words("values added", "số giá trị đã cộng")),
    ),
)
