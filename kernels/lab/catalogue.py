"""All experiments by name. Needs no torch."""

from __future__ import annotations

from kernels.lab import catalogue_depth, catalogue_numbers, catalogue_training
from kernels.lab.spec import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for catalogue in (catalogue_depth, catalogue_training, catalogue_numbers)
    for experiment in catalogue.EXPERIMENTS
}
