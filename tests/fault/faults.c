/* Faults of the disk and of the clock, for processes started with LD_PRELOAD.

   The text file FAULTS_FILE holds lines `CALL ERROR PERCENT PART`, which can change while the processes run:
     CALL    write (also pwrite64 and writev), sync (fsync and fdatasync), or clock
     ERROR   EIO, ENOSPC, or SHORT (only a part is written); for clock: seconds that are added to the time of day
     PERCENT how many of a hundred calls fail
     PART    a part of the path of the files concerned; * for all
   The number of failed calls is appended to FAULTS_FILE.count, one byte each. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MOST 8
enum { NONE, SHORT = -1 };
struct fault { char call[8], error[16], part[128]; int percent; };
static struct fault faults[MOST];
static int many;
static struct timespec read_at;

static void real_time(struct timespec *now) { syscall(SYS_clock_gettime, CLOCK_MONOTONIC, now); }

static void reload(void) {
    struct timespec now;
    real_time(&now);
    if (now.tv_sec == read_at.tv_sec && now.tv_nsec - read_at.tv_nsec < 20000000) return;
    read_at = now;
    const char *path = getenv("FAULTS_FILE");
    int fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0) : -1;
    char text[4096];
    int size = fd < 0 ? 0 : syscall(SYS_read, fd, text, sizeof text - 1), found = 0;
    if (fd >= 0) syscall(SYS_close, fd);
    text[size > 0 ? size : 0] = 0;
    struct fault next[MOST];
    for (char *rest, *line = strtok_r(text, "\n", &rest); line && found < MOST; line = strtok_r(NULL, "\n", &rest))
        if (sscanf(line, "%7s %15s %d %127s", next[found].call, next[found].error, &next[found].percent,
                   next[found].part) == 4) found++;
    memcpy(faults, next, sizeof faults);
    many = found;
}

static void count(void) {
    char path[512];
    snprintf(path, sizeof path, "%s.count", getenv("FAULTS_FILE"));
    int fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd >= 0) { syscall(SYS_write, fd, ".", 1); syscall(SYS_close, fd); }
}

/* Return the errno that the call on this file shall fail with, SHORT for a part, NONE for no fault. */
static int fault_of(const char *call, int fd) {
    if (!getenv("FAULTS_FILE")) return NONE;
    reload();
    if (!many) return NONE;
    struct stat about;
    if (fstat(fd, &about) || !(S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))) return NONE;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    int size = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    path[size > 0 ? size : 0] = 0;
    for (int i = 0; i < many; i++) {
        if (strcmp(faults[i].call, call) || (strcmp(faults[i].part, "*") && !strstr(path, faults[i].part))) continue;
        unsigned int dice;
        if (syscall(SYS_getrandom, &dice, sizeof dice, 0) != sizeof dice) dice = 0;
        if ((int)(dice % 100) >= faults[i].percent) continue;
        count();
        return !strcmp(faults[i].error, "SHORT") ? SHORT : !strcmp(faults[i].error, "ENOSPC") ? ENOSPC : EIO;
    }
    return NONE;
}

#define REAL(name, ...) static ssize_t (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, name)
/* A short write writes the first half, and the caller has to write the rest. */
#define FAULTY(call, fd, size, whole, part) \
    int fault = fault_of(call, fd); \
    if (fault > 0) { errno = fault; return -1; } \
    return fault == SHORT && (size) > 1 ? (part) : (whole)

ssize_t write(int fd, const void *data, size_t size) {
    REAL("write", int, const void *, size_t);
    FAULTY("write", fd, size, real(fd, data, size), real(fd, data, size / 2));
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    REAL("pwrite64", int, const void *, size_t, off64_t);
    FAULTY("write", fd, size, real(fd, data, size, at), real(fd, data, size / 2, at));
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return pwrite64(fd, data, size, at); }

ssize_t writev(int fd, const struct iovec *parts, int number) {
    REAL("writev", int, const struct iovec *, int);
    FAULTY("write", fd, number, real(fd, parts, number), real(fd, parts, number / 2));
}

int fsync(int fd) {
    REAL("fsync", int);
    FAULTY("sync", fd, 0, real(fd), 0);
}

int fdatasync(int fd) {
    REAL("fdatasync", int);
    FAULTY("sync", fd, 0, real(fd), 0);
}

static int ahead(void) {
    if (!getenv("FAULTS_FILE")) return 0;
    reload();
    for (int i = 0; i < many; i++) if (!strcmp(faults[i].call, "clock")) return atoi(faults[i].error);
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += ahead();
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    (void)zone;
    return 0;
}

time_t time(time_t *place) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (place) *place = exact.tv_sec;
    return exact.tv_sec;
}
