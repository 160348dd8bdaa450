/*
 * Loaded before the hub (LD_PRELOAD) by scripts/faults.mjs: what is written below the folder FAULTY_DISK_FOLDER fares as the file
 * FAULTY_DISK_FILE says: "slow N" (each flush takes N ms more), "eio", "erofs", "enospc" (writes and flushes fail), "read-eio" (reads fail).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static int concerns(int fd) {
  char link[64], path[1024];
  const char *folder = getenv("FAULTY_DISK_FOLDER");
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0 || folder == NULL) return 0;
  path[length] = 0;
  return strncmp(path, folder, strlen(folder)) == 0;
}

static void mode(char *text, int size) {
  static ssize_t (*real)(int, void *, size_t);
  if (real == NULL) real = dlsym(RTLD_NEXT, "read");
  const char *file = getenv("FAULTY_DISK_FILE");
  text[0] = 0;
  int fd = file == NULL ? -1 : open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t length = real(fd, text, size - 1);
  text[length > 0 ? length : 0] = 0;
  close(fd);
}

static int write_error(int fd) {
  char text[32];
  if (!concerns(fd)) return 0;
  mode(text, sizeof text);
  if (strcmp(text, "eio") == 0) return EIO;
  if (strcmp(text, "erofs") == 0) return EROFS;
  if (strcmp(text, "enospc") == 0) return ENOSPC;
  return 0;
}

static int flush_error(int fd) {
  char text[32];
  if (!concerns(fd)) return 0;
  mode(text, sizeof text);
  if (strncmp(text, "slow ", 5) == 0) {
    long ms = atol(text + 5);
    struct timespec wait = {ms / 1000, (ms % 1000) * 1000000};
    nanosleep(&wait, NULL);
  }
  return strcmp(text, "eio") == 0 ? EIO : 0;
}

static int read_error(int fd) {
  char text[32];
  if (!concerns(fd)) return 0;
  mode(text, sizeof text);
  return strcmp(text, "read-eio") == 0 ? EIO : 0;
}

#define OR_FAIL(judge) do { int error = judge(fd); if (error != 0) { errno = error; return -1; } } while (0)
#define REAL(type, name, ...) static type (*real)(__VA_ARGS__); if (real == NULL) real = dlsym(RTLD_NEXT, name)

ssize_t write(int fd, const void *data, size_t size) { REAL(ssize_t, "write", int, const void *, size_t); OR_FAIL(write_error); return real(fd, data, size); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { REAL(ssize_t, "pwrite", int, const void *, size_t, off_t); OR_FAIL(write_error); return real(fd, data, size, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) { REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t); OR_FAIL(write_error); return real(fd, data, size, at); }
int ftruncate(int fd, off_t size) { REAL(int, "ftruncate", int, off_t); OR_FAIL(write_error); return real(fd, size); }
int ftruncate64(int fd, off64_t size) { REAL(int, "ftruncate64", int, off64_t); OR_FAIL(write_error); return real(fd, size); }
int fsync(int fd) { REAL(int, "fsync", int); OR_FAIL(flush_error); return real(fd); }
int fdatasync(int fd) { REAL(int, "fdatasync", int); OR_FAIL(flush_error); return real(fd); }
ssize_t pread(int fd, void *data, size_t size, off_t at) { REAL(ssize_t, "pread", int, void *, size_t, off_t); OR_FAIL(read_error); return real(fd, data, size, at); }
ssize_t pread64(int fd, void *data, size_t size, off64_t at) { REAL(ssize_t, "pread64", int, void *, size_t, off64_t); OR_FAIL(read_error); return real(fd, data, size, at); }
