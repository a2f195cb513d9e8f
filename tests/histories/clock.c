/* Preloaded into a program, so that its system clock differs from the machine's by the seconds in the file $CITY_CLOCK.
 *
 * Nothing else changes. libfaketime also changes the deadlines of waiting threads. While a thread of Python waits for the
 * interpreter's lock, it then wakes too late or all the time, and the program becomes many times slower.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int read_clock(clockid_t clock, struct timespec *now)
{
    static int (*original)(clockid_t, struct timespec *);
    if (original == NULL)
        original = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    return original(clock, now);
}

/* Read the file again in each second. */
static time_t read_difference(void)
{
    static time_t difference, read_at = -1;
    struct timespec now;
    read_clock(CLOCK_MONOTONIC, &now);
    if (now.tv_sec != read_at) {
        const int before = errno;
        const char *path = getenv("CITY_CLOCK");
        const int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
        if (file >= 0) {
            char text[32] = "";
            if (read(file, text, sizeof text - 1) >= 0)
                difference = atol(text);
            close(file);
        }
        read_at = now.tv_sec;
        errno = before;
    }
    return difference;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int failed = read_clock(clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += read_difference();
    return failed;
}

int gettimeofday(struct timeval *now, void *zone)
{
    struct timespec found;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now)
{
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (now != NULL)
        *now = found.tv_sec;
    return found.tv_sec;
}
