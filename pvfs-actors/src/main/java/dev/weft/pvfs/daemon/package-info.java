/**
 * The I/O daemon of seed 002 section 3.2: it has the stripes of files, moves data to and from clients by the mechanisms of section 4, and knows neither
 * names nor striping. {@code DaemonCore} is the request manager, on the daemon's thread; with stripes in memory ({@code MemoryCore}) it moves them itself, with
 * stripes on a disk ({@code DiskCore}) it hands jobs to file access managers ({@code FileAccess}), which alone touch files. Its pure parts are tested without
 * actors.
 */
package dev.weft.pvfs.daemon;
