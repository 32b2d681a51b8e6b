"""The server: a gunicorn worker class of our own, and the queue of writes. This page has the invariants of its parts.

The steps of a write, from its first byte to its response, each with the classes that do it:

1. The leader receives the bytes and has the head parsed (Threads, Worker, Connection, Requests). A write whose whole
   body has arrived goes into the write queue. One whose body is long or still to come is handled by its own thread,
   which steps down as leader; it shares commits only with threads that wait for the write lock at the same time.
2. The writer, one thread, takes the next write and calls the application (WriteQueue, Requests). It announces in the
   environ that it holds the response back (DeferredCommit).
3. The plugins check the request and the body. No lock is held yet (plugins/).
4. The database plugin acquires the write lock (WriteLock), then begins or joins a transaction: BEGIN IMMEDIATE for the
   first write, SAVEPOINT for those that follow (Writer).
5. The handler runs, inside idempotency. Its savepoint is released, or rolled back if it raises.
6. The write lock is released. If the queue has another write, the transaction stays open (Writer).
7. The connection holds the response back (Connection). The writer continues with step 2.
8. COMMIT, then the file lock is released: after the last queued write, after MAX_HANDOVERS writes, when another
   connection of the process writes, or when the writer would have to wait (Writer, WriteLock).
9. The held responses are sent in order, and the request lines are written to the log (WriteQueue, Connection).

Invariants:

1. A response that depends on a transaction is sent after its commit, never before.
2. A refusal rolls back its own write only. If it was made inside a transaction with other writes, it waits for the
   commit like a success, since it may depend on those writes. A request that is refused before step 4 waits for
   nothing; the open transaction is then committed first.
3. If the commit fails, nothing of its writes is stored. Each write runs once more, alone, and its client gets the
   result of this attempt. So a handler may run twice, but only after its first attempt was rolled back.
4. A slow handler delays other writes for at most two seconds, unless it is inside its transaction: the queue is passed
   on to another thread (`leave_queue`, `check_progress`). Reads never wait, since another thread becomes the leader.
5. A write that has waited ten seconds, in the queue and for the lock, gets 503 database_busy.
6. On a stop, the worker accepts no more connections, finishes every request that has arrived within
   `graceful_timeout`, and closes each connection after its response. A process that is killed has sent no response
   for writes that are not committed.
7. A connection has one owner at a time: a thread, the write queue, or epoll (Worker.waiting). Only the owner calls its
   methods or closes it. A thread owns what it pops from `waiting` or accepts; `wait_for` and `put` give it away.
8. At most one thread is the leader, and at most one the writer; one thread may be both only until it runs a write. Any
   thread may stop being either, and then a task that makes another one is in the queue of tasks (Threads, WriteQueue).
9. A thread holds the write lock only inside `Writer.write`, and then waits neither for a client nor for another
   thread. Between two writes of a group, the thread lock is free; the file lock and the transaction stay. A thread that
   has acquired the thread lock again ends the group: the writer after its last write (step 8), `check_progress` of the
   main thread, or any thread that `pass_on` makes wait for a client (storage/group_commit.py has the details).
10. At most half of the threads wait for clients for longer than a moment (Patience). The main thread waits for no
   client and no lock of a thread except that of a commit; if it hangs, gunicorn kills the process after `timeout`.
11. If work waits and nothing progresses for 30 s, the process ends (Watchdog).

With `server = gthread`, gunicorn's own worker class calls the application, and steps 1, 2, 7 and 9 do not exist: each
write waits for its commit in its own thread (Writer.write), before the response is sent. Of the invariants, 1, 2, 5
and 9 hold, 10 for bodies only, and 11 if all threads are inside the application.
"""
