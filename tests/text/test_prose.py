import subprocess
import sys
import unicodedata
from io import StringIO
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tutor.text import prose

LESSON = r"""# Pre-Norm và Post-Norm

Trong **Pre-Norm**, $y = x + \text{Sublayer}(\text{LN}(x))$; gradient đi qua $\prod_{k=l}^{L-1} (I + J_k)$ và
luôn còn hạng tử $I$, dù $\frac{\partial F_l}{\partial x_l}$ nhỏ đến đâu.
$$ \frac{\partial L}{\partial x_l} = \frac{\partial L}{\partial x_L} \prod_{k=l}^{L-1} \left[I + J_k\right] $$
Xem [Xiong et al.](https://arxiv.org/abs/2002.04745) và `normalized_shape`.

| Norm | Trục | Trừ mean |
|---|---|:-:|
| LayerNorm | feature, từng token | có |
| RMSNorm | feature, từng token | không |

- Ý một
  - con, $x_{l+1}$

1. Một
2. Hai

> Trích dẫn.

```python
def forward(self, x):
    return x + self.sub(self.norm(x))
```

$$\text{RMSNorm}(x) = \gamma \cdot \frac{x}{\text{RMS}(x)}, \quad \text{RMS}(x) = \sqrt{\frac{1}{d}\sum_j x_j^2}$$
"""


def lines(markdown: str, width: int = 76) -> list[str]:
    return prose.plain(markdown, width).split("\n")


def ansi(markdown: str, **options: str) -> str:
    out = StringIO()
    Console(file=out, width=76, force_terminal=True, color_system="truecolor").print(prose.render(markdown, **options))
    return out.getvalue()


@pytest.mark.parametrize("width", [40, 76])
def test_a_lesson_stays_within_its_width_and_wastes_no_rows(width: int) -> None:
    shown = lines(LESSON, width)
    assert max(map(cell_len, shown)) <= width
    assert not any(one == two == "" for one, two in pairwise(shown))
    assert shown[0] == "Pre-Norm và Post-Norm"


def test_maths_on_one_row_stands_in_its_sentence() -> None:
    assert lines(r"Với $x_{l+1} = x_l + F_l(x_l)$, ta có *đúng*.") == ["Với xₗ₊₁ = xₗ + Fₗ(xₗ), ta có đúng."]


def test_a_fraction_in_a_sentence_becomes_a_quotient() -> None:
    assert lines(r"vì $\frac{x-\mu}{\sigma}$ là") == ["vì (x - μ)/σ là"]


def test_markdown_does_not_eat_what_maths_is_made_of() -> None:
    assert lines(r"$a_1 * b_2$ và $c_1 * d_2$ và $x_L$, $y_L$") == ["a₁ * b₂ và c₁ * d₂ và x_L, y_L"]


def test_maths_in_emphasis_lists_tables_and_headings() -> None:
    shown = "\n".join(lines("# Về $\\mu$\n\n- **gồm $\\sigma^2$**\n\n| $\\gamma$ |\n|---|\n| $x_l$ |"))
    for char in ("Về μ", "gồm σ²", "γ", "xₗ"):
        assert char in shown


def test_a_formula_in_a_sentence_is_not_broken_between_lines() -> None:
    for width in range(24, 60):
        assert any("y = x + F(x)" in line for line in lines("một hai ba bốn năm sáu $y = x + F(x)$ bảy", width)), width


def test_display_maths_is_drawn_right_below_its_sentence_without_an_empty_line_in_the_source() -> None:
    assert lines("Ta có\n$$ \\frac{a}{b} $$\nvậy.") == ["Ta có", "", "     a", "    ╶─╴", "     b", "", "vậy."]


def test_display_maths_is_drawn_once_between_two_paragraphs() -> None:
    assert "\n".join(lines("một\nhai\n$$x = y$$\nba")).count("x = y") == 1


def test_wide_display_maths_is_broken_not_wrapped() -> None:
    shown = lines(r"$$ aaaaaaaaaaaaaaaa = \frac{1}{2} + bbbbbbbbbbbbbbbbbbbbbb $$", 30)
    assert max(map(cell_len, shown)) <= 30
    assert shown[0] == "  aaaaaaaaaaaaaaaa"
    assert [line.index("╶─╴") for line in shown if "╶─╴" in line] == [6]


def test_display_maths_that_cannot_be_broken_is_written_on_one_row() -> None:
    shown = lines(r"$$ \frac{aaaaaaaaaaaa + bbbbbbbbbbbbbb}{c} $$", 20)
    assert max(map(cell_len, shown)) <= 20
    assert "(aaaaaaaaaaaa+bbbbbbbbbbbbbb)/c" in "".join(shown).replace(" ", "")


def test_maths_that_cannot_be_shown_is_shown_as_its_source() -> None:
    assert lines(r"xem $\undefined{x}$ nhé") == [r"xem \undefined{x} nhé"]
    assert lines("$$\\undefined{x}$$") == [r"  \undefined{x}"]


@pytest.mark.parametrize("text", ["giá \\$5 và \\$6", "giá $5 và $6", "$ 5 $ thôi", "5$ và 6$"])
def test_amounts_are_not_maths(text: str) -> None:
    assert lines(text) == [text.replace("\\", "")]


