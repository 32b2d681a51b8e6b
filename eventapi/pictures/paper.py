"""A4 pages of text and lines as PDF.

Pages are laid out first and drawn at the end, because the footers show the number of pages.
Positions are in millimetres from the top left, font sizes in points.
"""

from io import BytesIO

from eventapi.pictures import fonts
from eventapi.pictures.canvas import color, draw_image
from eventapi.pictures.style import HAIRLINE, INK, LINE, QUIET, TEXT

WIDTH, HEIGHT = 210, 297
LEFT, RIGHT = 25, 190


class Paper:
    """A sequence of pages.

    y: vertical position; the next line of text goes below it.
    bottom: text that would extend below this position goes to a new page.
    begin: function of the Paper that is called on every new page. It must set `y`.
    """

    def __init__(self, bottom, begin):
        self.bottom, self.begin, self.pages = bottom, begin, []

    def new_page(self):
        """Begin a new page."""
        self.pages.append([])
        self.page = self.pages[-1]
        self.begin(self)

    def reserve(self, height):
        """Begin a new page unless `height` is left on this page."""
        if self.y + height > self.bottom:
            self.new_page()

    def text(self, x, y, text, *, size=TEXT, bold=False, align="left", ink=INK):
        """Add one line of text with the base line `y`. Text that is aligned right ends at `x`."""
        if align == "right":
            x -= fonts.width(text, size, bold)
        self.page.append((_text, x, y, text, size, bold, ink))

    def line(self, x, y, to_x, *, thickness=HAIRLINE, ink=QUIET):
        """Add a horizontal line."""
        self.page.append((_line, x, y, to_x, thickness, ink))

    def image(self, x, y, width, height, image):
        """Add an Image in a box whose top left is (x, y)."""
        self.page.append((_image, x, y, width, height, image))

    def area(self, x, y, unit, rings):
        """Add a black area.

        Its rings are points in units of `unit` millimetres from the top left (x, y).
        """
        self.page.append((_area, x, y, unit, rings))

    def watermark(self, text):
        """Add a large pale word across the page. What is added later is drawn over it."""
        self.page.append((_watermark, text))

    def flow(self, lines, *, line_height=4.2, x=LEFT, **style):
        """Add lines of text below each other, on new pages if necessary.

        `line_height` is in millimetres.
        """
        for text in lines:
            self.reserve(line_height)
            self.y += line_height
            self.text(x, self.y, text, **style)

    def draw_footers(self, footer):
        """Call footer(page, pages) for every page. What the function adds goes to that page."""
        for place, page in enumerate(self.pages, 1):
            self.page = page
            footer(place, len(self.pages))

    def pdf(self, *, title, author, language):
        """Return the PDF as bytes. The same pages result in the same bytes."""
        from reportlab.pdfgen.canvas import Canvas

        file = BytesIO()
        canvas = Canvas(
            file,
            pagesize=(WIDTH * fonts.POINTS, HEIGHT * fonts.POINTS),
            pageCompression=1,
            invariant=1,
            lang=language,
        )
        canvas.setTitle(title)
        canvas.setAuthor(author)
        canvas.setSubject(title)
        canvas.setCreator("eventapi")
        canvas.setViewerPreference("DisplayDocTitle", "true")
        for page in self.pages:
            for draw, *values in page:
                draw(canvas, *values)
            canvas.showPage()
        canvas.save()
        return file.getvalue()


def _from_bottom(y):
    """Convert millimetres from the top to points from the bottom, as PDF requires."""
    return (HEIGHT - y) * fonts.POINTS


def _text(canvas, x, y, text, size, bold, ink):
    canvas.setFillColor(color(ink))
    fonts.draw(canvas, x * fonts.POINTS, _from_bottom(y), text, size, bold)


def _line(canvas, x, y, to_x, thickness, ink):
    canvas.setStrokeColor(color(ink))
    canvas.setLineWidth(thickness * fonts.POINTS)
    canvas.line(x * fonts.POINTS, _from_bottom(y), to_x * fonts.POINTS, _from_bottom(y))


def _image(canvas, x, y, width, height, image):
    draw_image(
        canvas,
        image,
        x * fonts.POINTS,
        _from_bottom(y + height),
        width * fonts.POINTS,
        height * fonts.POINTS,
    )


def _area(canvas, x, y, unit, rings):
    path = canvas.beginPath()
    for first, *others in rings:
        path.moveTo(*first)
        for point in others:
            path.lineTo(*point)
        path.close()
    canvas.saveState()
    canvas.translate(x * fonts.POINTS, _from_bottom(y))
    canvas.scale(unit * fonts.POINTS, -unit * fonts.POINTS)
    canvas.setFillGray(0)  # black, for the readers of QR codes
    canvas.drawPath(path, stroke=0, fill=1)
    canvas.restoreState()


def _watermark(canvas, text):
    canvas.saveState()
    canvas.translate(WIDTH / 2 * fonts.POINTS, HEIGHT / 2 * fonts.POINTS)
    canvas.rotate(55)
    canvas.setFillColor(color(LINE))
    fonts.draw(canvas, -fonts.width(text, 120, True) / 2 * fonts.POINTS, -40, text, 120, True)
    canvas.restoreState()
