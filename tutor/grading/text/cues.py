"""The words that structure an answer in either language: negators, contrasts, time, hedges, retractions.

They are matched together with the glossary, the longest phrase first, so `không ổn định` in the glossary is one concept
and not a negation. A cue's name starts with `@`; those without are concepts that any pattern may use.
"""

from __future__ import annotations

from tutor.text import fold

BEFORE, AFTER, THEN, FIRST, LAST, IT = "BEFORE", "AFTER", "THEN", "FIRST", "LAST", "IT"
BUILT_IN = frozenset((BEFORE, AFTER, THEN, FIRST, LAST, IT))

NOT, NOT_ONLY, PREVENT, WITHOUT = "@not", "@not-only", "@prevent", "@without"
UNLESS, OTHERWISE, INSTEAD = "@unless", "@otherwise", "@instead"
UNLIKE, LIKE, THAN, OTHER, FORMER, LATTER = "@unlike", "@like", "@than", "@other", "@former", "@latter"
TOO, DOES = "@too", "@does"
CONTRAST, OTHER_WAY, BECAUSE, AND, STOP, VERB = "@contrast", "@other-way", "@because", "@and", "@stop", "@verb"
RETRACT, HEDGE, SKIP, FUNCTION = "@retract", "@hedge", "@skip", "@function"

_VI: dict[str, str] = {
    NOT: "không | ko | khong | hok | hông | hổng | chẳng | chả | chưa | đừng | không hề | không phải | không phải là "
    "| không còn | không có chuyện",
    INSTEAD: "thay vì | thay cho | chứ không | chứ không phải | chứ ko | chứ ko phải | chứ chẳng | chứ chẳng phải "
    "| chứ đâu | mà không phải | chứ không phải là",
    NOT_ONLY: "không chỉ | không những | không đơn thuần | không chỉ riêng",
    PREVENT: "tránh | ngăn | ngăn chặn | ngăn ngừa | chống | chống lại | giảm | giảm bớt | giảm thiểu | hạn chế "
    "| khắc phục | giải quyết | giải quyết vấn đề | xử lý vấn đề | xử lý việc | xử lý tình trạng "
    "| thay thế | sửa | khỏi | loại bỏ | kìm | kìm hãm | đỡ | bớt | ít | ít bị "
    "| triệt tiêu | mất | làm mất | phá | phá vỡ | phá hỏng | bỏ | hết | không để | không cho | trị | dập tắt",
    WITHOUT: "không có | nếu không có | khi không có | thiếu | nếu thiếu | vắng | mà không có | không nhờ "
    "| nếu bỏ | bỏ đi | nếu không dùng",
    UNLESS: "trừ khi | trừ phi",
    OTHERWISE: "nếu không | nếu không thì | không thì | kẻo | bằng không thì | nếu chẳng",
    UNLIKE: "khác | khác với | khác ở | khác so với | so với | trái với | trái ngược với | không như | không giống "
    "| không giống như | ngược với | khác hẳn",
    LIKE: "như | giống | giống như | giống với | tương tự | tương tự như | như của | như trong | như ở",
    THAN: "hơn | hơn so với | hơn là",
    TOO: "cũng vậy | cũng thế | cũng như vậy | tương tự",
    DOES: "thì có | thì lại có | mới có",
    OTHER: "cái kia | cái còn lại | loại kia | loại còn lại | bên kia | cách kia | cách còn lại | thằng kia",
    FORMER: "cái đầu | cái trước | cái thứ nhất | cái đầu tiên | loại đầu | cách đầu",
    LATTER: "cái sau | cái thứ hai | cái thứ nhì | loại sau | cách sau",
    CONTRAST: "còn | nhưng | tuy nhiên | trong khi | trong khi đó | mặt khác | thì lại | song | tuy | mặc dù | dù | "
    "nhưng mà | còn với | còn ở | đối với",
    OTHER_WAY: "ngược lại | thì ngược lại | làm ngược lại | trái lại",
    BECAUSE: "vì | bởi vì | bởi | tại | tại vì | nên | cho nên | vì vậy | vì thế | do đó | do vậy | vậy nên | để "
    "| nhằm | nhờ đó | nhờ vậy | từ đó | khiến cho | vì nếu",
    AND: "và | với | cùng | cùng với | lẫn",
    STOP: "thì | mà",
    VERB: "tính | dùng | sử dụng | lấy | giữ | làm | nhìn | hoạt động | chạy | đặt | gom | xét | đưa | chia | giúp",
    RETRACT: "à không | ờ không | à mà không | à nhầm | nhầm | nhầm rồi | xin lỗi | ý tôi là | ý mình là | ý em là "
    "| nói lại | nói lại là | thực ra không | thực ra không phải | không đúng rồi | ấy nhầm | ủa không | à quên "
    "| thật ra không | thật ra không phải | khoan | khoan đã",
    HEDGE: "không rõ | không rõ lắm | không chắc | không chắc lắm | không biết | không nhớ | chắc là | chắc | có lẽ "
    "| hình như | hình như là | mình nghĩ | tôi nghĩ | em nghĩ | đoán | đoán là | không hiểu "
    "| có thể là | không nhớ rõ "
    "| chắc vậy | chả biết | chịu | không hiểu lắm | hình như vậy",
    SKIP: "gần không | về không | bằng không | tiến về không | xấp xỉ không | gần bằng không | hay không "
    "| có hay không "
    "| khác không | số không | không gian | không chút nào | được không | phải không | không quá nhiều | không lúc nào",
    FUNCTION: "thì là mà ở của cho từ trong ngoài trên dưới theo khi nếu tại bởi vào ra tới đến này kia đó nào cái con "
    "mỗi mọi từng cả hay hoặc có được bị phải sẽ đã đang rồi mới lại vẫn cũng chỉ rất hơn nhất quanh qua giữa "
    "những các một nhiều ít giúp làm khiến để vì nên do với và cùng riêng chính bằng như nhờ tính dùng nằm trước sau "
    "không còn nhưng giữ đưa đặt nó lên sang lần mình ta",
}

