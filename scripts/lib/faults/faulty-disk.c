/*
 * Preloaded into a hub (LD_PRELOAD), by scripts/lib/slow-disk.mjs and scripts/faults.mjs: its disk is slow, hangs or fails, and waits for it are
 * recorded. FAULTY_DISK names a folder whose files control it at any moment:
 *   delay      each wait for the disk takes so many milliseconds more
 *   hang       waits for files whose path holds this text do not end while it is there
 *   fail       they fail with EIO; `fail-once`: one of them does
 *   log        (if it is there) each wait becomes a line of it: the thread, the process, the call, the file
 *   mode       "eio", "erofs", "enospc": writes and waits below the folder FAULTY_DISK_BELOW fail; "read-eio": reads do. Without that variable
 *              neither writes nor reads are looked at.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static void path_of(int descriptor, char *path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, size - 1);
  path[length < 0 ? 0 : length] = 0;
}

/* The content of a control file; -1 if there is none. Uses system calls, because write and read are replaced below. */
static int content(const char *name, char *text, size_t size) {
  char path[4096];
  const char *folder = getenv("FAULTY_DISK");
  text[0] = 0;
  if (folder == NULL) return -1;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t length = syscall(SYS_read, file, text, size - 1);
  close(file);
  text[length < 0 ? 0 : length] = 0;
  text[strcspn(text, "\n")] = 0;
  return 0;
}

static int names(const char *control, const char *path) {
  char text[256];
  return content(control, text, sizeof text) == 0 && strstr(path, text) != NULL;
}

static void rest(long ms) {
  struct timespec left = {ms / 1000, (ms % 1000) * 1000000L};
  while (ms > 0 && nanosleep(&left, &left) < 0 && errno == EINTR) continue;
}

/* Whether a call on this file must fail in one of the two modes; returns the error, or 0. */
static int mode_error(int descriptor, int reads) {
  char text[32], path[4096];
  const char *below = getenv("FAULTY_DISK_BELOW");
  if (below == NULL) return 0;
  int saved = errno;
  path_of(descriptor, path, sizeof path);
  int error = 0;
  if (strncmp(path, below, strlen(below)) == 0 && content("mode", text, sizeof text) == 0) {
    if (reads) error = strcmp(text, "read-eio") == 0 ? EIO : 0;
    else error = strcmp(text, "eio") == 0 ? EIO : strcmp(text, "erofs") == 0 ? EROFS : strcmp(text, "enospc") == 0 ? ENOSPC : 0;
  }
  errno = saved;
  return error;
}

/* Before each wait for the disk: returns the error with which it must fail, or 0. */
static int wait_error(const char *call, int descriptor) {
  char path[4096], text[256];
  int saved = errno;
  path_of(descriptor, path, sizeof path);
  const char *folder = getenv("FAULTY_DISK");
  if (folder != NULL) {
    char log[4096], line[4300];
    snprintf(log, sizeof log, "%s/log", folder);
    int file = open(log, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file >= 0) {
      int bytes = snprintf(line, sizeof line, "%ld %d %s %s\n", (long)syscall(SYS_gettid), getpid(), call, path);
      if (syscall(SYS_write, file, line, bytes) < 0) errno = saved;
      close(file);
    }
  }
  if (content("delay", text, sizeof text) == 0) rest(strtol(text, NULL, 10));
  while (names("hang", path)) rest(10);
  int error = names("fail", path) ? EIO : 0;
  if (error == 0 && names("fail-once", path)) {
    char token[4096];
    snprintf(token, sizeof token, "%s/fail-once", folder);
    if (unlink(token) == 0) error = EIO;
  }
  if (error == 0 && mode_error(descriptor, 0) == EIO) error = EIO;
  errno = saved;
  return error;
}

#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (real == NULL) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)
#define FAIL(error) do { int found = error; if (found != 0) { errno = found; return -1; } } while (0)

int fsync(int fd) { REAL(int, "fsync", int); FAIL(wait_error("fsync", fd)); return real(fd); }
int fdatasync(int fd) { REAL(int, "fdatasync", int); FAIL(wait_error("fdatasync", fd)); return real(fd); }
int sync_file_range(int fd, off64_t at, off64_t size, unsigned int flags) { REAL(int, "sync_file_range", int, off64_t, off64_t, unsigned int); FAIL(wait_error("sync_file_range", fd)); return real(fd, at, size, flags); }
ssize_t write(int fd, const void *data, size_t size) { REAL(ssize_t, "write", int, const void *, size_t); FAIL(mode_error(fd, 0)); return real(fd, data, size); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { REAL(ssize_t, "pwrite", int, const void *, size_t, off_t); FAIL(mode_error(fd, 0)); return real(fd, data, size, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) { REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t); FAIL(mode_error(fd, 0)); return real(fd, data, size, at); }
int ftruncate(int fd, off_t size) { REAL(int, "ftruncate", int, off_t); FAIL(mode_error(fd, 0)); return real(fd, size); }
int ftruncate64(int fd, off64_t size) { REAL(int, "ftruncate64", int, off64_t); FAIL(mode_error(fd, 0)); return real(fd, size); }
ssize_t pread(int fd, void *data, size_t size, off_t at) { REAL(ssize_t, "pread", int, void *, size_t, off_t); FAIL(mode_error(fd, 1)); return real(fd, data, size, at); }
ssize_t pread64(int fd, void *data, size_t size, off64_t at) { REAL(ssize_t, "pread64", int, void *, size_t, off64_t); FAIL(mode_error(fd, 1)); return real(fd, data, size, at); }
