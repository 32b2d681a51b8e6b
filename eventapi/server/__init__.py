"""The server: a gunicorn worker class of our own. This page says when the response to a write is sent, and why.

The way of a request, from its first byte to its response, each step with the classes that do it:

1. One thread of the process, the leader, waits in epoll for all connections and receives what arrives. A request with
   its body, of up to 1 MiB, is complete before the application is called (Threads, Worker, Connection).
2. The leader has the head parsed. It handles a read itself. It hands a write to a thread that may wait: this is itself,
   if another thread is free to be the leader, and otherwise the next free thread (Threads.run_aside, Requests).
3. The plugins check the request and the body. No lock is held yet (plugins/).
4. The database plugin acquires the write lock and runs the handler in a transaction. Threads that wait for the lock at
   the same time share the transaction. Each waits for the COMMIT (WriteLock, Writer; storage/group_commit.py).
5. The application returns to the server, which sends the response (Requests, Connection). So a 201 is sent after the
   commit of its write.
6. The connection goes back to epoll, or its next request to a free thread.

Invariants:

1. A response to a write is sent after the commit of its transaction, never before. If the commit fails, the response
   is an error. A handler runs once.
2. At most one thread is the leader, and a write never runs in it. So reads continue while all other threads wait for
   the write lock. Each waits for at most ten seconds: then its write gets 503 database_busy.
3. A thread holds the write lock only inside `Writer.write`, and then waits neither for a client nor for another
   thread.
4. A connection has one owner at a time: a thread, a task, or epoll (Worker.waiting). Only the owner calls its methods
   or closes it. A thread owns what it pops from `waiting` or accepts; `wait_for` and `run_aside` give it away.
5. At most half of the threads wait for clients for longer than a moment. A body that has not arrived waits in epoll or
   in one of these threads; if there is no place, its client gets 503 at once (Patience, web/uploads.py).
6. On a stop, the worker accepts no more connections, finishes every request that has arrived within
   `graceful_timeout`, and closes each connection after its response. A process that is killed has sent no response
   for writes that are not committed.
7. The main thread waits for no client and no lock; if it hangs, gunicorn kills the process after `timeout`. If work
   waits and nothing progresses for 30 s, the process ends (Watchdog).

With `server = gthread`, gunicorn's own worker class calls the application, and steps 1, 2 and 6 are gunicorn's. Of the
invariants, 1 and 3 hold, 5 for bodies only, and 7 if all threads are inside the application.
"""
