/*
 * Points at which a test may kill the process (kill -9, nothing is flushed), to prove that the next
 * start finds its way: WEIR_CRASH_AT=name or name:N for the Nth time it is passed. Compiled in by
 * the presets dev, asan and tsan; in a release build it is nothing.
 */
#ifndef BASE_CRASH_H
#define BASE_CRASH_H

#ifdef WEIR_CRASHPOINTS
void crash_point(const char *name);
#else
#define crash_point(name) ((void)(name))
#endif

#endif
