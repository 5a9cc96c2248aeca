"""Rich's Markdown with maths, and laid out for reading in 80 columns: headings on the left, no boxes, no backgrounds.

Imported on first use only, by `prose`: Rich's Markdown takes a quarter of a second to import.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Literal, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.dollarmath.index import math_block_dollar
from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.markdown import (
    BlockQuote,
    CodeBlock,
    Heading,
    HorizontalRule,
    ListItem,
    Markdown,
    MarkdownContext,
    MarkdownElement,
    TableElement,
    TextElement,
)
from rich.measure import Measurement
from rich.padding import Padding
from rich.rule import Rule
from rich.segment import Segment
from rich.style import Style
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text, TextType
from rich.theme import Theme

from tutor.text import maths
from tutor.text.aloud import aloud

# A space that no line is broken at; private, so that it cannot come with the text, and a cell wide.
_JOIN = "\ue000"
_LONGEST_UNBROKEN = 32

# No colours but one: text has to be read on every background, and `cyan` is the terminal's or the theme's own.
_STYLES = Theme(
    {
        "markdown.h1": Style(bold=True),
        "markdown.h2": Style(bold=True),
        "markdown.h3": Style(bold=True),
        "markdown.h4": Style(bold=True, dim=True),
        "markdown.code": Style(color="cyan"),
        "markdown.code_block": Style(),
        "markdown.block_quote": Style(),
        "markdown.item.bullet": Style(dim=True),
        "markdown.item.number": Style(dim=True),
        "markdown.table.border": Style(dim=True),
        "markdown.table.header": Style(bold=True),
    },
    inherit=True,
)


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"]).disable("image")
    # Amounts such as $5 are no maths: none begins or ends with a space or beside a digit.
    dollarmath_plugin(parser, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
    # The plugin wants an empty line above $$; authors write it right below the sentence that leads to it.
    parser.block.ruler.at("math_block", _display_maths, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    return parser


def _display_maths(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    known, line = len(state.tokens), state.line
    found = _DISPLAY_RULE(state, start, end, silent)
    if found and silent:
        # Asked only whether a paragraph ends here; the plugin answers with a token all the same.
        del state.tokens[known:]
        state.line = line
    return found


_DISPLAY_RULE = math_block_dollar(allow_labels=False)


_PARSER = _parser()


class Piece(NamedTuple):
    """A run of text or a formula, with its line (1-based) in the Markdown that it comes from."""

    kind: Literal["text", "inline", "display"]
    content: str
    line: int


def pieces(markdown: str) -> Iterator[Piece]:
    """The text and the formulas of a Markdown text, in order and without its code, for whoever checks a course."""
    for token in _PARSER.parse(markdown):
        line = token.map[0] + 1 if token.map else 1
        if token.type == "math_block":
            yield Piece("display", token.content, line)
        for child in token.children or ():
            if child.type == "text":
                yield Piece("text", child.content, line)
            elif child.type in ("math_inline", "math_inline_double"):
                yield Piece("inline", child.content, line)
            line += (child.type in ("softbreak", "hardbreak")) + child.content.count("\n")


class Document:
    """A text as a Rich renderable. The lines of the last width are kept: a screen measures before it draws."""

    def __init__(self, markdown: str, width: int | None, code_theme: str) -> None:
        self._markdown = _Markdown(markdown, code_theme)
        self._width = width
        self._drawn: tuple[int, list[list[Segment]]] | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The lines, each ended by a line break."""
        for line in self._lines(console, options):
            yield from line
            yield Segment.line()

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """As wide as its longest line."""
        lines = self._lines(console, options)
        longest = max((cell_len("".join(segment.text for segment in line).rstrip()) for line in lines), default=0)
        return Measurement(min(longest, 12), longest)

    def _lines(self, console: Console, options: ConsoleOptions) -> list[list[Segment]]:
        width = min(self._width or options.max_width, options.max_width)
        if self._drawn is None or self._drawn[0] != width:
            with console.use_theme(_STYLES):
                lines = console.render_lines(self._markdown, options.update(width=width, height=None), pad=False)
            lines = [[Segment(text.replace(_JOIN, " "), style) for text, style, _ in line] for line in lines]
            # Rich puts an empty line above a list or a table, also where nothing stands before it.
            inked = [index for index, line in enumerate(lines) if any(segment.text.strip() for segment in line)]
            self._drawn = width, lines[inked[0] : inked[-1] + 1] if inked else []
        return self._drawn[1]


class _Heading(Heading):
    LEVEL_ALIGN: ClassVar = dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "left")


class _Code(CodeBlock):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        syntax = Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True)
        yield _indented(syntax, 2, options)


class _Quote(BlockQuote):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        inner = options.update(width=max(1, options.max_width - 2))
        for line in console.render_lines(self.elements, inner, style=self.style, pad=False):
            yield Segment("│ ", Style(dim=True))
            yield from line
            yield Segment.line()


