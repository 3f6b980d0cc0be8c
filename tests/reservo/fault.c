/* Makes a desk's calls fail with EIO, as a dying disk does. Loaded with LD_PRELOAD.
 *
 * FAULT names the calls: write (to a regular file), fsync-file, fsync-directory, open (of a new file), link, remove.
 * Of those calls, counted together, the first FAULT_SKIP work, the next FAULT_COUNT fail, and then all work again. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fails(const char *call) {
    static long seen;
    const char *wanted = getenv("FAULT");
    if (wanted == NULL || strstr(wanted, call) == NULL) return 0;
    long skip = atol(getenv("FAULT_SKIP")), count = atol(getenv("FAULT_COUNT"));
    long n = __sync_fetch_and_add(&seen, 1);
    if (n < skip || n >= skip + count) return 0;
    errno = EIO;
    return 1;
}

static mode_t kind(int fd) {
    struct stat found;
    return fstat(fd, &found) == 0 ? found.st_mode & S_IFMT : 0;
}

ssize_t write(int fd, const void *bytes, size_t len) {
    static ssize_t (*real)(int, const void *, size_t);
    if (real == NULL) real = dlsym(RTLD_NEXT, "write");
    return kind(fd) == S_IFREG && fails("write") ? -1 : real(fd, bytes, len);
}

int fsync(int fd) {
    static int (*real)(int);
    if (real == NULL) real = dlsym(RTLD_NEXT, "fsync");
    return fails(kind(fd) == S_IFDIR ? "fsync-directory" : "fsync-file") ? -1 : real(fd);
}

/* Only files that are made: reading is not what this is about. */
int open64(const char *path, int flags, ...) {
    static int (*real)(const char *, int, ...);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (real == NULL) real = dlsym(RTLD_NEXT, "open64");
    return flags & O_CREAT && fails("open") ? -1 : real(path, flags, mode);
}

int link(const char *from, const char *to) {
    static int (*real)(const char *, const char *);
    if (real == NULL) real = dlsym(RTLD_NEXT, "link");
    return fails("link") ? -1 : real(from, to);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags) {
    static int (*real)(int, const char *, int, const char *, int);
    if (real == NULL) real = dlsym(RTLD_NEXT, "linkat");
    return fails("link") ? -1 : real(from_dir, from, to_dir, to, flags);
}

int unlink(const char *path) {
    static int (*real)(const char *);
    if (real == NULL) real = dlsym(RTLD_NEXT, "unlink");
    return fails("remove") ? -1 : real(path);
}
