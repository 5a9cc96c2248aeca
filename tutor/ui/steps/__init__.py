"""How each kind of step looks and what its keys do: one module a kind."""

from __future__ import annotations

from tutor.course.model import (
    AnyStep,
    BreakStep,
    CellStep,
    ChoiceStep,
    ClaimStep,
    ExerciseStep,
    FlowStep,
    FormulaStep,
    MultiStep,
    NumberStep,
    OrderStep,
    PredictStep,
    ShortStep,
)
from tutor.course.vary import instance
from tutor.ui.steps.base import StepView
from tutor.ui.steps.cell import CellView
from tutor.ui.steps.choice import ChoiceView
from tutor.ui.steps.claim import ClaimView
from tutor.ui.steps.code import CodeView
from tutor.ui.steps.flow import FlowView
from tutor.ui.steps.formula import FormulaView
from tutor.ui.steps.multi import MultiView
from tutor.ui.steps.number import NumberView
from tutor.ui.steps.order import OrderView
from tutor.ui.steps.predict import PredictView
from tutor.ui.steps.predict_curve import CurveView
from tutor.ui.steps.short import ShortView
from tutor.ui.steps.text import TextView
from tutor.ui.study import Study


def view(step: AnyStep, study: Study) -> StepView:
    """The widget that shows `step` as it was put, with the figures that its texts quote."""
    step = instance(study.figures.filled(step), study.state(step).seed)
    match step:
        case CellStep():
            return CellView(step, study)
        case ClaimStep():
            return ClaimView(step, study)
        case ExerciseStep() | BreakStep():
            return CodeView(step, study)
        case ChoiceStep():
            return ChoiceView(step, study)
        case FlowStep():
            return FlowView(step, study)
        case FormulaStep():
            return FormulaView(step, study)
        case MultiStep():
            return MultiView(step, study)
        case OrderStep():
            return OrderView(step, study)
        case NumberStep():
            return NumberView(step, study)
        case PredictStep():
            return CurveView(step, study) if step.ask.curve is not None else PredictView(step, study)
        case ShortStep():
            return ShortView(step, study)
        case _:
            return TextView(step, study)
