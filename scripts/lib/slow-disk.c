/*
 * Preloaded into a hub (LD_PRELOAD) by scripts/lib/slow-disk.mjs: makes every wait for the disk longer, lets some fail, and notes who waits.
 * SLOW_DISK names a folder: `delay` holds milliseconds; `fail` a part of file names whose waits fail with EIO while it is there, `fail-once` the
 * same for one wait; with `log` there, each wait becomes a line of it: the thread, the process, the call, the file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int content(const char *name, char *text, size_t size) {
  char path[4096];
  const char *folder = getenv("SLOW_DISK");
  if (folder == NULL) return -1;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t length = read(file, text, size - 1);
  close(file);
  text[length < 0 ? 0 : length] = 0;
  text[strcspn(text, "\n")] = 0;
  return 0;
}

static int before(const char *call, int descriptor) {
  char link[64], path[4096], text[256];
  int saved = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = 0;
  const char *folder = getenv("SLOW_DISK");
  if (folder != NULL) {
    char log[4096], line[4300];
    snprintf(log, sizeof log, "%s/log", folder);
    int file = open(log, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file >= 0) {
      int bytes = snprintf(line, sizeof line, "%ld %d %s %s\n", (long)syscall(SYS_gettid), getpid(), call, path);
      if (write(file, line, bytes) < 0) errno = saved;
      close(file);
    }
  }
  if (content("delay", text, sizeof text) == 0) {
    long ms = strtol(text, NULL, 10);
    struct timespec rest = {ms / 1000, (ms % 1000) * 1000000L};
    while (ms > 0 && nanosleep(&rest, &rest) < 0 && errno == EINTR) continue;
  }
  int fails = content("fail", text, sizeof text) == 0 && strstr(path, text) != NULL;
  if (!fails && content("fail-once", text, sizeof text) == 0 && strstr(path, text) != NULL) {
    char token[4096];
    snprintf(token, sizeof token, "%s/fail-once", folder);
    fails = unlink(token) == 0;
  }
  errno = fails ? EIO : saved;
  return fails ? -1 : 0;
}

int fsync(int descriptor) {
  static int (*real)(int);
  if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  return before("fsync", descriptor) < 0 ? -1 : real(descriptor);
}

int fdatasync(int descriptor) {
  static int (*real)(int);
  if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  return before("fdatasync", descriptor) < 0 ? -1 : real(descriptor);
}

int sync_file_range(int descriptor, off64_t offset, off64_t length, unsigned int flags) {
  static int (*real)(int, off64_t, off64_t, unsigned int);
  if (real == NULL) real = (int (*)(int, off64_t, off64_t, unsigned int))dlsym(RTLD_NEXT, "sync_file_range");
  return before("sync_file_range", descriptor) < 0 ? -1 : real(descriptor, offset, length, flags);
}
