"""A film of badges for the fake camera of Chromium: frames in Y4M of the badges that the product
draws.
"""

import random

from PIL import Image, ImageChops

WIDTH, HEIGHT, RATE = 640, 480, 10  # pixels, frames a second
HELD, BETWEEN = 8, 4  # frames in which a badge is held up, and in which there is none
CODE = 0.83, 0.5  # middle of the QR code on a badge, in parts of its width and height
GREY = 90


def options(film):
    """Return the options with which Chromium shows a film in place of a camera, again and again."""
    return [
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-video-capture={film}",
    ]


def write_film(browser, folder, pictures, *, held_for=HELD, between=BETWEEN, noise=0, tilt=4):
    """Write a film of badges, given as SVG, and return its file. `browser` draws them.

    Each badge is held up a little tilted, with its QR code in the middle, in `held_for` frames.
    `noise` is the standard deviation of each grey value.
    """
    chance = random.Random(1)
    noises = [Image.effect_noise((WIDTH, HEIGHT), noise) for _ in range(8 if noise else 0)]

    def frame(picture):
        if noises:
            shifted = ImageChops.offset(
                chance.choice(noises), chance.randrange(WIDTH), chance.randrange(HEIGHT)
            )
            picture = ImageChops.add(picture, shifted, offset=-128)
        return b"FRAME\n" + picture.tobytes() + b"\x80" * (WIDTH * HEIGHT // 2)

    film = folder / "badges.y4m"
    empty = Image.new("L", (WIDTH, HEIGHT), GREY)
    with film.open("wb") as file:
        file.write(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F{RATE}:1 Ip A1:1 C420jpeg\n".encode())
        for picture in pictures:
            badge, held = _drawn(browser, folder, picture), empty.copy()
            held.paste(
                badge,
                (
                    round(WIDTH / 2 - CODE[0] * badge.width),
                    round(HEIGHT / 2 - CODE[1] * badge.height),
                ),
            )
            held = held.rotate(tilt, fillcolor=GREY)
            for shown, times in ((held, held_for), (empty, between)):
                file.writelines(frame(shown) for _ in range(times))
    return film


def _drawn(browser, folder, picture):
    """Return a badge as a grey picture, 600 pixels wide."""
    page = folder / "badge.html"
    style = "body{margin:0}svg{display:block;width:600px;height:377px}"
    page.write_text(
        f"<!doctype html><meta charset=utf-8><style>{style}</style>{picture[picture.index('<svg') :]}",
        encoding="utf-8",
    )
    browser.open(page.as_uri(), width=600, height=377)
    browser.screenshot(folder / "badge.png")
    return Image.open(folder / "badge.png").convert("L")