_EN: dict[str, str] = {
    NOT: "not | no | never | neither | no longer | nothing | none | hardly | not any | not a | does not have",
    INSTEAD: "instead of | rather than | as opposed to | in place of | in lieu of",
    NOT_ONLY: "not only | not just | not merely | not simply",
    PREVENT: "prevent | prevents | avoid | stop | stopping | reduce | fix | solve | tackle | mitigate | limit | curb "
    "| eliminate | remove | against | combat | counteract | counter | address | alleviate | suppress "
    "| lessen | minimize "
    "| lose | losing | destroy | ruin | break | less | fewer | cure | tame | undo | dampen "
    "| stop it from | guard against "
    "| too little | get rid of | rid of | lack | lacks | free of | free from | kill | replace | handle | deal with "
    "| cope with | take care of | substitute | correct | takes the place of | undone",
    WITHOUT: "without | if there is no | if there were no | absent | lacking | if you remove | if we remove "
    "| if you drop "
    "| if we skip | if you skip | if not for | if we did not have | if you do not use | if we do not use | if we drop",
    UNLESS: "unless | until",
    OTHERWISE: "otherwise | or else | if not | lest",
    UNLIKE: "unlike | differ from | differs from | different from | compared to | compared with | in contrast to "
    "| in contrast with | contrary to | versus | vs | not like | not as in | as against | distinguish from",
    LIKE: "like | as in | same as | as with | similar to | just like | the way | as does | as do",
    THAN: "than",
    TOO: "so does | so do | as well | too | likewise | does too | does as well",
    DOES: "does | do | does so",
    OTHER: "the other | other one | other",
    FORMER: "former | first one",
    LATTER: "latter | second one",
    CONTRAST: "while | whereas | but | however | yet | on the other hand | though | although | meanwhile | whilst "
    "| in contrast | by contrast | for its part",
    OTHER_WAY: "the other way round | the other way around | other way round | other way around | vice versa "
    "| the opposite | opposite | reverse | the reverse | conversely | reversed | swapped",
    BECAUSE: "because | since | as | so | therefore | hence | thus | so that | in order to | which | that is why "
    "| as a result | due to | because of",
    AND: "and | & | together with | along with",
    VERB: "compute | use | uses | using | work | keep | make | take | look | treat | act | apply | run | put "
    "| hold | see "
    "| calculate | operate",
    RETRACT: "actually no | actually not | actually it | actually wait | wait no | no wait | wait | sorry "
    "| i mean | i meant | correction "
    "| scratch that | let me correct | strike that | oops | on second thought | no actually | rather no | my mistake",
    HEDGE: "not sure | i am not sure | i not sure | i think | i guess | maybe | perhaps | probably | do not know "
    "| i do not know | not certain | i believe | idk | no idea | might | possibly | not entirely sure | dunno "
    "| cannot remember | can not remember | do not remember",
    SKIP: "or not | whether or not | no matter | not to mention",
    FUNCTION: "of in on at by for to from with into onto over across per within inside is are be been was were am "
    "do does "
    "did has have had will would can could should may must and or but so as that which who whose when where why how "
    "what it its they them their this these those there than then if because since while whereas each every all any "
    "one ones more most such other another own same only just not no out up down about around between through "
    "during under above the a an i you we he she my your our not don before after keep make without instead unlike",
}


def phrases() -> list[tuple[str, str, str]]:
    """Every cue as (name, language, phrase)."""
    return [
        (name, lang, phrase.strip())
        for lang, table in (("vi", _VI), ("en", _EN))
        for name, listed in table.items()
        if name != FUNCTION
        for phrase in listed.split("|")
    ]


FUNCTION_WORDS = {"vi": frozenset(_VI[FUNCTION].split()), "en": frozenset(_EN[FUNCTION].split())}
"""Words that hold sentences together, by language; a list of terms has hardly any."""

_MARKED_ONLY = (
    "đừng | khỏi | bỏ | trị | phá | đỡ | dù | tuy | mất | hết | song | nổ | bớt | lẫn | nhằm | chịu | khoan | tới | "
    "lạc | êm | yên | dính | kém | mẻ | kẻo | tắt | cỡ batch"
)
MARKED_ONLY = frozenset(phrase.strip() for phrase in _MARKED_ONLY.split("|"))
"""Phrases that are too often something else when they are typed without their marks: `dung` is dùng before đừng."""

_ALL_KEYS = frozenset(fold.key(word) for word in FUNCTION_WORDS["vi"] | FUNCTION_WORDS["en"])
_ALL_FOLDED = frozenset(fold.fold(word) for word in FUNCTION_WORDS["vi"])


def is_function_word(key: str, *, marked: bool = True) -> bool:
    """Whether the word with this key only connects others; without `marked`, it was typed without its marks."""
    return key in _ALL_KEYS or (not marked and key in _ALL_FOLDED)
