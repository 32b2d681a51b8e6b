"""Badges before a noisy camera: one that is held up for five seconds is read once, whatever it
misses.
"""

import json
import os
import random
import shutil
import subprocess
from importlib.resources import files

import pytest
from PIL import Image, ImageFilter

from eventapi.domain.entrance import badges
from eventapi.pictures import qr
from tests.support.browser import BROWSER, Browser
from tests.support.fake_camera import write_film
from tests.support.phone import Phone
from tests.support.served import served

pytest.importorskip("reportlab")

NODE = shutil.which("node")
FOLDER = files("eventapi.pages.door")
SIDE, CODE = 240, 170  # pixels of the picture and of the code in it
BADGES, HELD, APART = 200, 50, 100  # badges; pictures of each; ms between two pictures
NOISE = 70  # with which three of ten pictures are unreadable

# Reads each picture as read() of door.js does, at the time at which it is taken. Returns [badge,
# number of scans].
PROGRAM = """
import {readFileSync} from "node:fs";
const [folder, path] = process.argv.slice(2);
const {decodeQR} = await import(`${folder}/qr/decode.js`), {Held} = await import(`${folder}/rules.js`);
const {side, heldFor, apart, noise, numbers} = JSON.parse(readFileSync(`${path}/numbers.json`));
const pictures = readFileSync(`${path}/pictures`), data = new Uint8ClampedArray(4 * side * side).fill(255);
let seed = 1;
const chance = () => (seed = (1664525 * seed + 1013904223) >>> 0) / 2 ** 32;
const normal = Float32Array.from({length: 1 << 20}, () => (chance() + chance() + chance() - 1.5) * 2 * noise);
const held = new Held(), scans = {}, all = side * side;
let now = 0, unreadable = 0;
numbers.forEach((number, badge) => {
  const moves = 5 + Math.floor(chance() * (heldFor - 20)), still = moves + Math.floor(2 + chance() * 7);
  for (let picture = 0; picture < heldFor; picture++, now += apart) {
    const start = Math.floor(chance() * (normal.length - all)), strength = picture >= moves && picture < still ? 4 : 1;
    for (let place = 0; place < all; place++) {
      const value = pictures[badge * all + place] + strength * normal[start + place];
      data[4 * place] = data[4 * place + 1] = data[4 * place + 2] = value;
    }
    let text = "";
    try { text = decodeQR({width: side, height: side, data}); } catch (error) { unreadable++; }
    if (text && held.isNew(text, now)) scans[text] = (scans[text] ?? 0) + 1;
  }
  now += 400;
});
console.log(JSON.stringify({scans, unreadable: unreadable / (numbers.length * heldFor)}));
"""


def drawn(number, tilt):
    """Return a blurred picture of the code of a badge, in front of a grey wall."""
    rows = qr.modules(number)
    code = Image.new("L", (len(rows) + 8, len(rows) + 8), 255)
    for y, row in enumerate(rows):
        for x, is_dark in enumerate(row):
            if is_dark:
                code.putpixel((x + 4, y + 4), 20)
    picture = Image.new("L", (SIDE, SIDE), 90)
    picture.paste(
        code.resize((CODE, CODE), Image.Resampling.BOX), ((SIDE - CODE) // 2, (SIDE - CODE) // 2)
    )
    return picture.rotate(tilt, Image.Resampling.BICUBIC, fillcolor=90).filter(
        ImageFilter.GaussianBlur(1)
    )


@pytest.mark.skipif(not NODE, reason="needs node (apt install nodejs)")
def test_200_badges_held_for_five_seconds_before_a_noisy_camera_give_at_most_two_ambers(tmp_path):
    """Each hand moves once meanwhile: for 0.2 to 0.8 s, no picture is readable."""
    chance = random.Random(1)
    numbers = [badges.draw() for _ in range(BADGES)]
    (tmp_path / "pictures").write_bytes(
        b"".join(drawn(number, chance.uniform(-10, 10)).tobytes() for number in numbers)
    )
    given = {"side": SIDE, "heldFor": HELD, "apart": APART, "noise": NOISE, "numbers": numbers}
    (tmp_path / "numbers.json").write_text(json.dumps(given))
    (tmp_path / "read.mjs").write_text(PROGRAM)
    done = subprocess.run(
        [NODE, "--experimental-default-type=module", tmp_path / "read.mjs", FOLDER, tmp_path],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["unreadable"] > 0.2, "otherwise the camera is too good"
    assert found["scans"].keys() == set(numbers)
    assert sum(found["scans"].values()) - BADGES <= 2


@pytest.mark.processes
@pytest.mark.skipif(not BROWSER, reason="needs chromium")
def test_badges_held_before_the_camera_of_a_phone_are_green_once(
    tmp_path, organiser, app, people, door
):
    """`NOISY_BADGES` is their number.

    Each takes seven seconds. The film begins anew after the last one.
    """
    count = int(os.environ.get("NOISY_BADGES", "6"))
    numbers = people(count)
    with Browser(tmp_path) as drawing:
        pictures = [
            organiser.get(f"/participants/{place}/badge").text for place in range(1, count + 1)
        ]
        film = write_film(drawing, tmp_path, pictures, held_for=50, between=20, noise=60)
    with served(app.app, []) as url:
        phone = Phone(tmp_path / "phone", f"{url}/door/", film=film)
        try:
            phone.start()
            phone.sign_in(door()[1])
            phone.until(
                lambda: len([tone for tone in tones_of(phone) if tone == "green"]) == count,
                20 + 8 * count,
            )
            tones = tones_of(phone)
        finally:
            phone.end()
    assert set(tones) <= {"green", "amber"} and len(numbers) == count
    assert tones.count("amber") <= count // 100


def tones_of(phone):
    return [tone for _, _, tone, *_ in phone.collect()]
