"""Paper: A4 pages that are laid out first and drawn at the end, when it is known how many there are. Millimetres from the top left."""
from io import BytesIO

from eventapi.pictures import fonts

WIDTH, HEIGHT = 210, 297
LEFT, RIGHT = 25, 190
BLACK, GREY, PALE = 0, 0.4, 0.92


class Paper:
    """`y` is where the next line goes; nothing flows below `bottom`. `begin` is called on every new page and sets `y`."""

    def __init__(self, bottom, begin):
        self.bottom, self.begin, self.pages = bottom, begin, []

    def turn(self):
        """Goes on on a new page."""
        self.pages.append([])
        self.page = self.pages[-1]
        self.begin(self)

    def keep(self, height):
        """Turns the page when so much does not fit on this one but would on the next."""
        if self.y + height > self.bottom:
            self.turn()

    def text(self, x, y, text, *, size=8.5, bold=False, align="left", ink=BLACK):
        """One line on the base line y; aligned right it ends at x."""
        if align == "right":
            x -= fonts.width(text, size, bold)
        self.page.append((_text, x, y, text, size, bold, ink))

    def line(self, x, y, to_x, *, thickness=0.2, ink=BLACK):
        self.page.append((_line, x, y, to_x, thickness, ink))

    def stamp(self, text):
        """A word across the page, behind what follows."""
        self.page.append((_stamp, text))

    def flow(self, lines, *, lead=4.2, x=LEFT, **style):
        """Lines one below the other, over as many pages as it takes."""
        for text in lines:
            self.keep(lead)
            self.y += lead
            self.text(x, self.y, text, **style)

    def number(self, footer):
        """Calls footer(page, pages) for every page, to draw on it."""
        for place, self.page in enumerate(self.pages, 1):
            footer(place, len(self.pages))

    def pdf(self, *, title, author, language):
        """The same pages give the same bytes."""
        from reportlab.pdfgen.canvas import Canvas
        file = BytesIO()
        canvas = Canvas(file, pagesize=(WIDTH * fonts.POINTS, HEIGHT * fonts.POINTS), pageCompression=1, invariant=1, lang=language)
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


def _up(y):
    return (HEIGHT - y) * fonts.POINTS


def _text(canvas, x, y, text, size, bold, ink):
    canvas.setFillGray(ink)
    fonts.draw(canvas, x * fonts.POINTS, _up(y), text, size, bold)


def _line(canvas, x, y, to_x, thickness, ink):
    canvas.setStrokeGray(ink)
    canvas.setLineWidth(thickness * fonts.POINTS)
    canvas.line(x * fonts.POINTS, _up(y), to_x * fonts.POINTS, _up(y))


def _stamp(canvas, text):
    canvas.saveState()
    canvas.translate(WIDTH / 2 * fonts.POINTS, HEIGHT / 2 * fonts.POINTS)
    canvas.rotate(55)
    canvas.setFillGray(PALE)
    fonts.draw(canvas, -fonts.width(text, 120, True) / 2 * fonts.POINTS, -40, text, 120, True)
    canvas.restoreState()