def test_square_brackets_and_html_are_text() -> None:
    assert lines("[red]đỏ[/red] [@click=app.quit]x[/] <b>đậm</b> a < b") == [
        "[red]đỏ[/red] [@click=app.quit]x[/] <b>đậm</b> a < b"
    ]


def test_links_are_text_and_open_nothing() -> None:
    shown = ansi("[bài](https://arxiv.org/abs/1) và <https://arxiv.org/abs/2> ![ảnh](x.png)")
    assert "\x1b]8" not in shown
    assert "bài (https://arxiv.org/abs/1) và https://arxiv.org/abs/2" in Text.from_ansi(shown).plain


def test_foreign_text_is_sanitised_before_it_is_laid_out() -> None:
    shown = ansi("a\x1b]52;c;ZWNobyBoaQ==\x07b \x1b[2Jc \x9b31md\x00e `\x1bc` $x\x1b[1m$\n\n```\n\x1b]0;t\x07\n```")
    colours_only = Text.from_ansi(shown).plain
    assert not any(ord(char) < 32 and char != "\n" for char in colours_only)
    assert "ZWNobyBoaQ" not in shown
    assert "\x9b" not in shown


def test_code_is_coloured_on_the_background_that_is_there() -> None:
    shown = ansi("```python\ndef f(x): return x\n```\n\nvà `code`", code_theme="ansi_dark")
    assert "\x1b[" in shown
    # Also none that is called default: an app would paint its own idea of that behind the code.
    segments = Console(width=76).render(prose.render("```python\ndef f(x): return x\n```\n\nvà `code`"))
    assert all(segment.style is None or segment.style.bgcolor is None for segment in segments)
    assert ansi("```python\nimport x\n```") != ansi("```text\nimport x\n```")
    assert ansi("```python\nx = 'a' + 1\n```", code_theme="ansi_light") != ansi("```python\nx = 'a' + 1\n```")


def test_code_keeps_its_indentation_and_has_no_frame() -> None:
    assert lines("```python\nif x:\n    y = [1]  # (B, T)\n```") == ["  if x:", "      y = [1]  # (B, T)"]


def test_headings_stand_on_the_left() -> None:
    assert [line for line in lines("# Một\n\n## Hai\n\n### Ba", 40) if line] == ["Một", "Hai", "Ba"]


def test_lists_and_quotes() -> None:
    assert lines("- một\n- hai\n\n1. ba\n2. bốn\n\n> năm") == [
        " • một",
        " • hai",
        "",
        " 1. ba",
        " 2. bốn",
        "",
        "│ năm",
    ]


def test_a_table_has_one_line_and_no_frame() -> None:
    assert lines("| a | bb |\n|---|---:|\n| 1 | 2 |\n| 3 | 4 |") == ["a   bb", "──────", "1    2", "3    4"]


def test_a_table_too_wide_for_its_words_becomes_a_list() -> None:
    table = (
        "| Norm | Subtracts | Parameters |\n|---|---|---|\n| LayerNorm | mean | gamma |\n| RMSNorm | nothing | gamma |"
    )
    assert lines(table, 20) == [
        "Norm: LayerNorm",
        "  Subtracts: mean",
        "  Parameters: gamma",
        "",
        "Norm: RMSNorm",
        "  Subtracts: nothing",
        "  Parameters: gamma",
    ]


def test_it_takes_no_more_width_than_asked_for_or_needed() -> None:
    console = Console(width=80)
    assert console.measure(prose.render("một hai")).maximum == 7
    wide = console.render_lines(prose.render("từ " * 60, width=30), pad=False)
    assert all(sum(cell_len(segment.text) for segment in line) <= 30 for line in wide)


def test_it_stands_beside_other_things_in_a_grid() -> None:
    out = StringIO()
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_row("○", prose.render("một $\\frac ab$"))
    Console(file=out, width=30).print(grid)
    assert out.getvalue().rstrip() == "○ một a/b"


def test_the_same_text_can_be_shown_at_another_width() -> None:
    shown = prose.render("một hai ba bốn năm")
    narrow, wide = (Console(width=width).render_lines(shown, pad=False) for width in (8, 40))
    assert len(narrow) > len(wide) == 1


def test_nothing_heavy_is_imported_before_the_first_text() -> None:
    code = "import sys, tutor.text.prose; print('rich.markdown' in sys.modules, 'texicode' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_the_formulas_of_a_text_can_be_listed() -> None:
    text = "# $a$\n\nvì $b_1$ và `$c$`\n$$ d $$\n\n| $e$ |\n|---|\n| *$f$* |\n\n```\n$g$\n```"
    assert prose.formulas(text) == ("a", "b_1", "d", "e", "f")


@given(st.text(max_size=200) | st.text(alphabet="#*_`$|-> \n\\[]()1.<x{}~", max_size=120), st.integers(1, 80))
def test_any_text_is_shown_within_its_width(markdown: str, width: int) -> None:
    for line in lines(markdown, width):
        assert cell_len(line) <= max(width, 2)
        assert not any(unicodedata.category(char) in ("Cc", "Cf", "Co") for char in line)