class _Item(ListItem):
    def render_number(self, console: Console, options: ConsoleOptions, number: int, last_number: int) -> RenderResult:
        margin = len(str(last_number - 1)) + 3
        inner = options.update(width=max(1, options.max_width - margin))
        for index, line in enumerate(console.render_lines(self.elements, inner, style=self.style, pad=False)):
            head = f"{number}. ".rjust(margin) if index == 0 else " " * margin
            yield Segment(head, console.get_style("markdown.item.number"))
            yield from line
            yield Segment.line()


class _Ruler(HorizontalRule):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Rule(style="dim", characters="─")


class _Table(TableElement):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        head = [cell.content for cell in self.header.row.cells] if self.header and self.header.row else []
        rows = [[cell.content for cell in row.cells] for row in self.body.rows] if self.body else []
        table = Table(box=box.SIMPLE_HEAD, style="markdown.table.border", show_edge=False, pad_edge=False)
        for title in head:
            table.add_column(title, justify=title.justify or "left", header_style="markdown.table.header")
        for row in rows:
            table.add_row(*row)
        fits = Measurement.get(console, options.update(width=10_000), table).minimum <= options.max_width
        if fits and not aloud():
            yield table
        else:
            yield from self._records(head, rows)

    def _records(self, head: list[Text], rows: list[list[Text]]) -> Iterator[RenderableType]:
        """One block a row, where the columns would break words, and for a reader, who hears no columns."""
        for index, row in enumerate(rows):
            if index:
                yield Text()
            for number, (title, cell) in enumerate(zip(head, row, strict=False)):
                label = Text("  " if number else "", justify="left")
                if title.plain:
                    label.append_text(title).append(": ")
                label.stylize("markdown.table.header")
                yield label.append_text(cell)


class _Formula(TextElement):
    """Display maths: indented, broken between its parts where it is too wide, on one row where even those are."""

    def on_enter(self, context: MarkdownContext) -> None:  # noqa: ARG002
        self.text = Text()

    def on_text(self, context: MarkdownContext, text: TextType) -> None:  # noqa: ARG002
        self.text.append(text)

    def on_leave(self, context: MarkdownContext) -> None:
        """No style was entered."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        source = self.text.plain.strip()
        try:
            if aloud():
                from tutor.text.spoken_maths import say

                yield Text(say(source), overflow="fold")
                return
            rows = maths.render(source)
        except maths.MathsError:
            yield _indented(Text(" ".join(source.split()), "markdown.code", overflow="fold"), 2, options)
            return
        indent = next((indent for indent in (4, 2, 0) if indent + cell_len(rows[0]) <= options.max_width), None)
        broken = rows if indent is not None else maths.fit(source, options.max_width - 2)
        if broken is None:
            yield _indented(Text(maths.on_one_row(source), overflow="fold"), 2, options)
        else:
            shown = Text("\n".join(broken), no_wrap=True, overflow="ignore")
            yield _indented(shown, 2 if indent is None else indent, options)


class _Markdown(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _Code,
        "code_block": _Code,
        "blockquote_open": _Quote,
        "hr": _Ruler,
        "list_item_open": _Item,
        "table_open": _Table,
        "math_block": _Formula,
    }

    def __init__(self, source: str, code_theme: str) -> None:
        super().__init__("", code_theme=code_theme, hyperlinks=False)
        self.parsed = list(_prepared(_PARSER.parse(source)))


def _indented(content: RenderableType, indent: int, options: ConsoleOptions) -> RenderableType:
    return Padding(content, (0, 0, 0, indent if options.max_width > 3 * indent else 0))


def _prepared(tokens: Iterable[Token]) -> Iterator[Token]:
    """The tokens with inline maths and links turned into text, which Rich shows as it is."""
    targets: list[tuple[str, str]] = []
    shown = ""
    for token in tokens:
        if token.children:
            token.children = list(_prepared(token.children))
        if token.type in ("math_inline", "math_inline_double"):
            token = _inline_maths(token.content)
        elif token.type == "link_open":
            targets.append((str(token.attrs.get("href", "")), shown))
            continue
        elif token.type == "link_close":
            href, before = targets.pop()
            text = shown.removeprefix(before)
            if not href or text in (href, href.removeprefix("mailto:")):
                continue
            token = Token("text", "", 0, content=f" ({href})")
        shown += token.content
        yield token


def _inline_maths(source: str) -> Token:
    try:
        if aloud():
            from tutor.text.spoken_maths import say

            return Token("text", "", 0, content=say(source))
        shown = maths.on_one_row(source)
    except maths.MathsError:
        return Token("code_inline", "code", 0, content=source)
    if len(shown) <= _LONGEST_UNBROKEN:
        shown = shown.replace(" ", _JOIN)
    return Token("text", "", 0, content=shown)


def formulas(source: str) -> tuple[str, ...]:
    """The LaTeX of every formula in a Markdown text, in order."""
    tokens = [child for token in _PARSER.parse(source) for child in (token.children or [token])]
    return tuple(token.content.strip() for token in tokens if token.type.startswith("math_"))
