/*
 * A cable between two network namespaces that loses, delays, doubles and reorders packets: a TUN device in each, and this program between them.
 * It needs only /dev/net/tun from the kernel.
 *
 * usage: lossy-cable DEVICE-HERE DEVICE-THERE NAMESPACE-FILE SEED
 * Standard input, a line each: "LOSS-TO-HERE LOSS-TO-THERE DELAY-MS JITTER-MS DOUBLED", losses and doubled in percent.
 * It prints "laid" once both devices exist, and exits at the end of its standard input.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define MOST_WAITING 4096
#define LARGEST 2048

struct packet {
  double due;
  int to;
  ssize_t length;
  unsigned char bytes[LARGEST];
};

static struct packet waiting[MOST_WAITING];
static int count = 0;
static double loss[2] = {0, 0}, delay_ms = 0, jitter_ms = 0, doubled = 0;
static unsigned long long state = 1;

static double by_chance(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) / (double)(1ULL << 53);
}

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static int open_device(const char *name) {
  struct ifreq request;
  int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  memset(&request, 0, sizeof request);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  if (device < 0 || ioctl(device, TUNSETIFF, &request) != 0) {
    perror(name);
    exit(1);
  }
  return device;
}

/* A full queue drops new packets, as in any router. */
static void take(const unsigned char *bytes, ssize_t length, int to) {
  if (count == MOST_WAITING || by_chance() * 100 < loss[to]) return;
  struct packet *packet = &waiting[count++];
  packet->due = now_ms() + delay_ms + by_chance() * jitter_ms;
  packet->to = to;
  packet->length = length;
  memcpy(packet->bytes, bytes, length);
}

int main(int words, char **word) {
  struct pollfd files[3];
  unsigned char bytes[LARGEST];
  char line[200];
  size_t filled = 0;
  if (words != 5) return 2;
  state = strtoull(word[4], NULL, 10) * 2654435761ULL + 1;
  files[0].fd = open_device(word[1]);
  int there = open(word[3], O_RDONLY);
  if (there < 0 || setns(there, CLONE_NEWNET) != 0) {
    perror(word[3]);
    return 1;
  }
  files[1].fd = open_device(word[2]);
  files[2].fd = 0;
  for (int n = 0; n < 3; n++) files[n].events = POLLIN;
  puts("laid");
  fflush(stdout);
  for (;;) {
    double soonest = -1, now = now_ms();
    for (int n = 0; n < count; n++) {
      if (waiting[n].due <= now) {
        if (write(files[waiting[n].to].fd, waiting[n].bytes, waiting[n].length) < 0) { /* the device is down: lost */ }
        waiting[n--] = waiting[--count];
      } else if (soonest < 0 || waiting[n].due < soonest) soonest = waiting[n].due;
    }
    poll(files, 3, soonest < 0 ? -1 : (int)(soonest - now) + 1);
    for (int from = 0; from < 2; from++) {
      ssize_t length;
      while ((length = read(files[from].fd, bytes, sizeof bytes)) > 0) {
        take(bytes, length, 1 - from);
        if (by_chance() * 100 < doubled) take(bytes, length, 1 - from);
      }
    }
    if (files[2].revents != 0) {
      ssize_t length = read(0, line + filled, sizeof line - 1 - filled);
      if (length <= 0) return 0;
      filled += length;
      line[filled] = 0;
      if (strchr(line, '\n') == NULL) continue;
      sscanf(line, "%lf %lf %lf %lf %lf", &loss[0], &loss[1], &delay_ms, &jitter_ms, &doubled);
      filled = 0;
    }
  }
}
