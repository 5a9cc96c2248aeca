"""The symbols of LaTeX maths that are shown, as characters that one cell and common terminal fonts hold."""

from __future__ import annotations

from typing import Literal

Kind = Literal["ord", "num", "word", "rel", "bin", "open", "close", "punct", "big", "integral", "limit", "fun", "dots",
               "post", "diff", "slash", "fence", "space"]  # fmt: skip
"""How a symbol is spaced: `big` takes its limits above and below, `integral` beside it, `limit` is a word with limits
below, `fun` a function name, `post` sticks to what it follows, `diff` to what follows it,
`fence` is a whole pair of brackets."""


def _table(kind: Kind, pairs: str) -> dict[str, tuple[str, Kind]]:
    words = pairs.split()
    return {name: (char, kind) for name, char in zip(words[::2], words[1::2], strict=True)}


# ε and φ stand for both of their forms: more fonts have them than ϵ and ϕ.
SYMBOLS: dict[str, tuple[str, Kind]] = {
    **_table("ord", """
        alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ
        mu μ nu ν xi ξ pi π rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω
        Gamma Γ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
        infty ∞ forall ∀ exists ∃ emptyset ∅ varnothing ∅ top ⊤ bot ⊥ ell l hbar ℏ imath ı jmath j angle ∠
        degree ° % % # # & & _ _ $ $ { { } } | ‖ Vert ‖ vert | backslash \\"""),
    **_table("diff", "partial ∂ nabla ∇ Delta Δ"),
    **_table("open", "lbrace { lbrack [ lfloor ⌊ lceil ⌈ langle ⟨ lvert | lVert ‖"),
    **_table("close", "rbrace } rbrack ] rfloor ⌋ rceil ⌉ rangle ⟩ rvert | rVert ‖"),
    **_table("rel", """
        le ≤ leq ≤ leqslant ≤ ge ≥ geq ≥ geqslant ≥ ne ≠ neq ≠ approx ≈ sim ~ simeq ≃ cong ≅ equiv ≡ propto ∝
        ll ≪ gg ≫ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ mid | parallel ∥ perp ⊥
        to → rightarrow → longrightarrow → leftarrow ← gets ← Rightarrow ⇒ implies ⇒ Leftarrow ⇐ iff ⇔
        Leftrightarrow ⇔ leftrightarrow ↔ mapsto ↦ coloneqq := lt < gt >"""),
    **_table("bin", """
        cdot · times × div ÷ pm ± mp ∓ odot ⊙ oplus ⊕ ominus ⊖ otimes ⊗ circ ∘ ast ∗ star ⋆ bullet •
        cap ∩ cup ∪ wedge ∧ land ∧ vee ∨ lor ∨ setminus \\"""),
    **_table("big", "sum ∑ prod ∏ bigcup ∪ bigcap ∩ bigoplus ⊕"),
    **_table("integral", "int ∫ oint ∮ iint ∬"),
    **_table("limit", "lim lim max max min min sup sup inf inf argmax argmax argmin argmin"),
    **_table("dots", "dots … ldots … dotsc … cdots ⋯ dotsb ⋯ dotsm ⋯ vdots ⋮ ddots ⋱"),
    **_table("fun", """
        log log ln ln lg lg exp exp sin sin cos cos tan tan tanh tanh sinh sinh cosh cosh arctan arctan
        det det dim dim ker ker arg arg deg deg gcd gcd Pr Pr mod mod bmod mod"""),
    **_table("post", "prime ′"),
    **_table("punct", "colon :"),
}  # fmt: skip

CHARACTERS: dict[str, Kind] = {
    **dict.fromkeys("+-*", "bin"), **dict.fromkeys("=<>", "rel"), **dict.fromkeys("([", "open"),
    **dict.fromkeys(")]", "close"), **dict.fromkeys(",;", "punct"), ":": "rel", "/": "slash", "~": "space", "!": "post",
    **{char: kind for char, kind in SYMBOLS.values() if len(char) == 1 and not char.isascii()},
}  # fmt: skip
"""How characters that stand for themselves are spaced; letters and the rest are `ord`."""

VARIANTS = str.maketrans("ϵϕ−⋅∙∼", "εφ-··~")
"""Characters typed into a formula that are the same symbol as another that more fonts have."""

SPACES = {",": " ", ":": " ", ";": " ", ">": " ", " ": " ", "!": "", "quad": "  ", "qquad": "    ",
          "thinspace": " ", "enspace": " "}  # fmt: skip

IGNORED = {"displaystyle", "textstyle", "scriptstyle", "scriptscriptstyle", "limits", "nolimits", "nonumber", "notag"}

ACCENTS = {"hat": "\u0302", "widehat": "\u0302", "bar": "\u0304", "overline": "\u0304", "tilde": "\u0303",
           "widetilde": "\u0303", "dot": "\u0307", "ddot": "\u0308", "vec": "\u20d7"}  # fmt: skip

NEGATED = {"=": "≠", "∈": "∉", "≡": "≢", "⊂": "⊄", "<": "≮", ">": "≯", "≈": "≉"}

DELIMITERS = {"(": "(", ")": ")", "[": "[", "]": "]", "{": "{", "}": "}", "|": "|", ".": "", "/": "/", "<": "⟨",
              ">": "⟩", "lbrace": "{", "rbrace": "}", "lbrack": "[", "rbrack": "]", "lvert": "|", "rvert": "|",
              "vert": "|", "lVert": "‖", "rVert": "‖", "Vert": "‖", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈",
              "rceil": "⌉", "langle": "⟨", "rangle": "⟩"}  # fmt: skip
"""What may follow `\\left`, `\\right` and `\\big`; the empty one is `.`."""

GRIDS = {"aligned", "align", "split", "gathered", "cases", "matrix", "pmatrix", "bmatrix", "vmatrix", "array"}

SUPERSCRIPTS = dict(zip("0123456789+-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVW⊤ ",
                        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵀ ", strict=True))  # fmt: skip
SUBSCRIPTS = dict(zip("0123456789+-=()aehijklmnoprstuvx ", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ ", strict=True))
"""Only what DejaVu Sans Mono has; Unicode has no other subscript letters worth showing."""
