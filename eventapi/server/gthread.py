"""gunicorn's gthread with the watchdog (`server = gthread`).

gunicorn itself waits for clients here, in the thread of the request: slow request heads and slow readers are not
limited. So gthread belongs behind nginx, which waits for them.
"""
import threading

from gunicorn.workers.gthread import ThreadWorker

from eventapi.server.watchdog import Watchdog


class Worker(ThreadWorker):
    """The worker. It ends if all its threads are inside the application and none of them returns."""

    def load_wsgi(self) -> None:
        """Load the application. gunicorn calls this before `run`."""
        super().load_wsgi()
        inside, threads, application = set(), self.cfg.threads, self.wsgi
        self.watchdog = watchdog = Watchdog(lambda: len(inside) >= threads, self.ppid, self.log)

        def counted(environ, start_response):
            me = threading.get_ident()
            inside.add(me)
            try:
                return application(environ, start_response)
            finally:
                inside.discard(me)
                watchdog.progress += 1
        self.wsgi = counted

    def notify(self) -> None:
        """Tell gunicorn that the main thread works. gunicorn calls this at least once a second."""
        super().notify()
        self.watchdog.check()
