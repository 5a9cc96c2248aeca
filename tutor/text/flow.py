"""Data flows such as `x -> LN -> Sub -> +; x -> + -> y`: read from text, drawn with box characters."""

from tutor.text.flow_drawing import draw, side_by_side
from tutor.text.flow_names import Kind
from tutor.text.flow_syntax import Flow, FlowCircleError, FlowError, Node, parse

__all__ = ["Flow", "FlowCircleError", "FlowError", "Kind", "Node", "draw", "parse", "side_by_side"]
