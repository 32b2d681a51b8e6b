"""Folded texts, compared with written examples and with the tables of Unicode."""

import unicodedata

import pytest

from eventapi.storage.folding import expression, fold, letters, natural_key


@pytest.mark.parametrize(
    "text, folded",
    [
        ("Straße", "strasse"),
        ("STRASSE", "strasse"),
        ("GROẞ", "gross"),
        ("Müller", "muller"),
        ("Mu\u0308ller", "muller"),
        ("Łódź", "lodz"),
        ("Øresund", "oresund"),
        ("Œuvre", "oeuvre"),
        ("Ærø", "aero"),
        ("Đuro", "duro"),
        ("ﬁn", "fin"),
        ("Þingvellir", "thingvellir"),
        ("Guðmundur", "gudmundur"),
        ("ISPARTA", "isparta"),
        ("ısparta", "isparta"),
        ("İzmir", "izmir"),
        ("Ħamrun", "hamrun"),
        ("ŋ", "n"),
        ("Ŧ", "t"),
        ("Ñandú", "nandu"),
        ("Çelik", "celik"),
        ("Ελλάς", "ελλασ"),
        ("ΕΛΛΑΣ", "ελλασ"),
        ("Ёлка", "елка"),
        ("\uff26ull", "full"),
        ("№ 1", "no 1"),
        ("  two \u00a0 words ", "two words"),
        ("", ""),
        (None, None),
        ("Rosen & Co.", "rosen & co."),
        ("ガラス", "ガラス"),
        ("कि", "कि"),
        ("한국", "한국"),
    ],
)
def test_a_text_is_folded(text, folded):
    assert fold(text) == folded


def test_every_character_folds_alike_in_all_its_forms():
    """Upper case, decomposed, compatibility form and the folded text itself all fold to the same
    text.
    """
    for code in (*range(0x3100), *range(0xF900, 0x10000), *range(0x1D400, 0x1D800)):
        letter = chr(code)
        forms = {
            fold(letter),
            fold(fold(letter)),
            fold(letter.upper()),
            *(fold(unicodedata.normalize(form, letter)) for form in ("NFD", "NFC", "NFKC", "NFKD")),
        }
        assert len(forms) == 1, (hex(code), forms)


def test_no_latin_letter_keeps_an_accent():
    """Letters whose name says LETTER O WITH ... fold to that letter, as far as European languages
    use them.
    """
    for code in range(0x250):
        words = unicodedata.name(chr(code), "").split()
        accented = (
            words[:1] == ["LATIN"]
            and "WITH" in words
            and words[2] == "LETTER"
            and len(words[3]) == 1
        )
        if accented and not {
            "HOOK",
            "TOPBAR",
            "LEG",
            "TAIL",
            "CURL",
            "SWASH",
            "MIDDLE",
            "Z",
            "J",
        } & set(words[4:]):
            assert fold(chr(code)) == words[3].lower(), hex(code)


@pytest.mark.parametrize(
    "texts",
    [
        ["2", "10", "A1", "a2", "A10", "B1"],
        ["Hall 2", "hall 10", "Hall 10a", "Halle 1"],
        ["C-99999", "C-100000"],
        ["1.2", "1.10", "2"],
        ["A", "A1"],
        ["7", "0123456789" * 20],
        ["0", "00001", "2"],
    ],
)
def test_numbers_sort_by_value(texts):
    assert sorted(reversed(texts), key=natural_key) == texts


def test_leading_zeros_make_no_difference():
    assert natural_key("A01") == natural_key("a1") and natural_key("0") == natural_key("000")
    assert natural_key(None) is None and natural_key("") == ""


def test_spellings_of_a_name_have_the_same_letters():
    assert (
        len(
            {
                letters(name)
                for name in ("Müller & Söhne", "MUELLER + SOEHNE", "Mu\u0308ller&So\u0308hne")
            }
        )
        == 1
    )
    assert letters("Ærø") == letters("Aeroe") and letters("Åre") == letters("Aare")
    assert letters("Rose") != letters("Rosa") and letters("&") == "" and letters(None) is None


@pytest.mark.parametrize(
    "text, found",
    [
        ("muster kg", '"muster"* AND "kg"*'),
        ("Lüd-Bär", '("lud"* OR "lued"*) AND ("bar"* OR "baer"*)'),
        ("MUELLER", '("mueller"* OR "muller"*)'),
        ("Mu\u0308ller", '("muller"* OR "mueller"*)'),
        ("Neue", '"neue"*'),
        ("INV-2026-00001 anna", '"inv 2026 00001"* AND "anna"*'),
        ("C-00001", '"c 00001"*'),
        ("--", '""'),
        ('3" OR*', '"3"* AND "or"*'),
        ("-1-", '"1"*'),
    ],
)
def test_words_begin_words_and_the_words_of_a_number_follow_one_another(text, found):
    assert expression(text) == found
